import { connectionOf } from '../api/create-api-client.ts';
import { id } from '../arguments.ts';
import { InvalidArgumentError } from '../errors.ts';
import { createHttpClient } from '../http/client.ts';
import type { RequestOptions } from '../http/operation.ts';
import { sendAgain } from '../http/repeat.ts';
import { checkArgument, type LazySchema, prepareReaders, type RecordList, readNothing } from '../schema.ts';
import type { CrmClient, CrmOptions } from './client.ts';
import { createSearch } from './create-search.ts';
import { type CrmDialect, type CrmObject, documentedCrm, type LeadWithTaskOperation } from './dialect.ts';
import { withoutUndefined } from '../without-undefined.ts';
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
  const dialect: CrmDialect = { ...documentedCrm, ...withoutUndefined(options.dialect ?? {}) };
  const { version } = options;
  const http = createHttpClient({
    ...options,
    // The interface document gives keys to payments alone.
    idempotency: options.idempotency ?? 'none',
    dialect: dialect.http,
    api: 'crm',
    pathPrefix: dialect.pathPrefix(version),
  });

  const create =
    <Fields extends object>(
      resource: string,
      object: CrmObject,
      schema: LazySchema<Fields>,
      /** How to find out whether the record is there when the API knows no idempotency keys. */
      lookUp?: (fields: Fields, call: RequestOptions) => Promise<CreatedRecord | undefined>,
    ) =>
    async (fields: Fields, call: RequestOptions = {}): Promise<CreatedRecord> => {
      const operation = `crm.${resource}.create`;
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
    <Fields extends object>(resource: string, object: CrmObject, schema: LazySchema<Fields>) =>
    async (recordId: string, fields: Fields, call?: RequestOptions): Promise<{ readonly id: string }> => {
      const operation = `crm.${resource}.update`;
      const checkedId = checkArgument(operation, id, recordId, 'id');
      const endpoint = dialect.update(object, checkedId, checkArgument(operation, schema, fields));
      await http.request({ operation, withoutKeys: sendAgain, ...endpoint, returns: readNothing }, call);
      return { id: checkedId };
    };

  const search = createSearch(http, dialect);
  const leads = search({ resource: 'leads', object: 'Lead', searchedBy: check.leadSearch, row: read.lead });
  const contacts = search({
    resource: 'contacts',
    object: 'Contact',
    searchedBy: check.personSearch,
    row: read.contact,
  });

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
    ...connectionOf(http),
    leads: {
      ...leads,
      create: create('leads', 'Lead', check.leadFields, firstOf(openLeads(leads.search))),
      update: update('leads', 'Lead', check.leadFields),
      createWithTask: dialect.createLeadWithTask && createWithTask(dialect.createLeadWithTask),
    },
    tasks: {
      create: create('tasks', 'Task', check.taskFields),
      update: update('tasks', 'Task', check.taskFields),
    },
    contacts: {
      ...contacts,
      create: create('contacts', 'Contact', check.contactFields, firstOf(contacts.search)),
    },
    accounts: {
      ...search({ resource: 'accounts', object: 'Account', searchedBy: check.accountSearch, row: read.account }),
      create: create('accounts', 'Account', check.accountFields),
    },
    opportunities: {
      ...search({
        resource: 'opportunities',
        object: 'Opportunity',
        searchedBy: check.opportunitySearch,
        row: read.opportunity,
      }),
      create: create('opportunities', 'Opportunity', check.opportunityFields),
    },
    cases: {
      ...search({ resource: 'cases', object: 'Case', searchedBy: check.caseSearch, row: read.supportCase }),
      create: create('cases', 'Case', check.caseFields),
    },
    warmUp: (options) => {
      prepareReaders([read.created, read.lead, read.contact, read.account, read.opportunity, read.supportCase]);
      return http.warmUp(options);
    },
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
