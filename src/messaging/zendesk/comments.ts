import { decodeEntities } from '../../core/html-entities.ts';
import { textToHtml } from '../../core/html.ts';
import { type Entry, entry, toOperation } from '../../api/entry.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { Reader } from '../../core/schema.ts';
import type { MessagingContext } from '../dialect.ts';
import type { Fields } from './answers.ts';

/**
 * The two kinds of comments. `public` is written here and nowhere else, and always: a comment without it takes over what
 * the ticket began with. A note has no author of its own: a comment in an end user's name can't be internal. Words go into
 * `html_body`: Zendesk reads Markdown in `body`, so that a link or a list that someone said would become one.
 * Source: developer.zendesk.com, Ticketing API, Ticket Comments, Bodies; read 2026-11-27.
 */
export const note = (body: string): object => ({ html_body: textToHtml(body), public: false });
export const reply = (body: string, authorId?: number): object => ({
  html_body: textToHtml(body),
  public: true,
  author_id: authorId,
});

/**
 * Reads a ticket with its comments as parts, the oldest first. After the newest 1,000 it stops, and `parts_total` says how
 * many there are.
 * Source: developer.zendesk.com, Ticket Comments, and Pagination; read 2026-11-27.
 */
export const withComments =
  <T extends object>(
    { http, shareDeadline }: Pick<MessagingContext, 'http' | 'shareDeadline'>,
    operation: string,
    { parts: name, ...get }: Entry<string, undefined, T | undefined> & { readonly parts: string },
  ) =>
  async (ticketId: string, call?: RequestOptions): Promise<T | undefined> => {
    const shared = shareDeadline(call);
    // A comment that's added meanwhile moves the others to the next page: by id, none is there twice.
    const comments = new Map<unknown, unknown>();
    let total = 0;
    for (let page = 1; page <= mostPages; page += 1) {
      const query = () => ({ sort_order: 'desc', per_page: 100, page: page === 1 ? undefined : page });
      const list = entry({ method: 'GET', path: commentsPath, query, absentOn404: true, returns: commentsIn });
      const part = await http.request(toOperation(operation, list, [ticketId]), shared);
      if (part === undefined) return undefined;
      for (const comment of part.comments) comments.set(Object(comment).id, comment);
      total = part.total;
      if (!part.goesOn) break;
    }
    const ticketWithParts = (answer: unknown): unknown => {
      const ticket: unknown = get.answer?.(answer);
      const requester: unknown = Object(ticket).requester_id;
      const parts = [...comments.values()].toReversed().map((comment) => toPart(comment, requester));
      return ticket && { ...ticket, [name]: { data: parts, total_count: total } };
    };
    return http.request(toOperation(operation, { ...get, answer: ticketWithParts }, [ticketId]), shared);
  };

const commentsPath = 'tickets/{id}/comments.json';
const mostPages = 10;

const commentsIn: Reader<
  { readonly comments: readonly unknown[]; readonly total: number; readonly goesOn: boolean } | undefined
> = (answer) => {
  if (answer === undefined) return undefined;
  const { comments, count, next_page } = Object(answer) as Fields;
  return { comments: Array.isArray(comments) ? comments : [], total: Number(count) || 0, goesOn: Boolean(next_page) };
};

/** A comment as a part of a conversation. It's internal unless Zendesk says that it's public. */
const toPart = (comment: unknown, requesterId: unknown): object => {
  const { id, body, plain_body, public: isPublic, author_id, created_at } = Object(comment) as Fields;
  return {
    id,
    message_type: isPublic === true ? 'comment' : 'note',
    body: typeof plain_body === 'string' && plain_body !== '' ? decodeEntities(plain_body) : body,
    created_at,
    author: { type: String(author_id) === String(requesterId) ? 'user' : 'admin', id: author_id },
  };
};

/** The comment that an update of a ticket has made. */
export const commentAnswer = (answer: unknown): unknown => {
  const { ticket, audit } = Object(answer) as { readonly ticket?: Fields; readonly audit?: Fields };
  const events = Array.isArray(audit?.['events']) ? (audit['events'] as readonly Fields[]) : [];
  const comment = events.find(({ type }) => type === 'Comment');
  return toPart({ created_at: audit?.['created_at'], ...comment }, ticket?.['requester_id']);
};
