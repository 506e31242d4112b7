import type { Entry } from '../api/entry.ts';
import type { RequestOptions } from '../http/operation.ts';
import { readPages } from '../http/read-pages.ts';
import type { RecordList } from '../schema.ts';
import { readPageOf } from './search-pages.ts';
import { contactIs, type Search } from './search-query.ts';
import type { Workspace } from './workspace.ts';

/** Reads a contact's records. No order is promised by every platform, so that the newest can be on the last page. */
export const listForContact =
  <T>(
    workspace: Pick<Workspace, 'http' | 'dialect' | 'shareDeadline'>,
    operation: string,
    search: Entry<string, Search, RecordList<T>>,
  ): ((contactId: string, call?: RequestOptions) => Promise<RecordList<T>>) =>
  async (contactId, call) => {
    const query = contactIs(operation, contactId);
    const shared = workspace.shareDeadline(call);
    const readPage = readPageOf(workspace, operation, search);
    const readAfter = (after: string | undefined) => readPage({ query, pageSize, after }, shared);
    const data: T[] = [];
    let total = 0;
    for await (const page of readPages(operation, readAfter)) {
      data.push(...page.data);
      total = page.total;
      if (data.length >= mostRecords) break;
    }
    return { data, total: Math.max(total, data.length) };
  };

/** Both Intercom and Zendesk take it. */
const pageSize = 100;
const mostRecords = 500;
