import { type CrmObject, isStandard } from './objects.ts';
import { type Condition, type Group, type Order, type Query } from './query.ts';
import type {
  AccountSearch,
  AnyRecord,
  CaseSearch,
  EventSearch,
  LeadSearch,
  OpportunitySearch,
  PersonSearch,
  SearchOptions,
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

/** A search of an object; of one that isn't a standard one, by `where` alone. */
export type SearchOf<Object extends string> = (Object extends keyof Searches ? Searches[Object] : unknown) &
  SearchOptions<AnyRecord>;

/** How an object is searched. */
interface ObjectSearch<By> {
  /** What a found record has. The time shows the newest among several. */
  readonly fields: readonly string[];
  /** How many at most. */
  readonly limit: number;
  readonly orderBy: readonly Order[];
  readonly where: (by: By, matchPhone: MatchPhone) => Group;
}

/** The most recently changed row comes first, since only one row is asked for by default. */
const newestFirst: Order = { field: 'LastModifiedDate', direction: 'desc' };

/** How each standard object is searched. */
const searches: { readonly [Object in CrmObject]: ObjectSearch<Searches[Object]> } = {
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
      const same = [...equal({ Email: email }), ...withPhone('Lead', phone, matchPhone)];
      if (isConverted === undefined) return { any: same };
      return { all: [...(same.length > 0 ? [{ any: same }] : []), ...equal({ IsConverted: isConverted })] };
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

const anySearch: ObjectSearch<unknown> = {
  fields: ['Id'],
  limit: 200,
  orderBy: [newestFirst],
  where: () => ({ all: [] }),
};

/** How any object is searched. */
export const searchOf = (object: string): ObjectSearch<never> => (isStandard(object) ? searches[object] : anySearch);

/** The fields that a search of an object reads. */
export const searchedFields = (
  object: string,
  more: readonly string[] = [],
  hidden: ReadonlySet<string> = new Set(),
): readonly string[] => {
  const fields = new Set([...searchOf(object).fields, 'LastModifiedDate', ...more]);
  return [...fields].filter((field) => !hidden.has(field));
};

/** The columns that a search asks for: `documented` are those of the default API. The last two also have no order. */
export type Columns = 'all' | 'documented' | 'id';

/** The part of a search that the CRM takes. */
export interface SearchWay {
  readonly columns: Columns;
  readonly mostRows: number;
}

/** The people and companies of whom a CRM may know the documented columns alone. */
const documented: Readonly<Partial<Record<string, readonly string[]>>> = {
  Lead: ['Status', 'Email', 'Phone'],
  Contact: ['Email', 'Phone'],
  Account: ['Name'],
};

/** Returns whether a search works with fewer columns. One for converted leads doesn't: no such column shows them. */
export const isMinimalSearch = (object: string, by: object): boolean =>
  documented[object] !== undefined && !('isConverted' in by && by.isConverted === true);

/** What is asked in the search of an object. */
export const searchQuery = <Object extends string>(
  object: Object,
  by: SearchOf<Object>,
  matchPhone: MatchPhone,
  { columns = 'all', hidden = new Set() }: { readonly columns?: Columns; readonly hidden?: ReadonlySet<string> } = {},
): Query => {
  const { where, orderBy } = searchOf(object);
  const isWhole = columns === 'all';
  // What an object is searched by is what its search takes.
  const own = isWhole
    ? where(by as never, (...asked) => matchPhone(...asked).filter((one) => !('field' in one && hidden.has(one.field))))
    : where({ ...by, isConverted: undefined } as never, (...asked) => matchPhone(...asked).slice(0, 1));
  const isEmpty = ('any' in own ? own.any : own.all).length === 0;
  const conditions = [...(isEmpty ? [] : [own]), ...(by.where === undefined ? [] : [by.where])];
  return {
    select: isWhole
      ? searchedFields(object, by.fields, hidden)
      : [...new Set(['Id', ...((columns === 'documented' && documented[object]) || []), ...(by.fields ?? [])])],
    from: object,
    where: conditions.length === 1 ? conditions[0] : { all: conditions },
    orderBy: isWhole ? orderBy.filter(({ field }) => !hidden.has(field)) : undefined,
  };
};

const withPhone = (object: ObjectWithPhone, phone: string | undefined, matchPhone: MatchPhone): readonly Condition[] =>
  phone === undefined ? [] : matchPhone(object, phone);

/** One condition for each value that's there. */
const equal = (values: Readonly<Record<string, string | boolean | undefined>>): readonly Condition[] =>
  Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, operator: '=' as const, value }],
  );
