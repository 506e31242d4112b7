import { UnexpectedResponseError } from '../errors.ts';
import type { Endpoint, RequestOptions } from '../http/operation.ts';
import { pacePages } from '../http/pace-pages.ts';
import { checkArgument, type Reader, type RecordList } from '../schema.ts';
import * as check from './fields.ts';
import type { Contact, ContactQuery } from './records.ts';
import type { Workspace } from './workspace.ts';

/** How a long list is read. */
export interface SearchAllOptions extends RequestOptions {
  /** Contacts per request. @defaultValue the platform's */
  readonly pageSize?: number | undefined;
}

/** Reads page after page, each only when it is asked for, and at most ten a second. */
export const contactPages = <Attributes extends object>(
  { http, dialect }: Workspace,
  contacts: Reader<RecordList<Contact<Attributes>>>,
): ((query: ContactQuery, options?: SearchAllOptions) => AsyncIterable<Contact<Attributes>>) => {
  const operation = 'messaging.contacts.searchAll';
  const page: Reader<{ readonly data: readonly Contact<Attributes>[]; readonly next: string | undefined }> = (
    json,
    context,
  ) => ({ data: contacts(json, context).data, next: dialect.nextPage(json) });

  return (query, { pageSize, ...call } = {}) => {
    const checked = check.checkContactQuery(operation, query);
    const size = checkArgument(operation, check.pageSize, pageSize, 'pageSize');

    return {
      [Symbol.asyncIterator]: async function* () {
        const read = pacePages((endpoint: Endpoint) =>
          http.request({ operation, ...endpoint, effect: 'read', returns: page }, call),
        );
        const seen = new Set<string>();
        for (let after: string | undefined; ; ) {
          const { data, next } = await read(dialect.searchContacts(checked, { size, after }));
          yield* data;
          if (next === undefined) return;
          // A list that leads back to where it was would never end.
          if (seen.has(next))
            throw new UnexpectedResponseError(`${operation}: the pages go in a circle`, { operation, status: 200 });
          seen.add(next);
          after = next;
        }
      },
    };
  };
};
