import { account } from './accounts.ts';
import {
  type AnyFields,
  newestFirst,
  type ObjectSearch,
  type ReadRecord,
  user,
  type WrittenFields,
} from './object-table.ts';

/** The fields of an opportunity. An org may have more: see `AnyFields`. */
export const opportunity = {
  resource: 'opportunities',
  fields: {
    Name: 'text',
    StageName: 'text',
    /** YYYY-MM-DD. */
    CloseDate: 'date',
    AccountId: 'id',
    Amount: 'number',
    /** Percent. */
    Probability: 'number',
    Type: 'text',
    NextStep: 'text',
    LeadSource: 'text',
    RecordTypeId: 'id',
    Description: 'text',
    OwnerId: 'id',
  },
  readOnly: { IsClosed: 'boolean', IsWon: 'boolean' },
  parents: { Account: account, Owner: user },
} as const;

/** The fields that an opportunity is created with or changed to. */
export interface OpportunityFields extends WrittenFields<typeof opportunity>, AnyFields {}

/** A deal in the making. */
export interface Opportunity extends ReadRecord<typeof opportunity>, AnyFields {}

/** Opportunities that match everything given; `accountId` or `where` must be given. */
export interface OpportunitySearch {
  readonly accountId?: string | undefined;
  /** Only those that are closed, or only those that are not. @defaultValue both */
  readonly isClosed?: boolean | undefined;
}

/** The search of opportunities. */
export const opportunitySearch: ObjectSearch<OpportunitySearch> = {
  by: { accountId: 'AccountId', isClosed: 'IsClosed' },
  needs: ['accountId'],
  fields: ['Id', 'AccountId', 'StageName', 'IsClosed', 'OwnerId'],
  limit: 1,
  orderBy: [newestFirst],
};
