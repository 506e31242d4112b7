import type { CrmObject } from './objects.ts';
import { type Condition, type Order, writeQuery } from './query.ts';
import type {
  AccountSearch,
  CaseSearch,
  EventSearch,
  LeadSearch,
  OpportunitySearch,
  PersonSearch,
  TaskSearch,
} from './records.ts';

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
  readonly Task: TaskSearch;
  readonly Event: EventSearch;
}

/** The most recently changed row comes first, since only one row is asked for by default. */
const newestFirst: Order = { field: 'LastModifiedDate', direction: 'desc' };

/** How each object is searched: the fields that a found record has, how many at most, in which order, and by what. */
export const searches: {
  readonly [Object in CrmObject]: {
    readonly fields: readonly string[];
    readonly limit: number;
    readonly orderBy: readonly Order[];
    readonly where: (by: Searches[Object], matchPhone: MatchPhone) => Condition;
  };
} = {
  Lead: {
    fields: [
      'Id',
      'Status',
      'Email',
      'Phone',
      'OwnerId',
      'IsConverted',
      'ConvertedContactId',
      'ConvertedAccountId',
      'ConvertedOpportunityId',
    ],
    limit: 1,
    // With one row asked for, a converted lead must not hide an open one.
    orderBy: [{ field: 'IsConverted' }, newestFirst],
    where: ({ email, phone, isConverted }, matchPhone) => {
      const same = { any: [...equal({ Email: email }), ...withPhone('Lead', phone, matchPhone)] };
      return isConverted === undefined ? same : { all: [same, ...equal({ IsConverted: isConverted })] };
    },
  },
  Contact: {
    fields: ['Id', 'AccountId', 'Email', 'Phone', 'OwnerId'],
    limit: 1,
    orderBy: [newestFirst],
    where: ({ email, phone }, matchPhone) => ({
      any: [...equal({ Email: email }), ...withPhone('Contact', phone, matchPhone)],
    }),
  },
  Account: {
    fields: ['Id', 'Name', 'OwnerId'],
    limit: 1,
    orderBy: [newestFirst],
    where: ({ name, phone }, matchPhone) => ({
      any: [...equal({ Name: name }), ...withPhone('Account', phone, matchPhone)],
    }),
  },
  Opportunity: {
    fields: ['Id', 'AccountId', 'StageName', 'IsClosed', 'OwnerId'],
    limit: 1,
    orderBy: [newestFirst],
    where: ({ accountId, isClosed }) => ({ all: equal({ AccountId: accountId, IsClosed: isClosed }) }),
  },
  Case: {
    fields: ['Id', 'CaseNumber', 'Subject', 'Status', 'IsClosed', 'OwnerId'],
    limit: 1,
    orderBy: [newestFirst],
    where: ({ contactId, accountId, caseNumber, isClosed }) => ({
      all: equal({ ContactId: contactId, AccountId: accountId, CaseNumber: caseNumber, IsClosed: isClosed }),
    }),
  },
  Task: {
    fields: ['Id', 'Subject', 'Status', 'ActivityDate', 'WhoId', 'WhatId', 'IsClosed', 'OwnerId'],
    limit: 200,
    orderBy: [newestFirst],
    where: ({ whoId, whatId, ownerId, isClosed }) => ({
      all: equal({ WhoId: whoId, WhatId: whatId, OwnerId: ownerId, IsClosed: isClosed }),
    }),
  },
  Event: {
    fields: ['Id', 'Subject', 'StartDateTime', 'EndDateTime', 'IsAllDayEvent', 'ShowAs', 'WhoId', 'WhatId', 'OwnerId'],
    limit: 200,
    orderBy: [{ field: 'StartDateTime' }],
    where: ({ ownerId, whoId, whatId, from, to }) => ({
      all: [
        ...equal({ OwnerId: ownerId, WhoId: whoId, WhatId: whatId }),
        ...(to === undefined ? [] : [{ field: 'StartDateTime', operator: '<', value: to } as const]),
        ...(from === undefined ? [] : [{ field: 'EndDateTime', operator: '>', value: from } as const]),
      ],
    }),
  },
};

/** What is asked in the search of an object. The time shows the newest among several. */
export const writeSearch = <Object extends CrmObject>(
  object: Object,
  by: Searches[Object],
  matchPhone: MatchPhone,
): string => {
  const { fields, where, orderBy } = searches[object];
  const select = [...fields, 'LastModifiedDate', ...(by.fields ?? [])];
  return writeQuery({ select, from: object, where: where(by, matchPhone), orderBy });
};

const withPhone = (object: ObjectWithPhone, phone: string | undefined, matchPhone: MatchPhone): readonly Condition[] =>
  phone === undefined ? [] : matchPhone(object, phone);

/** One condition for each value that's there. */
const equal = (values: Readonly<Record<string, string | boolean | undefined>>): readonly Condition[] =>
  Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, operator: '=' as const, value }],
  );
