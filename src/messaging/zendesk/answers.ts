/** Zendesk's answers, under the names that the messaging client reads. */
import { type Entry, toOperation } from '../../api/entry.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { RecordList } from '../../core/schema.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { MessagingContext } from '../dialect.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A record within its envelope: `{ user: { … } }`. `undefined` where nothing was found. */
const within = (answer: unknown, name: string): Fields | undefined => {
  const record: unknown = Object(answer)[name];
  return typeof record === 'object' && record !== null ? (record as Fields) : undefined;
};

/** The record under a name. */
export const one =
  (name: string, read: (record: Fields) => object) =>
  (answer: unknown): unknown => {
    const record = within(answer, name);
    return record && read(record);
  };

/** The list under a name, and whether it goes on. */
export const several =
  (name: string, read: (record: Fields) => object) =>
  (answer: unknown): unknown => {
    const records: unknown = Object(answer)[name];
    if (!Array.isArray(records)) return answer;
    return { data: records.map((record: unknown) => read(Object(record) as Fields)), ...sizeOf(answer) };
  };

/** The count of a list, and whether it goes on. */
export const sizeOf = (answer: unknown): object => {
  const { count, meta, next_page } = Object(answer) as Fields;
  return { total: count, has_more: Object(meta).has_more === true || Boolean(next_page) };
};

/** Throws `InvalidArgumentError` for the first of these fields that is set, with what to do instead. */
export const refuseFields = (operation: string, fields: object, refused: Readonly<Record<string, string>>): void => {
  const [name, problem] = Object.entries(refused).find(([name]) => (fields as Fields)[name] !== undefined) ?? [];
  if (name !== undefined && problem !== undefined) throw new InvalidArgumentError(name, problem, { operation });
};

/** Tags are words without ids: the word is both. */
export const toTags = (tags: unknown): readonly object[] =>
  Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string').map((tag) => ({ id: tag, name: tag })) : [];

/**
 * Reads a list to its end, a page of 100 at a time. After 1,000 records it stops, and the list says that it goes on.
 * Source: developer.zendesk.com, Pagination, read 2026-11-27.
 */
export const readWholeList = async <T>(
  { http, shareDeadline }: Pick<MessagingContext, 'http' | 'shareDeadline'>,
  operation: string,
  { answer = (json) => json, returns, ...list }: Entry<string, undefined, RecordList<T>>,
  { ids = [], call }: { readonly ids?: readonly string[]; readonly call: RequestOptions | undefined },
): Promise<RecordList<T>> => {
  const shared = shareDeadline(call);
  const data: T[] = [];
  let after: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const cursor = after;
    const part = await http.request(
      toOperation(
        operation,
        {
          ...list,
          query: () => ({ 'page[size]': 100, 'page[after]': cursor }),
          returns: (json, context) => ({ records: returns(answer(json), context), after: cursorIn(json) }),
        },
        ids,
      ),
      shared,
    );
    data.push(...part.records.data);
    after = part.after;
    if (after === undefined) return { data, total: data.length };
  }
  return { data, total: data.length, hasMore: true };
};

const mostPages = 10;

/** The place where the next page begins; `undefined` on the last one. */
const cursorIn = (json: unknown): string | undefined => {
  const { has_more, after_cursor } = Object(Object(json).meta) as Readonly<Record<string, unknown>>;
  return has_more === true && typeof after_cursor === 'string' && after_cursor !== '' ? after_cursor : undefined;
};
