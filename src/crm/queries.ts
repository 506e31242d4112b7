import { type Condition, type Group, writeQuery } from './query.ts';
import type { AccountSearch, CaseSearch, LeadSearch, OpportunitySearch, PersonSearch } from './records.ts';

/** The objects that have phone numbers. */
export type ObjectWithPhone = 'Lead' | 'Contact' | 'Account';

/** What makes a phone number that of a record. One of them is enough. */
export type MatchPhone = (object: ObjectWithPhone, phone: string) => readonly Condition[];

/** What each object is searched by. */
export interface Searches {
  readonly Lead: LeadSearch;
  readonly Contact: PersonSearch;
  readonly Account: AccountSearch;
  readonly Opportunity: OpportunitySearch;
  readonly Case: CaseSearch;
}

/** What is asked in a search of each object. */
export type Queries = { readonly [Name in keyof Searches]: (by: Searches[Name]) => string };

/** The fields that a found record has. The time shows the newest among several. */
export const searchFields = {
  Lead: [
    'Id',
    'Status',
    'Email',
    'Phone',
    'OwnerId',
    'IsConverted',
    'ConvertedContactId',
    'ConvertedAccountId',
    'ConvertedOpportunityId',
    'LastModifiedDate',
  ],
  Contact: ['Id', 'AccountId', 'Email', 'Phone', 'OwnerId', 'LastModifiedDate'],
  Account: ['Id', 'Name', 'OwnerId', 'LastModifiedDate'],
  Opportunity: ['Id', 'AccountId', 'StageName', 'IsClosed', 'OwnerId', 'LastModifiedDate'],
  Case: ['Id', 'CaseNumber', 'Subject', 'Status', 'IsClosed', 'OwnerId', 'LastModifiedDate'],
} as const;

const newestFirst = 'LastModifiedDate DESC';

/** The most recently changed row comes first, since only one row is asked for by default. */
export const createQueries = (matchPhone: MatchPhone): Queries => {
  const person = (object: ObjectWithPhone, phone: string | undefined, others: Parameters<typeof equal>[0]): Group => ({
    any: [...equal(others), ...(phone === undefined ? [] : matchPhone(object, phone))],
  });
  return {
    Lead: ({ email, phone, isConverted, fields }) => {
      const same = person('Lead', phone, { Email: email });
      const where = isConverted === undefined ? same : { all: [same, { field: 'IsConverted', value: isConverted }] };
      // With one row asked for, a converted lead must not hide an open one.
      return select('Lead', { where, fields, orderBy: ['IsConverted ASC', newestFirst] });
    },
    Contact: ({ email, phone, fields }) =>
      select('Contact', { where: person('Contact', phone, { Email: email }), fields }),
    Account: ({ name, phone, fields }) =>
      select('Account', { where: person('Account', phone, { Name: name }), fields }),
    Opportunity: ({ accountId, isClosed, fields }) =>
      select('Opportunity', { where: { all: equal({ AccountId: accountId, IsClosed: isClosed }) }, fields }),
    Case: ({ contactId, accountId, caseNumber, isClosed, fields }) => {
      const all = equal({ ContactId: contactId, AccountId: accountId, CaseNumber: caseNumber, IsClosed: isClosed });
      return select('Case', { where: { all }, fields });
    },
  };
};

const select = (
  from: keyof Searches,
  {
    where,
    fields = [],
    orderBy = [newestFirst],
  }: {
    readonly where: Group;
    readonly fields: readonly string[] | undefined;
    readonly orderBy?: readonly string[];
  },
): string => writeQuery({ select: [...searchFields[from], ...fields], from, where, orderBy });

/** One condition for each value that's there. */
const equal = (
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): readonly { readonly field: string; readonly value: string | number | boolean }[] =>
  Object.entries(values).flatMap(([field, value]) => (value === undefined ? [] : [{ field, value }]));
