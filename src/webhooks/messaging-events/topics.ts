import type { MessagingEventName } from './events.ts';

/** What the topics of the real platform, and the default API's own names, mean. */
const meanings: Readonly<Record<string, MessagingEventName>> = {
  'conversation.created': 'conversation.created',
  'conversation.user.created': 'conversation.created',
  'conversation.admin.single.created': 'conversation.created',
  'conversation.replied': 'conversation.replied',
  'conversation.user.replied': 'conversation.replied',
  'conversation.admin.replied': 'conversation.replied',
  'conversation.operator.replied': 'conversation.replied',
  'conversation.closed': 'conversation.closed',
  'conversation.admin.closed': 'conversation.closed',
  'contact.created': 'contact.created',
  'contact.user.created': 'contact.created',
  'contact.lead.created': 'contact.created',
  'contact.updated': 'contact.updated',
  'contact.user.updated': 'contact.updated',
  'contact.lead.updated': 'contact.updated',
  'contact.email.updated': 'contact.updated',
  'custom_attribute.changed': 'custom_attribute.changed',
  'conversation.admin.assigned': 'conversation.assigned',
  'conversation.admin.open.assigned': 'conversation.assigned',
  'contact.merged': 'contact.merged',
  'contact.lead.merged': 'contact.merged',
  'contact.user.merged': 'contact.merged',
  'contact.tag.created': 'contact.tagged',
  'contact.lead.tag.created': 'contact.tagged',
  'contact.user.tag.created': 'contact.tagged',
  'contact.tag.deleted': 'contact.untagged',
  'contact.lead.tag.deleted': 'contact.untagged',
  'contact.user.tag.deleted': 'contact.untagged',
  'ticket.created': 'ticket.created',
  'ticket.admin.replied': 'ticket.replied',
  'ticket.contact.replied': 'ticket.replied',
  'ticket.admin.assigned': 'ticket.assigned',
  'ticket.team.assigned': 'ticket.assigned',
  'ticket.state.updated': 'ticket.state_changed',
  'ticket.closed': 'ticket.closed',
};

/** `undefined` for other topics, such as `ping`. */
export const meaningOf = (topic: string): MessagingEventName | undefined =>
  Object.hasOwn(meanings, topic) ? meanings[topic] : undefined;
