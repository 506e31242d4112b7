import type { Contact, Conversation } from '../../messaging/records.ts';

/** Who caused an event: a contact, an admin (a colleague, or the voice agent itself), or a bot. */
export interface MessagingActor {
  readonly type: string;
  readonly id: string;
}

/** What the messaging platform reports, under any name. Spec, "Messaging platform webhooks". */
export interface MessagingEvents {
  readonly 'conversation.created': ConversationEvent;
  readonly 'conversation.replied': ConversationEvent;
  readonly 'conversation.closed': ConversationEvent;
  readonly 'contact.created': ContactEvent;
  readonly 'contact.updated': ContactEvent;
  readonly 'custom_attribute.changed': AttributeEvent;
}

/** The names of the events of the messaging platform, as the interface document spells them. */
export type MessagingEventName = keyof MessagingEvents;

/** What every event of the messaging platform says. */
interface FromTopic {
  /** The platform's own name of the event. */
  readonly topic: string;
}

/** A conversation was opened, answered or closed. */
export interface ConversationEvent extends FromTopic {
  readonly conversation: Conversation;
  /** The contacts who take part, as far as it says. */
  readonly contactIds: readonly string[];
  /** Who opened, replied or closed, if it says so. */
  readonly actor?: MessagingActor;
}

/** A contact was made or changed. */
export interface ContactEvent extends FromTopic {
  readonly contact: Contact;
}

/** A platform without such a topic reports it as an update of the contact or company. */
export interface AttributeEvent extends FromTopic {
  /** What it is an attribute of, such as a contact. */
  readonly record: { readonly type: string; readonly id: string };
  /** Its name. */
  readonly attribute: string;
  /** The value until now, if it says so. */
  readonly before?: unknown;
  /** The value from now on, if it says so. */
  readonly value?: unknown;
}
