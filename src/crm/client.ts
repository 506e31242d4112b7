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
  CrmEvent,
  CrmEventFields,
  EventSearch,
  Lead,
  LeadFields,
  LeadSearch,
  NewLeadWithTask,
  Opportunity,
  OpportunityFields,
  OpportunitySearch,
  PersonSearch,
  SearchOptions,
  Task,
  TaskFields,
  TaskSearch,
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

/** How one record is read. */
export interface GetOptions extends RequestOptions {
  /** The fields to read, also of parents: `Owner.Name`. Each must exist in the org. @defaultValue all of the record's own */
  readonly fields?: readonly string[] | undefined;
}

/** The operations on the records of one object. */
export interface RecordClient<Fields, Record, By extends SearchOptions = SearchOptions> {
  /** The record with this id, `undefined` when there is none. */
  get(id: string, options?: GetOptions): Promise<Record | undefined>;
  /** The API gives the id of the new record and no more. The org's assignment rules may change its owner. */
  create(fields: Fields, call?: RequestOptions): Promise<CreatedRecord>;
  /** Needs at least one field; what is left out stays as it is, and `null` empties a field. */
  update(id: string, fields: Fields, call?: RequestOptions): Promise<{ readonly id: string }>;
  /** Throws a `ClientError` with status 404 when there is none with this id. */
  delete(id: string, call?: RequestOptions): Promise<void>;
  /** The records that match everything given, but of an e-mail, a phone and a name one is enough. */
  search(by: By, call?: RequestOptions): Promise<RecordList<Record>>;
  /**
   * The same without a limit, page after page; what `call` says holds for each page. Where the API has no pages, it
   * gives as many as one answer may hold.
   */
  searchAll(by: Omit<By, 'limit'>, call?: RequestOptions): AsyncIterable<Record>;
}

/** Reads and writes the records of one org. The interface document has three of these endpoints; the others are the real CRM's. */
export interface CrmClient extends ApiConnection {
  /** A search gives those that aren't converted first, then the most recently changed. */
  readonly leads: RecordClient<LeadFields, Lead, LeadSearch> & {
    /**
     * A lead and the Task about it in one request: both are made, or neither. `undefined` where the API has no such
     * request. The keys are those of the two records. Source: the composite resource of Salesforce.
     */
    readonly createWithTask?:
      | ((both: NewLeadWithTask, call?: RequestOptions) => Promise<CreatedLeadWithTask>)
      | undefined;
  };
  /** Activities, such as phone calls. A phone call's `logCall` writes one Task per call. */
  readonly tasks: RecordClient<TaskFields, Task, TaskSearch>;
  /** Appointments. A search gives the earliest first. */
  readonly events: RecordClient<CrmEventFields, CrmEvent, EventSearch>;
  /** A search gives those with this e-mail, phone or mobile phone, the most recently changed first. */
  readonly contacts: RecordClient<CrmContactFields, CrmContact, PersonSearch>;
  /** A search gives those with this name or phone, the most recently changed first. */
  readonly accounts: RecordClient<AccountFields, Account, AccountSearch>;
  /** A search gives those of an account, the most recently changed first. */
  readonly opportunities: RecordClient<OpportunityFields, Opportunity, OpportunitySearch>;
  /** A search gives the most recently changed first. */
  readonly cases: RecordClient<CaseFields, Case, CaseSearch>;
}
