import type { Methods } from '../api/entry.ts';
import { ClientError } from '../core/errors.ts';
import type { HttpClient, RequestOptions } from '../http/operation.ts';
import type { AddressesOfContacts, MembersOfTeams, MessagingDialect } from './dialect.ts';
import type { MessagingEndpoints } from './endpoints.ts';

/** What the operations of one client share. */
export interface Workspace<Contacts extends object = object, Companies extends object = object> {
  readonly http: HttpClient;
  readonly dialect: MessagingDialect;
  readonly endpoints: MessagingEndpoints<Contacts, Companies>;
  /** One method for each of the endpoints. */
  readonly methods: Methods<MessagingEndpoints<Contacts, Companies>> & {
    readonly teams: Partial<MembersOfTeams>;
    readonly contacts: Partial<AddressesOfContacts>;
  };
  /** One budget for a method that sends several requests. */
  readonly shareDeadline: (call: RequestOptions | undefined) => RequestOptions;
}

/**
 * Does something to a contact or, when the platform says that it was merged into another one, to that one.
 * Repeating it there is safe: the first request was refused.
 */
export const followMerge = async <T>(
  { dialect, shareDeadline }: Pick<Workspace, 'dialect' | 'shareDeadline'>,
  contactId: string,
  call: RequestOptions | undefined,
  work: (contactId: string, call: RequestOptions) => Promise<T>,
): Promise<T> => {
  const shared = shareDeadline(call);
  try {
    return await work(contactId, shared);
  } catch (error) {
    const into = error instanceof ClientError ? dialect.mergedInto?.(error) : undefined;
    if (into === undefined || into === contactId) throw error;
    return work(into, shared);
  }
};
