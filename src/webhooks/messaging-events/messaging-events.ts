import { eachOneOf } from '../../core/option-checks.ts';
import { createAttributeRules, type CustomAttributes } from '../../messaging/attributes.ts';
import { htmlToText } from '../../core/html.ts';
import { type Contact, contactReader } from '../../messaging/contacts.ts';
import { type Conversation, conversationReader } from '../../messaging/conversations.ts';
import { tag } from '../../messaging/tags.ts';
import { type Ticket, ticketReader } from '../../messaging/tickets.ts';
import { itemsWithin } from '../../core/envelope.ts';
import { type Reader, readId, readRecord, ShapeError, type StandardSchema } from '../../core/schema.ts';
import * as z from '../../core/schema.ts';
import { parseTimestamp } from '../../core/timestamp.ts';
import type { ReadEnvelope } from '../envelope.ts';
import type { AttributeEvent, MessagingActor, MessagingEventName, MessagingEvents } from './events.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

/** Events of the messaging platform to leave alone. */
export interface MessagingEventsOptions {
  /** The voice agent's own admins: what they cause is acknowledged and dropped, so that it does not call itself. */
  readonly ownAdminIds?: readonly string[] | undefined;
}

/** Two of a receiver's options: spread them into it. */
export interface MessagingEventsPart<Name extends MessagingEventName> {
  /** The schemas of the events that were named. */
  readonly events: { readonly [Each in Name]: StandardSchema<MessagingEvents[Each]> };
  /** Reads the platform's notification, and ignores all others. */
  readonly envelope: ReadEnvelope;
}

/**
 * The events of the messaging platform for a receiver: those that you name are handled under these names, and all others
 * are acknowledged. The platform's own id identifies a delivery, so that a repeated one is recognised.
 *
 * @example
 * const receive = createWebhookReceiver({
 *   ...messagingEvents(['conversation.replied'], { ownAdminIds: ['admin_7'] }),
 *   authentication: [hmac({ scheme: hubSignature, secrets: () => secrets.read('messaging-app') })],
 *   on: { 'conversation.replied': async ({ payload }) => callBack(payload.conversation) },
 *   store,
 * });
 */
export const messagingEvents = <const Name extends MessagingEventName>(
  names: readonly Name[],
  { ownAdminIds = [] }: MessagingEventsOptions = {},
): MessagingEventsPart<Name> => {
  eachOneOf<string>(names, 'names', Object.keys(schemas))();
  return partOf(names, ownAdminIds);
};

const partOf = <Name extends MessagingEventName>(
  names: readonly Name[],
  ownAdminIds: NonNullable<MessagingEventsOptions['ownAdminIds']>,
): MessagingEventsPart<Name> => ({
  // Each name gets the schema of that name.
  events: Object.fromEntries(
    names.map((name) => [name, schemas[name]]),
  ) as object as MessagingEventsPart<Name>['events'],
  envelope: (body) => {
    if (typeof body !== 'object' || body === null || !('topic' in body) || typeof body.topic !== 'string')
      return undefined;
    const fields: Readonly<Record<string, unknown>> = { ...body };
    const name = meaningOf(body.topic);
    if (!name || !names.some((each) => each === name)) return { ignore: 'topic_not_wanted' };
    const item = itemOf(fields.data);
    if (isOwn(name, item, ownAdminIds)) return { ignore: 'caused_by_own_admin' };
    return {
      type: name,
      id: typeof fields.id === 'string' && fields.id !== '' ? fields.id : undefined,
      occurredAt: parseTimestamp(fields.created_at),
      payload: { topic: body.topic, item },
    };
  },
});

const context = { drift: () => {} };

const itemOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'item' in data ? data.item : undefined;

const isOwn = (name: MessagingEventName, item: unknown, ownAdminIds: readonly string[]): boolean => {
  if (ownAdminIds.length === 0) return false;
  try {
    const actor = whoDid(name, item);
    return actor?.type === 'admin' && ownAdminIds.includes(actor.id);
  } catch {
    // Its schema will refuse it.
    return false;
  }
};

const whoDid = (name: MessagingEventName, item: unknown) => {
  if (name.startsWith('conversation.')) return actorOf(name, readConversation(item, context));
  return name.startsWith('ticket.') ? ticketActorOf(readTicket(item, context)) : undefined;
};

/** Notifications have bodies as the inbox shows them, which is HTML. */
const readConversation = conversationReader(htmlToText);

const ticketFrom = ticketReader(htmlToText);

/** The ticket may be next to the part that the notification is about. */
const readTicket: Reader<Ticket> = (item, context) => {
  const { ticket, ticket_part: part } = Object(item);
  const whole: unknown = ticket ?? item;
  return ticketFrom(part ? { ticket_parts: [part], ...Object(whole) } : whole, context);
};

const readContact: Reader<Contact> = contactReader<CustomAttributes>(createAttributeRules(undefined));

const attributeItem = z.lazily<AttributeItem>(() =>
  z.looseObject({
    id: readId(),
    type: z.string(),
    attribute: z.string().check(z.minLength(1)),
    before: z.unknown(),
    value: z.unknown(),
  }),
);

const readAttribute = readRecord(attributeItem, ['id', 'type', 'attribute']);

interface AttributeItem {
  readonly id: string;
  readonly type: string;
  readonly attribute: string;
  readonly before?: unknown;
  readonly value?: unknown;
}

/** A schema of the envelope's payload, made of a reader of its item. */
const schemaOf = <T extends object>(read: (item: unknown) => T): StandardSchema<T & { readonly topic: string }> => ({
  '~standard': {
    version: 1,
    vendor: 'voice-agent-integrations',
    validate: (payload) => {
      // Only the envelope above makes it.
      const { topic, item } = payload as { readonly topic: string; readonly item: unknown };
      try {
        return { value: { topic, ...read(item) } };
      } catch (error) {
        if (!(error instanceof ShapeError)) throw error;
        return {
          issues: [{ message: error.problem, path: ['data', 'item', ...error.field.split('.').filter(Boolean)] }],
        };
      }
    },
  },
});

const conversationSchema = (name: MessagingEventName) =>
  schemaOf((item) => {
    const conversation = readConversation(item, context);
    const actor = actorOf(name, conversation);
    return withoutUndefined({ conversation, contactIds: contactIdsOf(conversation), actor });
  });

const tagSchema = schemaOf((item) => {
  const { contact, user, tag: appliedTag } = Object(item);
  return { contact: readContact(contact ?? user, context), tag: tag(appliedTag, context) };
});

const ticketSchema = schemaOf((item) => {
  const ticket = readTicket(item, context);
  const actor = ticketActorOf(ticket);
  return withoutUndefined({ ticket, contactIds: contactIdsOf(ticket), actor });
});

const contactSchema = schemaOf((item) => ({ contact: readContact(item, context) }));

const schemas: { readonly [Name in MessagingEventName]: StandardSchema<MessagingEvents[Name]> } = {
  'conversation.created': conversationSchema('conversation.created'),
  'conversation.replied': conversationSchema('conversation.replied'),
  'conversation.closed': conversationSchema('conversation.closed'),
  'contact.created': contactSchema,
  'contact.updated': contactSchema,
  'conversation.assigned': conversationSchema('conversation.assigned'),
  'contact.merged': contactSchema,
  'contact.tagged': tagSchema,
  'contact.untagged': tagSchema,
  'ticket.created': ticketSchema,
  'ticket.replied': ticketSchema,
  'ticket.assigned': ticketSchema,
  'ticket.state_changed': ticketSchema,
  'ticket.closed': ticketSchema,
  'custom_attribute.changed': schemaOf((item): Omit<AttributeEvent, 'topic'> => {
    const { id, type, attribute, before, value } = readAttribute(item, context);
    return { record: { type, id }, attribute, before, value };
  }),
};

/** The author of a conversation's last part or, when it was just created, of its first message. */
export const actorOf = (name: MessagingEventName, conversation: Conversation): MessagingActor | undefined => {
  const last = conversation.parts?.at(-1);
  if (name !== 'conversation.created' && last) return toActor(last.author) ?? adminActor(last.admin_id);
  const { source } = conversation;
  return typeof source === 'object' && source !== null && 'author' in source ? toActor(source.author) : undefined;
};

/** The real platform has them in an envelope of an envelope, others name one. */
export const contactIdsOf = ({ contacts, contact_id }: Conversation | Ticket): readonly string[] => {
  const items = itemsWithin(contacts, ['contacts', 'data']) ?? [];
  const ids = items.map((contact) =>
    typeof contact === 'object' && contact !== null && 'id' in contact ? contact.id : undefined,
  );
  return [...ids, contact_id].filter((id) => typeof id === 'string');
};

/** The author of a ticket's last part. */
const ticketActorOf = ({ parts }: Ticket): MessagingActor | undefined => toActor(parts?.at(-1)?.['author']);

const toActor = (author: unknown): MessagingActor | undefined => {
  if (typeof author !== 'object' || author === null || !('id' in author) || !('type' in author)) return undefined;
  const { id, type } = author;
  if (typeof type !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return { type, id: String(id) };
};

const adminActor = (id: string | null | undefined): MessagingActor | undefined =>
  id === null || id === undefined ? undefined : { type: 'admin', id };

/** The meaning of the real platform's topics, and of the default API's own names. */
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
const meaningOf = (topic: string): MessagingEventName | undefined =>
  Object.hasOwn(meanings, topic) ? meanings[topic] : undefined;
