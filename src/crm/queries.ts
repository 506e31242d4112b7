import { type Condition, type Group, writeQuery } from './query.ts';
import type { AccountSearch, CaseSearch, LeadSearch, OpportunitySearch, PersonSearch } from './records.ts';

/** The objects that have phone numbers. */
export type ObjectWithPhone = 'Lead' | 'Contact' | 'Account';

/** What makes a phone number that of a record. One of them is enough. */
export type MatchPhone = (object: ObjectWithPhone, phone: string) => readonly Condition[];

/** What is asked in a search, for an API that matches phone numbers in its own way. */
export type Queries = ReturnType<typeof createQueries>;

/** The fields that a found record is given with. The time tells the newest among several. */
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

const newestFirst = ['LastModifiedDate DESC'];

/** The most recently changed row comes first, since only one row is asked for by default. */
export const createQueries = (matchPhone: MatchPhone) => {
  const phoneIs = (object: ObjectWithPhone, phone: string | undefined) =>
    phone === undefined ? [] : matchPhone(object, phone);
  return {
    leads: ({ email, phone, isConverted, fields = [] }: LeadSearch): string => {
      const person: Group = { any: [...given({ Email: email }), ...phoneIs('Lead', phone)] };
      return writeQuery({
        select: [...searchFields.Lead, ...fields],
        from: 'Lead',
        where: isConverted === undefined ? person : { all: [person, { field: 'IsConverted', value: isConverted }] },
        // With one row asked for, a converted lead must not hide an open one.
        orderBy: ['IsConverted ASC', ...newestFirst],
      });
    },
    contacts: ({ email, phone, fields = [] }: PersonSearch): string =>
      writeQuery({
        select: [...searchFields.Contact, ...fields],
        from: 'Contact',
        where: { any: [...given({ Email: email }), ...phoneIs('Contact', phone)] },
        orderBy: newestFirst,
      }),
    accounts: ({ name, phone, fields = [] }: AccountSearch): string =>
      writeQuery({
        select: [...searchFields.Account, ...fields],
        from: 'Account',
        where: { any: [...given({ Name: name }), ...phoneIs('Account', phone)] },
        orderBy: newestFirst,
      }),
    opportunities: ({ accountId, isClosed, fields = [] }: OpportunitySearch): string =>
      writeQuery({
        select: [...searchFields.Opportunity, ...fields],
        from: 'Opportunity',
        where: { all: given({ AccountId: accountId, IsClosed: isClosed }) },
        orderBy: newestFirst,
      }),
    cases: ({ contactId, accountId, caseNumber, isClosed, fields = [] }: CaseSearch): string =>
      writeQuery({
        select: [...searchFields.Case, ...fields],
        from: 'Case',
        where: {
          all: given({ ContactId: contactId, AccountId: accountId, CaseNumber: caseNumber, IsClosed: isClosed }),
        },
        orderBy: newestFirst,
      }),
  };
};

const given = (
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): readonly { readonly field: string; readonly value: string | number | boolean }[] =>
  Object.entries(values).flatMap(([field, value]) => (value === undefined ? [] : [{ field, value }]));
