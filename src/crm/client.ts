import type { ApiConnection } from '../api/api-client.ts';
import type { ConnectionOptions, RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../schema.ts';
import type { CrmDialect } from './dialect.ts';
import type {
  Account,
  AccountFields,
  AccountSearch,
  Case,
  CaseFields,
  CaseSearch,
  CreatedLeadWithTask,
  CreatedRecord,
  CrmContact,
  CrmContactFields,
  Lead,
  LeadFields,
  LeadSearch,
  NewLeadWithTask,
  Opportunity,
  OpportunityFields,
  OpportunitySearch,
  PersonSearch,
  TaskFields,
} from './records.ts';

/** How to reach an org of the CRM. */
export interface CrmOptions extends ConnectionOptions {
  /** The pinned version of the API: `60.0` gives `/services/data/v60.0/`. */
  readonly version: string;
  /**
   * What a real CRM spells otherwise than the interface document. A preset such as `salesforce()` of
   * `voice-agent-integrations/crm/salesforce` brings one along. @defaultValue the interface document's
   */
  readonly dialect?: Partial<CrmDialect>;
}

/** Finds and creates records of one org. */
export interface CrmClient extends ApiConnection {
  readonly leads: {
    /** The org's assignment rules run when they are configured, so the owner may change. */
    create(fields: LeadFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Leads with this e-mail or phone: the ones that are not converted first, then the most recently changed. */
    search(by: LeadSearch, call?: RequestOptions): Promise<RecordList<Lead>>;
    /**
     * The same without a limit, page after page; what `call` says holds for each page. Where the API has no pages, it
     * gives as many as one answer may hold.
     */
    searchAll(by: Omit<LeadSearch, 'limit'>, call?: RequestOptions): AsyncIterable<Lead>;
    /**
     * A lead and the Task about it in one request: both are made, or neither. `undefined` where the API has no such
     * request. The keys are those of the two records. Source: the composite resource of Salesforce.
     */
    readonly createWithTask?:
      | ((both: NewLeadWithTask, call?: RequestOptions) => Promise<CreatedLeadWithTask>)
      | undefined;
    /** Path of the real CRM; the interface document names the capability only. */
    update(id: string, fields: LeadFields, call?: RequestOptions): Promise<{ readonly id: string }>;
  };
  readonly tasks: {
    /** Logs an activity, such as a phone call. A phone call's `logCall` writes one Task per call. */
    create(fields: TaskFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Path of the real CRM; the interface document names the capability only. */
    update(id: string, fields: TaskFields, call?: RequestOptions): Promise<{ readonly id: string }>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly contacts: {
    create(fields: CrmContactFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Contacts with this e-mail, phone or mobile phone, the most recently changed first. */
    search(by: PersonSearch, call?: RequestOptions): Promise<RecordList<CrmContact>>;
    /** The same without a limit, page after page. */
    searchAll(by: Omit<PersonSearch, 'limit'>, call?: RequestOptions): AsyncIterable<CrmContact>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly accounts: {
    create(fields: AccountFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Accounts with this name or phone, the most recently changed first. */
    search(by: AccountSearch, call?: RequestOptions): Promise<RecordList<Account>>;
    /** The same without a limit, page after page. */
    searchAll(by: Omit<AccountSearch, 'limit'>, call?: RequestOptions): AsyncIterable<Account>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly opportunities: {
    create(fields: OpportunityFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** The opportunities of an account, the most recently changed first. */
    search(by: OpportunitySearch, call?: RequestOptions): Promise<RecordList<Opportunity>>;
    /** The same without a limit, page after page. */
    searchAll(by: Omit<OpportunitySearch, 'limit'>, call?: RequestOptions): AsyncIterable<Opportunity>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly cases: {
    create(fields: CaseFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Cases that match everything given, the most recently changed first. */
    search(by: CaseSearch, call?: RequestOptions): Promise<RecordList<Case>>;
    /** The same without a limit, page after page. */
    searchAll(by: Omit<CaseSearch, 'limit'>, call?: RequestOptions): AsyncIterable<Case>;
  };
}
