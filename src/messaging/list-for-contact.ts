import type { Entry } from '../api/entry.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../schema.ts';
import { readPageOf } from './search-pages.ts';
import { contactIs, type Search } from './search-query.ts';
import type { Workspace } from './workspace.ts';

/** A record that may show whose it is. */
interface OfContacts {
  readonly contacts?: readonly { readonly id: string }[] | undefined;
}

/**
 * Reads a contact's records. No order is promised by every platform, so that the newest can be on the last page. A search may
 * ignore its condition: a record that shows other contacts alone isn't this one's.
 */
export const listForContact =
  <T extends OfContacts>(
    workspace: Pick<Workspace, 'http' | 'dialect' | 'shareDeadline'>,
    operation: string,
    search: Entry<string, Search, RecordList<T>>,
  ): ((contactId: string, call?: RequestOptions) => Promise<RecordList<T>>) =>
  async (contactId, call) => {
    const query = contactIs(operation, contactId);
    const shared = workspace.shareDeadline(call);
    const readPage = readPageOf(workspace, operation, search);
    const data: T[] = [];
    let total = 0;
    let foreign = 0;
    let after: string | undefined;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page = await readPage({ query, pageSize, after }, shared);
      const theirs = page.data.filter(
        (one) => !one.contacts?.length || one.contacts.some(({ id }) => id === contactId),
      );
      data.push(...theirs);
      foreign += page.data.length - theirs.length;
      total = page.total;
      if (page.next === undefined || page.next === after) break;
      after = page.next;
    }
    return { data, total: Math.max(total - foreign, data.length) };
  };

/** Both Intercom and Zendesk take it. */
const pageSize = 100;
const mostPages = 5;
