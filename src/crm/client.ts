import type { ConnectionOptions, CustomRequest, HttpClientStatus, RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../schema.ts';
import type {
  Account,
  AccountFields,
  AccountSearch,
  Case,
  CaseFields,
  CaseSearch,
  CreatedRecord,
  CrmContact,
  CrmContactFields,
  Lead,
  LeadFields,
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
}

/** Finds and creates records of one org. */
export interface CrmClient extends AsyncDisposable {
  readonly leads: {
    /** The org's assignment rules run when they are configured, so the owner may change. */
    create(fields: LeadFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Leads with this e-mail or phone: the ones that are not converted first, then the most recently changed. */
    search(by: PersonSearch, call?: RequestOptions): Promise<RecordList<Lead>>;
    /** Path of the real CRM; the interface document names the capability only. */
    update(id: string, fields: LeadFields, call?: RequestOptions): Promise<void>;
  };
  readonly tasks: {
    create(fields: TaskFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Path of the real CRM; the interface document names the capability only. */
    update(id: string, fields: TaskFields, call?: RequestOptions): Promise<void>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly contacts: {
    create(fields: CrmContactFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Contacts with this e-mail, phone or mobile phone, the most recently changed first. */
    search(by: PersonSearch, call?: RequestOptions): Promise<RecordList<CrmContact>>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly accounts: {
    create(fields: AccountFields, call?: RequestOptions): Promise<CreatedRecord>;
    search(by: AccountSearch, call?: RequestOptions): Promise<RecordList<Account>>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly opportunities: {
    create(fields: OpportunityFields, call?: RequestOptions): Promise<CreatedRecord>;
    search(by: OpportunitySearch, call?: RequestOptions): Promise<RecordList<Opportunity>>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly cases: {
    create(fields: CaseFields, call?: RequestOptions): Promise<CreatedRecord>;
    search(by: CaseSearch, call?: RequestOptions): Promise<RecordList<Case>>;
  };
  /** An endpoint that this client lacks. For developers; never a tool of a model. */
  request<T>(request: CustomRequest<T>, call?: RequestOptions): Promise<T>;
  /** What stands right now between the caller and this API. */
  status(): HttpClientStatus;
  /** Refuses what still waits and frees what was held. */
  close(): Promise<void>;
}
