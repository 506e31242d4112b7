/**
 * Any field of the org, standard or custom, such as `City` or `Region__c`: a text, a number, `true`, `false`, or `null` to
 * empty it. The CRM refuses those that it doesn't have.
 */
export interface AnyFields {
  readonly [field: string]: unknown;
}

/** What a lead is created with or changed to. Which fields the org requires is its own decision. */
export interface LeadFields extends AnyFields {
  /** Given name. */
  readonly FirstName?: string | null | undefined;
  /** Family name. */
  readonly LastName?: string | null | undefined;
  /** Company name. */
  readonly Company?: string | null | undefined;
  readonly Email?: string | null | undefined;
  /** E.164. */
  readonly Phone?: string | null | undefined;
  /** Role in the company. */
  readonly Title?: string | null | undefined;
  /** Company size: an integer, 0 or more. */
  readonly NumberOfEmployees?: number | null | undefined;
  /** Channel of origin. */
  readonly LeadSource?: string | null | undefined;
  /** Free text that the org's administrator defines. */
  readonly Status?: string | null | undefined;
  readonly Use_Case__c?: string | null | undefined;
  /** The prospect's timeline: YYYY-MM-DD. */
  readonly Expected_Close__c?: string | null | undefined;
  /** Qualification score. */
  readonly Lead_Score__c?: number | null | undefined;
  /** Summary and link to the transcript. */
  readonly Description?: string | null | undefined;
  /** Feedback of sales: why a rep rejected the lead. Usually only read. */
  readonly Rejection_Reason__c?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
}

/** A lead as a search finds it: its id, and of the fields below those that the server gives. */
export interface Lead {
  readonly Id: string;
  readonly Status?: string | null | undefined;
  readonly Email?: string | null | undefined;
  readonly Phone?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
  /** It has become a contact; it must not be changed any more. */
  readonly IsConverted?: boolean | null | undefined;
  readonly ConvertedContactId?: string | null | undefined;
  readonly ConvertedAccountId?: string | null | undefined;
  readonly ConvertedOpportunityId?: string | null | undefined;
  /** Feedback of sales: why a rep rejected the lead. Given when the search names it in `fields`. */
  readonly Rejection_Reason__c?: string | null | undefined;
  readonly [field: string]: unknown;
}

/**
 * What sales says about a lead afterwards, as words for `Status`. Orgs may use other words.
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

/** The log of one phone call. */
export interface TaskFields extends AnyFields {
  /** Title. */
  readonly Subject?: string | null | undefined;
  readonly Status?: string | null | undefined;
  /** The day of the call: YYYY-MM-DD. */
  readonly ActivityDate?: string | null | undefined;
  /** Transcript and summary. */
  readonly Description?: string | null | undefined;
  /** The lead or contact that it relates to. */
  readonly WhoId?: string | null | undefined;
  /** The opportunity, or another record, that it relates to. */
  readonly WhatId?: string | null | undefined;
  /** Direction of the call, such as `Inbound`. */
  readonly CallType?: string | null | undefined;
  /** Whole seconds, 0 or more. */
  readonly CallDurationInSeconds?: number | null | undefined;
  /** `Call` makes it a logged call in the org's activity reports. */
  readonly TaskSubtype?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
}

/** A person whom the org already does business with. */
export interface CrmContactFields extends AnyFields {
  readonly FirstName?: string | null | undefined;
  readonly LastName?: string | null | undefined;
  readonly AccountId?: string | null | undefined;
  readonly Email?: string | null | undefined;
  /** E.164. */
  readonly Phone?: string | null | undefined;
  /** E.164. */
  readonly MobilePhone?: string | null | undefined;
  readonly Title?: string | null | undefined;
  readonly LeadSource?: string | null | undefined;
  readonly Description?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
}

/** A contact as a search finds it: its id, and of the fields below those that the server gives. */
export interface CrmContact {
  readonly Id: string;
  readonly AccountId?: string | null | undefined;
  readonly Email?: string | null | undefined;
  readonly Phone?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A company that the org does business with. */
export interface AccountFields extends AnyFields {
  readonly Name?: string | null | undefined;
  /** E.164. */
  readonly Phone?: string | null | undefined;
  readonly Website?: string | null | undefined;
  readonly Industry?: string | null | undefined;
  /** An integer, 0 or more. */
  readonly NumberOfEmployees?: number | null | undefined;
  readonly Description?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
}

/** An account as a search finds it: its id, and of the fields below those that the server gives. */
export interface Account {
  readonly Id: string;
  readonly Name?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A deal in the making. */
export interface OpportunityFields extends AnyFields {
  readonly Name?: string | null | undefined;
  readonly StageName?: string | null | undefined;
  /** YYYY-MM-DD. */
  readonly CloseDate?: string | null | undefined;
  readonly AccountId?: string | null | undefined;
  readonly Amount?: number | null | undefined;
  readonly Type?: string | null | undefined;
  readonly NextStep?: string | null | undefined;
  readonly LeadSource?: string | null | undefined;
  readonly Description?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
}

/** An opportunity as a search finds it: its id, and of the fields below those that the server gives. */
export interface Opportunity {
  readonly Id: string;
  readonly AccountId?: string | null | undefined;
  readonly StageName?: string | null | undefined;
  readonly IsClosed?: boolean | null | undefined;
  readonly OwnerId?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A support issue. */
export interface CaseFields extends AnyFields {
  readonly Subject?: string | null | undefined;
  readonly Description?: string | null | undefined;
  readonly Status?: string | null | undefined;
  readonly Priority?: string | null | undefined;
  /** Channel of origin, such as `Phone`. */
  readonly Origin?: string | null | undefined;
  readonly Type?: string | null | undefined;
  readonly ContactId?: string | null | undefined;
  readonly AccountId?: string | null | undefined;
  readonly SuppliedName?: string | null | undefined;
  readonly SuppliedEmail?: string | null | undefined;
  /** E.164. */
  readonly SuppliedPhone?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
}

/** A case as a search finds it: its id, and of the fields below those that the server gives. */
export interface Case {
  readonly Id: string;
  readonly CaseNumber?: string | null | undefined;
  readonly Subject?: string | null | undefined;
  readonly Status?: string | null | undefined;
  readonly IsClosed?: boolean | null | undefined;
  readonly OwnerId?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A record that was created. The API promises its id and nothing else. */
export interface CreatedRecord {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** A lead and the Task about it, which are made together. */
export interface NewLeadWithTask {
  readonly lead: LeadFields;
  /** Without `WhoId`, which will be the lead's. */
  readonly task: TaskFields;
  /** The idempotency keys of the two. */
  readonly keys: { readonly lead: string; readonly task: string };
}

/** What both are known by from now on. */
export interface CreatedLeadWithTask {
  readonly lead: CreatedRecord;
  readonly task: CreatedRecord;
}

/** What a search gives. */
export interface SearchOptions {
  /** How many rows at most; up to 200. @defaultValue 1, enough for a duplicate check */
  readonly limit?: number | undefined;
  /** Fields to read in addition to the usual ones, such as `Rejection_Reason__c`. Each must exist in the org. */
  readonly fields?: readonly string[] | undefined;
}

/** Rows whose e-mail or phone matches; at least one of the two must be given. */
export interface PersonSearch extends SearchOptions {
  readonly email?: string | undefined;
  /** E.164. Matched as text: a number that is stored in another format is not found. */
  readonly phone?: string | undefined;
}

/** Leads whose e-mail or phone matches. */
export interface LeadSearch extends PersonSearch {
  /** Only those that have become contacts, or, with `false`, only those that are still open. @defaultValue both */
  readonly isConverted?: boolean | undefined;
}

/** Accounts whose name or phone matches; at least one of the two must be given. */
export interface AccountSearch extends SearchOptions {
  readonly name?: string | undefined;
  /** E.164. Matched as text. */
  readonly phone?: string | undefined;
}

/** Opportunities of an account. */
export interface OpportunitySearch extends SearchOptions {
  readonly accountId: string;
  /** Only those that are closed, or only those that are not. @defaultValue both */
  readonly isClosed?: boolean | undefined;
}

/** Cases that match everything given; one of `contactId`, `accountId` and `caseNumber` must be given. */
export interface CaseSearch extends SearchOptions {
  readonly contactId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly caseNumber?: string | undefined;
  /** Only those that are closed, or only those that are not. @defaultValue both */
  readonly isClosed?: boolean | undefined;
}
