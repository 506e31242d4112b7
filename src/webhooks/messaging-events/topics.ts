import type { MessagingEventName } from './events.ts';

/** What the topics of the real platform, and the spec's own names, mean. */
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
};

/** `undefined` for topics that the spec does not name, such as `ping`. */
export const meaningOf = (topic: string): MessagingEventName | undefined =>
  Object.hasOwn(meanings, topic) ? meanings[topic] : undefined;
