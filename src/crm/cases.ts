import { account } from './accounts.ts';
import { contact } from './contacts.ts';
import {
  type AnyFields,
  newestFirst,
  type ObjectSearch,
  type ReadRecord,
  user,
  type WrittenFields,
} from './object-table.ts';

/** The fields of a case. An org may have more: see `AnyFields`. */
export const supportCase = {
  resource: 'cases',
  fields: {
    Subject: 'text',
    Description: 'text',
    Status: 'text',
    Priority: 'text',
    /** Channel of origin, such as `Phone`. */
    Origin: 'text',
    Type: 'text',
    Reason: 'text',
    ContactId: 'id',
    AccountId: 'id',
    ParentId: 'id',
    SuppliedName: 'text',
    SuppliedEmail: 'email',
    /** E.164. */
    SuppliedPhone: 'phone',
    SuppliedCompany: 'text',
    RecordTypeId: 'id',
    OwnerId: 'id',
  },
  readOnly: {
    /** The number that people know. */
    CaseNumber: 'text',
    IsClosed: 'boolean',
    IsEscalated: 'boolean',
    ClosedDate: 'datetime',
  },
  parents: { Contact: contact, Account: account, Owner: user },
} as const;

/** The fields that a case is opened with or changed to. */
export interface CaseFields extends WrittenFields<typeof supportCase>, AnyFields {}

/** A support issue. */
export interface Case extends ReadRecord<typeof supportCase>, AnyFields {}

/** Cases that match everything given; one of `contactId`, `accountId`, `caseNumber` and `where` must be given. */
export interface CaseSearch {
  readonly contactId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly caseNumber?: string | undefined;
  /** Only those that are closed, or only those that are not. @defaultValue both */
  readonly isClosed?: boolean | undefined;
}

/** The search of cases. */
export const caseSearch: ObjectSearch<CaseSearch> = {
  by: { contactId: 'ContactId', accountId: 'AccountId', caseNumber: 'CaseNumber', isClosed: 'IsClosed' },
  needs: ['contactId', 'accountId', 'caseNumber'],
  fields: ['Id', 'CaseNumber', 'Subject', 'Status', 'IsClosed', 'OwnerId', 'ContactId'],
  limit: 1,
  orderBy: [newestFirst],
};
