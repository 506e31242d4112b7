import { isClientError } from '../errors.ts';
import type { HttpClient, RequestOptions } from '../http/operation.ts';
import type { MessagingDialect } from './dialect.ts';

/** What the operations of one client share. */
export interface Workspace {
  readonly http: HttpClient;
  readonly dialect: MessagingDialect;
  /** One budget for a method that sends several requests. */
  readonly shareDeadline: (call: RequestOptions | undefined) => RequestOptions;
}

/**
 * Does something to a contact or, when the platform says that it was merged into another one, to that one.
 * Repeating it there is safe: the first request was refused.
 */
export const followMerge = async <T>(
  { dialect, shareDeadline }: Workspace,
  contactId: string,
  call: RequestOptions | undefined,
  work: (contactId: string, call: RequestOptions) => Promise<T>,
): Promise<T> => {
  const shared = shareDeadline(call);
  try {
    return await work(contactId, shared);
  } catch (error) {
    const into = isClientError(error) ? dialect.mergedInto(error) : undefined;
    if (into === undefined || into === contactId) throw error;
    return work(into, shared);
  }
};
