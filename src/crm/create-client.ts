import { id } from '../arguments.ts';
import { InvalidArgumentError } from '../errors.ts';
import { createHttpClient } from '../http/client.ts';
import type { RequestOptions } from '../http/operation.ts';
import { sendAgain } from '../http/repeat.ts';
import { checkArgument, type LazySchema, prepareReaders, type RecordList, readNothing } from '../schema.ts';
import type { CrmClient, CrmOptions } from './client.ts';
import { createSearch } from './create-search.ts';
import { type CrmDialect, type CrmObject, documentedCrm, type LeadWithTaskOperation } from './dialect.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';
import type {
  CreatedLeadWithTask,
  CreatedRecord,
  CrmContact,
  CrmContactFields,
  Lead,
  LeadFields,
  NewLeadWithTask,
  PersonSearch,
} from './records.ts';

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
    // The interface document gives keys to payments alone.
    idempotency: 'none',
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

  const search = createSearch(http, dialect);
  const leads = search('crm.leads.search', check.leadSearch, dialect.searchLeads, read.lead, 'Lead');
  const contacts = search('crm.contacts.search', check.personSearch, dialect.searchContacts, read.contact, 'Contact');
  // Made when they are first used: many of thousands of tenants never do.
  let accounts: CrmClient['accounts'] | undefined;
  let opportunities: CrmClient['opportunities'] | undefined;
  let cases: CrmClient['cases'] | undefined;

  const createWithTask =
    ({ endpoint, returns }: LeadWithTaskOperation) =>
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
        ...search('crm.accounts.search', check.accountSearch, dialect.searchAccounts, read.account, 'Account'),
        create: create('crm.accounts.create', 'Account', check.accountFields),
      });
    },
    get opportunities() {
      return (opportunities ??= {
        ...search(
          'crm.opportunities.search',
          check.opportunitySearch,
          dialect.searchOpportunities,
          read.opportunity,
          'Opportunity',
        ),
        create: create('crm.opportunities.create', 'Opportunity', check.opportunityFields),
      });
    },
    get cases() {
      return (cases ??= {
        ...search('crm.cases.search', check.caseSearch, dialect.searchCases, read.supportCase, 'Case'),
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
    const { data } = await search(Email ? { email: Email } : { phone: Phone ?? undefined }, call);
    const first = data.find(({ IsConverted }) => IsConverted !== true);
    return first && { id: first.Id };
  };
