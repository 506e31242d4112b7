import type { Contact } from '../../messaging/contacts.ts';
import type { Conversation } from '../../messaging/conversations.ts';
import type { Tag } from '../../messaging/tags.ts';
import type { Ticket } from '../../messaging/tickets.ts';

/** The author of an event: a contact, an admin (a colleague, or the voice agent itself), or a bot. */
export interface MessagingActor {
  readonly type: string;
  readonly id: string;
}

/**
 * The events of the messaging platform, under any name. The first six are the default API's; the others have the topics
 * of the real platform alone.
 */
export interface MessagingEvents {
  readonly 'conversation.created': ConversationEvent;
  readonly 'conversation.replied': ConversationEvent;
  readonly 'conversation.closed': ConversationEvent;
  readonly 'contact.created': ContactEvent;
  readonly 'contact.updated': ContactEvent;
  readonly 'custom_attribute.changed': AttributeEvent;
  readonly 'conversation.assigned': ConversationEvent;
  readonly 'contact.merged': ContactEvent;
  readonly 'contact.tagged': TagEvent;
  readonly 'contact.untagged': TagEvent;
  readonly 'ticket.created': TicketEvent;
  readonly 'ticket.replied': TicketEvent;
  readonly 'ticket.assigned': TicketEvent;
  readonly 'ticket.state_changed': TicketEvent;
  readonly 'ticket.closed': TicketEvent;
}

/** The names of the events of the messaging platform. */
export type MessagingEventName = keyof MessagingEvents;

/** The fields of every event of the messaging platform. */
interface FromTopic {
  /** The platform's own name of the event. */
  readonly topic: string;
}

/** A conversation was opened, answered, assigned or closed. */
export interface ConversationEvent extends FromTopic {
  readonly conversation: Conversation;
  /** The contacts who take part, as far as it says. */
  readonly contactIds: readonly string[];
  /** The author, if the event says so. */
  readonly actor?: MessagingActor;
}

/** A contact was made, changed or merged into another one. */
export interface ContactEvent extends FromTopic {
  /** After a merge the one that's left. Its `merged_from`, where the platform sends it, says which one is gone. */
  readonly contact: Contact;
}

/** A platform without such a topic reports it as an update of the contact or company. */
export interface AttributeEvent extends FromTopic {
  /** The object of the attribute, such as a contact. */
  readonly record: { readonly type: string; readonly id: string };
  /** Its name. */
  readonly attribute: string;
  /** The value until now, if it says so. */
  readonly before?: unknown;
  /** The value from now on, if it says so. */
  readonly value?: unknown;
}

/** A tag was put on a contact, or taken off. */
export interface TagEvent extends FromTopic {
  readonly contact: Contact;
  readonly tag: Tag;
}

/** Something happened to a ticket. */
export interface TicketEvent extends FromTopic {
  readonly ticket: Ticket;
  /** The contacts it's about, as far as it says. */
  readonly contactIds: readonly string[];
  /** The author, if the event says so. */
  readonly actor?: MessagingActor;
}
