import type { Entry } from '../api/entry.ts';
import { ClientError } from '../core/errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../core/schema.ts';
import { readPageOf } from './search-pages.ts';
import { contactIs, type Search } from './search-query.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** A record that may show whose it is. */
interface OfContacts {
  readonly contacts?: readonly { readonly id: string }[] | undefined;
}

type OwnWorkspace = Pick<Workspace, 'http' | 'dialect' | 'methods' | 'shareDeadline'>;

/**
 * Reads a contact's records. No order is promised by every platform, so that the newest can be on the last page. A search may
 * ignore its condition: a record that shows other contacts alone isn't this one's. Where there is none, the contact may have
 * been merged: its records are then those of the one that's left.
 */
export const listForContact =
  <T extends OfContacts>(
    workspace: OwnWorkspace,
    operation: string,
    search: Entry<string, Search, RecordList<T>>,
  ): ((contactId: string, call?: RequestOptions) => Promise<RecordList<T>>) =>
  async (given, call) => {
    const shared = workspace.shareDeadline(call);
    const readPage = readPageOf(workspace, operation, search);
    const listOf = async (contactId: string): Promise<RecordList<T>> => {
      const query = contactIs(operation, contactId);
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
    const list = await listOf(given);
    if (list.data.length > 0 || workspace.dialect.mergedInto === undefined) return list;
    const remaining = await remainingId(workspace, given, shared);
    return remaining === given ? list : listOf(remaining);
  };

/** The id of the contact that this one was merged into, or its own. */
const remainingId = async (workspace: OwnWorkspace, contactId: string, call: RequestOptions): Promise<string> => {
  try {
    const contact = await followMerge(workspace, contactId, call, workspace.methods.contacts.get);
    return contact?.id ?? contactId;
  } catch (error) {
    // It was archived, or may not be read.
    if (error instanceof ClientError) return contactId;
    throw error;
  }
};

/** Both Intercom and Zendesk take it. */
const pageSize = 100;
const mostPages = 5;
