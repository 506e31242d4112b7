import { id } from '../arguments.ts';
import { InvalidArgumentError } from '../errors.ts';
import { createHttpClient } from '../http/client.ts';
import type { ConnectionOptions, CustomRequest, HttpClientStatus, RequestOptions } from '../http/operation.ts';
import { sendAgain } from '../http/repeat.ts';
import { checkArgument, type Reader, type RecordList, readNothing, type ZodType } from '../schema.ts';
import { type CrmObject, documentedCrm as dialect, queries } from './dialect.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';
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
  SearchOptions,
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

/**
 * Makes a client of the CRM.
 * Throws `InvalidArgumentError` for options that cannot work; nothing is sent before the first call.
 *
 * @example
 * const crm = createCrmClient({ baseUrl, authenticate: bearer(() => secrets.read('crm')), version: '60.0' });
 */
export const createCrmClient = (options: CrmOptions): CrmClient => {
  if (typeof options.version !== 'string' || !/^\d{1,3}\.\d$/.test(options.version))
    throw new InvalidArgumentError('version', 'must be a version such as 60.0: it is always pinned');
  const http = createHttpClient({ ...options, api: 'crm', pathPrefix: dialect.pathPrefix(options.version) });

  const create =
    <Fields extends object>(
      operation: string,
      object: CrmObject,
      schema: ZodType<Fields>,
      /** How to find out whether the record is there when the API knows no idempotency keys. */
      lookUp?: (fields: Fields, call: RequestOptions) => Promise<CreatedRecord | undefined>,
    ) =>
    async (fields: Fields, call: RequestOptions = {}): Promise<CreatedRecord> => {
      const checked = checkArgument(operation, schema, fields);
      const { callId, lane } = call;
      return http.request(
        {
          operation,
          ...dialect.create(object, checked),
          withoutKeys: lookUp ? { lookUp: (time) => lookUp(checked, { callId, lane, ...time }) } : 'never',
          returns: read.created,
        },
        call,
      );
    };

  const update =
    <Fields extends object>(operation: string, object: CrmObject, schema: ZodType<Fields>) =>
    async (recordId: string, fields: Fields, call?: RequestOptions): Promise<void> => {
      const checkedId = checkArgument(operation, id, recordId, 'id');
      const checked = checkArgument(operation, schema, fields);
      return http.request(
        {
          operation,
          ...dialect.update(object, checkedId, checked),
          withoutKeys: sendAgain,
          returns: readNothing,
        },
        call,
      );
    };

  const search =
    <By extends SearchOptions, T>(
      operation: string,
      object: CrmObject,
      schema: ZodType<By>,
      query: (by: By) => string,
      returns: Reader<RecordList<T>>,
    ) =>
    async (by: By, call?: RequestOptions): Promise<RecordList<T>> => {
      const { limit = 1, ...checked } = checkArgument(operation, schema, by);
      const q = query(checked as By);
      return http.request({ operation, ...dialect.search(object, { q, limit }), effect: 'read', returns }, call);
    };

  const searchLeads = search('crm.leads.search', 'Lead', check.personSearch, queries.leads, read.leads);
  const searchContacts = search('crm.contacts.search', 'Contact', check.personSearch, queries.contacts, read.contacts);

  return {
    leads: {
      create: create('crm.leads.create', 'Lead', check.leadFields, firstOf(searchLeads)),
      search: searchLeads,
      update: update('crm.leads.update', 'Lead', check.leadFields),
    },
    tasks: {
      create: create('crm.tasks.create', 'Task', check.taskFields),
      update: update('crm.tasks.update', 'Task', check.taskFields),
    },
    contacts: {
      create: create('crm.contacts.create', 'Contact', check.contactFields, firstOf(searchContacts)),
      search: searchContacts,
    },
    accounts: {
      create: create('crm.accounts.create', 'Account', check.accountFields),
      search: search('crm.accounts.search', 'Account', check.accountSearch, queries.accounts, read.accounts),
    },
    opportunities: {
      create: create('crm.opportunities.create', 'Opportunity', check.opportunityFields),
      search: search(
        'crm.opportunities.search',
        'Opportunity',
        check.opportunitySearch,
        queries.opportunities,
        read.opportunities,
      ),
    },
    cases: {
      create: create('crm.cases.create', 'Case', check.caseFields),
      search: search('crm.cases.search', 'Case', check.caseSearch, queries.cases, read.cases),
    },
    request: (request, call) => http.custom(request, call),
    status: () => http.status(),
    close: () => http.close(),
    [Symbol.asyncDispose]: () => http.close(),
  };
};

/**
 * Whether a person's record is there already: the one with the same e-mail, or else the same phone. A record that was
 * there before counts too: one duplicate less. Without both the search refuses, and nothing is sent again.
 */
const firstOf =
  (search: (by: PersonSearch, call: RequestOptions) => Promise<RecordList<Lead | CrmContact>>) =>
  async ({ Email, Phone }: LeadFields | CrmContactFields, call: RequestOptions): Promise<CreatedRecord | undefined> => {
    const { data } = await search(Email === undefined ? { phone: Phone } : { email: Email }, call);
    const first = data.find(({ IsConverted }) => IsConverted !== true);
    return first && { id: first.Id };
  };
