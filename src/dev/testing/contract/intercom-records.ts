import type { SearchPage } from './intercom-search.ts';
import type { FakeConversation } from '../store/messaging-records.ts';

/** The number of records that a search found, and the start of the next page. */
export const pagesRecord = ({ total, page, perPage, next }: SearchPage<unknown>) => ({
  total_count: total,
  pages: {
    type: 'pages',
    page,
    per_page: perPage,
    total_pages: Math.ceil(total / perPage),
    next: next === undefined ? undefined : { per_page: perPage, starting_after: next },
  },
});

/** The answer to the creation of a conversation: its first message, not itself. */
export const messageRecord = ({ id, body, created_at }: FakeConversation) => ({
  type: 'user_message',
  id: `message_of_${id}`,
  created_at,
  body,
  message_type: 'inapp',
  conversation_id: id,
});

/**
 * The other contract spells parts twice; Intercom has only `part_type` and `author`, and returns at most 500 of them.
 * Source: developers.intercom.com, Conversation Parts, read 2026-11-27.
 */
export const partsSpeltByIntercom = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null || !('conversation_parts' in body)) return body;
  // Made by `conversationRecord`.
  const list = body.conversation_parts as { readonly conversation_parts: readonly Readonly<Record<string, unknown>>[] };
  const shown = list.conversation_parts.slice(-mostParts);
  const parts = shown.map(({ message_type: _type, admin_id: _admin, ...part }) => part);
  return { ...body, conversation_parts: { ...list, conversation_parts: parts } };
};

const mostParts = 500;
