import { type Entry, toOperation } from '../../api/entry.ts';
import type { HttpClient, RequestOptions } from '../../http/operation.ts';
import type { RecordList } from '../../core/schema.ts';

/**
 * Reads a list to its end, a page of 100 at a time. After 1,000 records it stops, and the list says that it goes on.
 * Source: developer.zendesk.com, Pagination, read 2026-11-27.
 */
export const readWholeList = async <T>(
  http: HttpClient,
  operation: string,
  { answer = (json) => json, returns, ...list }: Entry<string, undefined, RecordList<T>>,
  { ids = [], call }: { readonly ids?: readonly string[]; readonly call: RequestOptions },
): Promise<RecordList<T>> => {
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
      call,
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
