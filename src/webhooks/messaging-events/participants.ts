import type { Conversation } from '../../messaging/records.ts';
import type { Ticket } from '../../messaging/ticket-records.ts';
import { unwrapList } from '../../schema.ts';
import type { MessagingActor, MessagingEventName } from './events.ts';

/** Who wrote the last part of a conversation, or, when it was just created, its first message. */
export const actorOf = (name: MessagingEventName, conversation: Conversation): MessagingActor | undefined => {
  const last = conversation.parts?.at(-1);
  if (name !== 'conversation.created' && last) return toActor(last.author) ?? adminActor(last.admin_id);
  const { source } = conversation;
  return typeof source === 'object' && source !== null && 'author' in source ? toActor(source.author) : undefined;
};

/** The real platform has them in an envelope of an envelope, others name one. */
export const contactIdsOf = ({ contacts, contact_id }: Conversation | Ticket): readonly string[] => {
  const { items = [] } = unwrapList(contacts, ['contacts', 'data']);
  const ids = items.map((contact) =>
    typeof contact === 'object' && contact !== null && 'id' in contact ? contact.id : undefined,
  );
  return [...ids, contact_id].filter((id) => typeof id === 'string');
};

/** Who wrote the last part of a ticket. */
export const ticketActorOf = ({ parts }: Ticket): MessagingActor | undefined => toActor(parts?.at(-1)?.['author']);

const toActor = (author: unknown): MessagingActor | undefined => {
  if (typeof author !== 'object' || author === null || !('id' in author) || !('type' in author)) return undefined;
  const { id, type } = author;
  if (typeof type !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return { type, id: String(id) };
};

const adminActor = (id: string | null | undefined): MessagingActor | undefined =>
  id === null || id === undefined ? undefined : { type: 'admin', id };
