import {
  type AnyFields,
  newestFirst,
  type ObjectSearch,
  type ReadRecord,
  user,
  type WrittenFields,
} from './object-table.ts';

/** The fields of an account. An org may have more: see `AnyFields`. */
export const account = {
  resource: 'accounts',
  fields: {
    Name: 'text',
    AccountNumber: 'text',
    Type: 'text',
    ParentId: 'id',
    /** E.164. */
    Phone: 'phone',
    Website: 'text',
    Industry: 'text',
    Rating: 'text',
    BillingStreet: 'text',
    BillingCity: 'text',
    BillingState: 'text',
    BillingPostalCode: 'text',
    BillingCountry: 'text',
    /** An integer, 0 or more. */
    NumberOfEmployees: 'count',
    AnnualRevenue: 'number',
    RecordTypeId: 'id',
    Description: 'text',
    OwnerId: 'id',
  },
  readOnly: {},
  parents: { Owner: user },
} as const;

/** The fields that an account is created with or changed to. */
export interface AccountFields extends WrittenFields<typeof account>, AnyFields {}

/** A company that the org does business with. */
export interface Account extends ReadRecord<typeof account>, AnyFields {}

/** Accounts whose name or phone matches; at least one of the two, or `where`, must be given. */
export interface AccountSearch {
  readonly name?: string | undefined;
  /** E.164. Matched as text. */
  readonly phone?: string | undefined;
}

/** The search of accounts. */
export const accountSearch: ObjectSearch<AccountSearch> = {
  by: { name: 'Name', phone: 'Phone' },
  needs: ['name', 'phone'],
  isAny: true,
  fields: ['Id', 'Name', 'OwnerId'],
  documented: ['Name'],
  limit: 1,
  orderBy: [newestFirst],
};
