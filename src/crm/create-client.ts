import { connectionOf } from '../api/create-api-client.ts';
import { InvalidArgumentError } from '../errors.ts';
import { createHttpClient } from '../http/client.ts';
import type { RequestOptions } from '../http/operation.ts';
import { checkArgument, prepareReaders, type RecordList } from '../schema.ts';
import { withoutUndefined } from '../without-undefined.ts';
import type { CrmClient, CrmOptions } from './client.ts';
import { createRecords, type LookUp, type Org } from './create-records.ts';
import { createSearch } from './create-search.ts';
import { type CrmDialect, documentedCrm, type LeadWithTaskOperation } from './dialect.ts';
import { fieldsOf } from './fields.ts';
import type { CrmObject } from './objects.ts';
import { created, recordOf } from './readers.ts';
import type {
  CreatedLeadWithTask,
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

  const org: Org = { http, dialect };
  const recordsOf = <Object extends CrmObject>(object: Object, lookUp?: LookUp) => ({
    ...createRecords(object, org, lookUp),
    ...createSearch(object, org),
  });
  const leads = createSearch('Lead', org);
  const contacts = createSearch('Contact', org);

  return {
    ...connectionOf(http),
    leads: {
      ...recordsOf(
        'Lead',
        firstOf((by, call) => leads.search({ ...by, isConverted: false }, call)),
      ),
      createWithTask: dialect.createLeadWithTask && createWithTask(org, version, dialect.createLeadWithTask),
    },
    contacts: recordsOf('Contact', firstOf(contacts.search)),
    accounts: recordsOf('Account'),
    opportunities: recordsOf('Opportunity'),
    cases: recordsOf('Case'),
    tasks: recordsOf('Task'),
    events: recordsOf('Event'),
    warmUp: (options) => {
      prepareReaders([created, ...warmed.map(recordOf)]);
      return http.warmUp(options);
    },
  };
};
/** The objects that phone calls read. */
const warmed = ['Lead', 'Contact', 'Account', 'Opportunity', 'Case'] as const;

const createWithTask =
  ({ http }: Org, version: string, { endpoint, returns }: LeadWithTaskOperation) =>
  async ({ lead, task, keys }: NewLeadWithTask, call: RequestOptions = {}): Promise<CreatedLeadWithTask> => {
    const operation = 'crm.leads.createWithTask';
    const both = {
      lead: checkArgument(operation, fieldsOf('Lead'), lead, 'lead'),
      task: checkArgument(operation, fieldsOf('Task'), task, 'task'),
    };
    return http.request(
      { operation, ...endpoint({ ...both, keys, version }), returns },
      { ...call, idempotencyKey: keys.lead },
    );
  };

/**
 * Whether a person's record is there already: the one with the same e-mail, or else the same phone. A record that was
 * there before counts too: one duplicate less. Without both the search refuses, and nothing is sent again.
 */
const firstOf =
  (search: (by: PersonSearch, call: RequestOptions) => Promise<RecordList<Lead | CrmContact>>): LookUp =>
  async ({ Email, Phone }: LeadFields | CrmContactFields, call) => {
    const { data } = await search(Email ? { email: Email } : { phone: Phone ?? undefined }, call);
    const first = data.find(({ IsConverted }) => IsConverted !== true);
    return first && { id: first.Id };
  };
