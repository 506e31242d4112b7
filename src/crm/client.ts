import { id } from '../arguments.ts';
import { InvalidArgumentError } from '../errors.ts';
import { createHttpClient } from '../http/client.ts';
import type {
  ConnectionOptions,
  CustomRequest,
  Endpoint,
  HttpClientStatus,
  RequestOptions,
  WarmUp,
  WarmUpOptions,
} from '../http/operation.ts';
import { sendAgain } from '../http/repeat.ts';
import {
  checkArgument,
  type LazySchema,
  prepareReaders,
  type Reader,
  readList,
  type RecordList,
  readNothing,
} from '../schema.ts';
import {
  type Asked,
  type CrmDialect,
  type CrmObject,
  documentedCrm,
  type LeadWithTask,
  type SearchEndpoint,
} from './dialect.ts';
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
  LeadSearch,
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
  /**
   * What a real CRM spells otherwise than the interface document. A preset such as `salesforce()` of
   * `voice-agent-integrations/crm/salesforce` brings one along. @defaultValue the interface document's
   */
  readonly dialect?: Partial<CrmDialect>;
}

/** Finds and creates records of one org. */
export interface CrmClient extends AsyncDisposable {
  readonly leads: {
    /** The org's assignment rules run when they are configured, so the owner may change. */
    create(fields: LeadFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Leads with this e-mail or phone: the ones that are not converted first, then the most recently changed. */
    search(by: LeadSearch, call?: RequestOptions): Promise<RecordList<Lead>>;
    /** The same without a limit, page after page; what `call` says holds for each page. */
    searchAll(by: Unlimited<LeadSearch>, call?: RequestOptions): AsyncIterable<Lead>;
    /**
     * A lead and the Task about it in one request: both are made, or neither. `undefined` where the API has no such
     * request. The keys are those of the two records. Source: the composite resource of Salesforce.
     */
    createWithTask?(both: NewLeadWithTask, call?: RequestOptions): Promise<CreatedLeadWithTask>;
    /** Path of the real CRM; the interface document names the capability only. */
    update(id: string, fields: LeadFields, call?: RequestOptions): Promise<void>;
  };
  readonly tasks: {
    /** Logs an activity, such as a phone call. A step of `voice-agent-integrations/calls` writes one Task per call. */
    create(fields: TaskFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Path of the real CRM; the interface document names the capability only. */
    update(id: string, fields: TaskFields, call?: RequestOptions): Promise<void>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly contacts: {
    create(fields: CrmContactFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Contacts with this e-mail, phone or mobile phone, the most recently changed first. */
    search(by: PersonSearch, call?: RequestOptions): Promise<RecordList<CrmContact>>;
    /** The same without a limit, page after page. */
    searchAll(by: Unlimited<PersonSearch>, call?: RequestOptions): AsyncIterable<CrmContact>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly accounts: {
    create(fields: AccountFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Accounts with this name or phone, the most recently changed first. */
    search(by: AccountSearch, call?: RequestOptions): Promise<RecordList<Account>>;
    /** The same without a limit, page after page. */
    searchAll(by: Unlimited<AccountSearch>, call?: RequestOptions): AsyncIterable<Account>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly opportunities: {
    create(fields: OpportunityFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** The opportunities of an account, the most recently changed first. */
    search(by: OpportunitySearch, call?: RequestOptions): Promise<RecordList<Opportunity>>;
    /** The same without a limit, page after page. */
    searchAll(by: Unlimited<OpportunitySearch>, call?: RequestOptions): AsyncIterable<Opportunity>;
  };
  /** Paths in the style of the lead's; the interface document names the objects only. */
  readonly cases: {
    create(fields: CaseFields, call?: RequestOptions): Promise<CreatedRecord>;
    /** Cases that match everything given, the most recently changed first. */
    search(by: CaseSearch, call?: RequestOptions): Promise<RecordList<Case>>;
    /** The same without a limit, page after page. */
    searchAll(by: Unlimited<CaseSearch>, call?: RequestOptions): AsyncIterable<Case>;
  };
  /** An endpoint that this client lacks. For developers; never a tool of a model. */
  request<T>(request: CustomRequest<T>, call?: RequestOptions): Promise<T>;
  /**
   * Opens a connection and fetches the credential, so that the first request does not wait for them. Call it when the
   * phone rings. Never rejects.
   */
  warmUp(options?: WarmUpOptions): Promise<WarmUp>;
  /** What stands right now between the caller and this API. */
  status(): HttpClientStatus;
  /** Refuses what still waits and frees what was held. */
  close(): Promise<void>;
}

/** A search that is not cut. Where the API has no pages, it gives as many rows as one answer may hold. */
export type Unlimited<By extends SearchOptions> = Omit<By, 'limit'>;

export interface NewLeadWithTask {
  readonly lead: LeadFields;
  /** Without `WhoId`, which will be the lead's. */
  readonly task: TaskFields;
  readonly keys: { readonly lead: string; readonly task: string };
}

export interface CreatedLeadWithTask {
  readonly lead: CreatedRecord;
  readonly task: CreatedRecord;
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
  const dialect: CrmDialect = options.dialect ? { ...documentedCrm, ...options.dialect } : documentedCrm;
  const { version } = options;
  const http = createHttpClient({
    ...options,
    dialect: dialect.http,
    api: 'crm',
    pathPrefix: dialect.pathPrefix(version),
  });

  const create =
    <Fields extends object>(
      operation: string,
      object: CrmObject,
      schema: LazySchema<Fields>,
      /** How to find out whether the record is there when the API knows no idempotency keys. */
      lookUp?: (fields: Fields, call: RequestOptions) => Promise<CreatedRecord | undefined>,
    ) =>
    async (fields: Fields, call: RequestOptions = {}): Promise<CreatedRecord> => {
      const checked = checkArgument(operation, schema, fields);
      const { callId, lane, idempotencyKey } = call;
      return http.request(
        {
          operation,
          withoutKeys: lookUp ? { lookUp: (time) => lookUp(checked, { callId, lane, ...time }) } : 'never',
          ...dialect.create(object, checked, idempotencyKey),
          returns: read.created,
        },
        call,
      );
    };

  const update =
    <Fields extends object>(operation: string, object: CrmObject, schema: LazySchema<Fields>) =>
    async (recordId: string, fields: Fields, call?: RequestOptions): Promise<void> => {
      const checkedId = checkArgument(operation, id, recordId, 'id');
      const checked = checkArgument(operation, schema, fields);
      return http.request(
        {
          operation,
          withoutKeys: sendAgain,
          ...dialect.update(object, checkedId, checked),
          returns: readNothing,
        },
        call,
      );
    };

  const search = <By extends SearchOptions, T extends { readonly Id: string }>(
    operation: string,
    schema: LazySchema<By>,
    toEndpoint: (by: Asked<By>) => SearchEndpoint,
    row: Reader<T>,
  ) => {
    const rows = readList(row, { under: dialect.rowsUnder });
    const page: Reader<Page<T>> = (json, context) => ({ ...rows(json, context), next: dialect.nextPage(json) });

    return {
      search: async (by: By, call?: RequestOptions): Promise<RecordList<T>> => {
        const { limit = 1, ...checked } = checkArgument(operation, schema, by);
        // What is left of the search is the search but for its limit.
        const endpoints = [toEndpoint({ ...(checked as By), limit })].flat();
        let found: RecordList<T> = { data: [], total: 0 };
        for (const endpoint of endpoints) {
          found = await http.request({ operation, ...endpoint, effect: 'read', returns: rows }, call);
          if (found.data.length > 0) break;
        }
        return found;
      },
      searchAll: async function* (by: Unlimited<By>, call?: RequestOptions): AsyncGenerator<T> {
        // A search without its limit is one all the same: the limit is optional.
        const checked = checkArgument(operation, schema, by as By);
        const seen = new Set<string>();
        for (const first of [toEndpoint({ ...checked, limit: undefined })].flat()) {
          for (let endpoint: Endpoint | undefined = first; endpoint; ) {
            const answer: Page<T> = await http.request({ operation, ...endpoint, effect: 'read', returns: page }, call);
            for (const found of answer.data) {
              if (!seen.has(found.Id)) yield found;
              seen.add(found.Id);
            }
            endpoint = answer.next;
          }
        }
      },
    };
  };

  const leads = search('crm.leads.search', check.leadSearch, dialect.searchLeads, read.lead);
  const contacts = search('crm.contacts.search', check.personSearch, dialect.searchContacts, read.contact);
  // Made when they are first used: many of thousands of tenants never do.
  let accounts: CrmClient['accounts'] | undefined;
  let opportunities: CrmClient['opportunities'] | undefined;
  let cases: CrmClient['cases'] | undefined;

  const createWithTask =
    ({ endpoint, returns }: LeadWithTask) =>
    async ({ lead, task, keys }: NewLeadWithTask, call: RequestOptions = {}): Promise<CreatedLeadWithTask> => {
      const operation = 'crm.leads.createWithTask';
      const both = {
        lead: checkArgument(operation, check.leadFields, lead, 'lead'),
        task: checkArgument(operation, check.taskFields, task, 'task'),
      };
      return http.request(
        { operation, ...endpoint({ ...both, keys, version }), returns },
        { ...call, idempotencyKey: keys.lead },
      );
    };

  return {
    leads: {
      ...leads,
      create: create('crm.leads.create', 'Lead', check.leadFields, firstOf(openLeads(leads.search))),
      update: update('crm.leads.update', 'Lead', check.leadFields),
      ...(dialect.createLeadWithTask && { createWithTask: createWithTask(dialect.createLeadWithTask) }),
    },
    tasks: {
      create: create('crm.tasks.create', 'Task', check.taskFields),
      update: update('crm.tasks.update', 'Task', check.taskFields),
    },
    contacts: {
      ...contacts,
      create: create('crm.contacts.create', 'Contact', check.contactFields, firstOf(contacts.search)),
    },
    get accounts() {
      return (accounts ??= {
        ...search('crm.accounts.search', check.accountSearch, dialect.searchAccounts, read.account),
        create: create('crm.accounts.create', 'Account', check.accountFields),
      });
    },
    get opportunities() {
      return (opportunities ??= {
        ...search('crm.opportunities.search', check.opportunitySearch, dialect.searchOpportunities, read.opportunity),
        create: create('crm.opportunities.create', 'Opportunity', check.opportunityFields),
      });
    },
    get cases() {
      return (cases ??= {
        ...search('crm.cases.search', check.caseSearch, dialect.searchCases, read.supportCase),
        create: create('crm.cases.create', 'Case', check.caseFields),
      });
    },
    request: (request, call) => http.custom(request, call),
    warmUp: (options) => {
      prepareReaders([read.created, read.lead, read.contact, read.account, read.opportunity, read.supportCase]);
      return http.warmUp(options);
    },
    status: () => http.status(),
    close: () => http.close(),
    [Symbol.asyncDispose]: () => http.close(),
  };
};

/** One answer of a search, and where the next one is. */
interface Page<T> extends RecordList<T> {
  readonly next: Endpoint | undefined;
}

const openLeads =
  (search: CrmClient['leads']['search']) =>
  (by: PersonSearch, call: RequestOptions): Promise<RecordList<Lead>> =>
    search({ ...by, isConverted: false }, call);

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
