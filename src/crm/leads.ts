import type { PersonSearch } from './contacts.ts';
import {
  type AnyFields,
  type CreatedRecord,
  newestFirst,
  type ObjectSearch,
  type ReadRecord,
  user,
  type WrittenFields,
} from './object-table.ts';
import type { TaskFields } from './tasks.ts';

/** The fields of a lead. An org may have more: see `AnyFields`. */
export const lead = {
  resource: 'leads',
  fields: {
    /** `Mr.`, `Dr.` and the like. */
    Salutation: 'text',
    /** Given name. */
    FirstName: 'text',
    /** Family name. */
    LastName: 'text',
    /** Company name. */
    Company: 'text',
    Email: 'email',
    /** E.164. */
    Phone: 'phone',
    /** E.164. */
    MobilePhone: 'phone',
    /** Role in the company. */
    Title: 'text',
    Website: 'text',
    Industry: 'text',
    Rating: 'text',
    Street: 'text',
    City: 'text',
    State: 'text',
    PostalCode: 'text',
    Country: 'text',
    /** Company size: an integer, 0 or more. */
    NumberOfEmployees: 'count',
    AnnualRevenue: 'number',
    /** Channel of origin. */
    LeadSource: 'text',
    /** Free text that the org's administrator defines. */
    Status: 'text',
    DoNotCall: 'boolean',
    HasOptedOutOfEmail: 'boolean',
    RecordTypeId: 'id',
    Use_Case__c: 'text',
    /** The prospect's timeline: YYYY-MM-DD. */
    Expected_Close__c: 'date',
    /** Qualification score. */
    Lead_Score__c: 'number',
    /** Summary and link to the transcript. */
    Description: 'text',
    /** Feedback of sales: why a rep rejected the lead. Usually only read. */
    Rejection_Reason__c: 'text',
    OwnerId: 'id',
  },
  readOnly: {
    /** Given and family name. */
    Name: 'text',
    /** It has become a contact; it must not be changed any more. */
    IsConverted: 'boolean',
    ConvertedDate: 'date',
    ConvertedContactId: 'id',
    ConvertedAccountId: 'id',
    ConvertedOpportunityId: 'id',
  },
  parents: { Owner: user },
} as const;

/** The fields that a lead is created with or changed to. The org decides which are required. */
export interface LeadFields extends WrittenFields<typeof lead>, AnyFields {}

/** A person or company that may buy. A search gives the usual fields, and those that it names. */
export interface Lead extends ReadRecord<typeof lead>, AnyFields {}

/** Leads whose e-mail or phone matches. */
export interface LeadSearch extends PersonSearch {
  /** Only those that have become contacts, or, with `false`, only those that are still open. @defaultValue both */
  readonly isConverted?: boolean | undefined;
}

/** The search of leads. */
export const leadSearch: ObjectSearch<LeadSearch> = {
  by: { email: 'Email', phone: 'Phone', isConverted: 'IsConverted' },
  needs: ['phone', 'email'],
  isAny: true,
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
  documented: ['Status', 'Email', 'Phone'],
  limit: 1,
  // With one row asked for, a converted lead must not hide an open one.
  orderBy: [{ field: 'IsConverted' }, newestFirst],
};

/**
 * The words of sales about a lead, for `Status`. Orgs may use other words.
 *
 * @example
 * await crm.leads.update(leadId, { Status: leadDispositions.nurture });
 */
export const leadDispositions: {
  readonly converted: 'converted';
  readonly nurture: 'nurture';
  readonly disqualified: 'disqualified';
} = { converted: 'converted', nurture: 'nurture', disqualified: 'disqualified' };

/** One of {@link leadDispositions}. */
export type LeadDisposition = keyof typeof leadDispositions;

/** A lead and the Task about it, which are made together. */
export interface NewLeadWithTask<Lead = LeadFields, ATask = TaskFields> {
  readonly lead: Lead;
  /** The Task without `WhoId`, which will be the lead's. */
  readonly task: ATask;
  /** The idempotency keys of the two. */
  readonly keys: { readonly lead: string; readonly task: string };
}

/** The ids of both. */
export interface CreatedLeadWithTask {
  readonly lead: CreatedRecord;
  readonly task: CreatedRecord;
}
