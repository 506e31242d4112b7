import { connectApi, type OwnOptionNames } from '../api/connect-api.ts';
import { assertTimeZone, createLocalClock } from '../core/local-clock.ts';
import { must } from '../core/option-checks.ts';
import type { RecordList } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { RequestOptions } from '../http/operation.ts';
import { createBatch } from './batch.ts';
import type { CrmClient, CrmOptions } from './client.ts';
import { idOf, sendComposite } from './composite.ts';
import type { CrmContact, CrmContactFields, PersonSearch } from './contacts.ts';
import { createSearch } from './create-search.ts';
import { createFieldRules, type CrmSchemas } from './declared.ts';
import { type CrmDialect, documentedCrm } from './dialect.ts';
import { assertObject } from './fields.ts';
import { createLabels } from './labels.ts';
import type { CreatedLeadWithTask, Lead, LeadFields, NewLeadWithTask } from './leads.ts';
import { createFieldsInText } from './left-out.ts';
import type { AnyFields, AnyRecord } from './object-table.ts';
import { createQuery } from './query-pages.ts';
import { created, recordOf } from './readers.ts';
import { withRecentPeople } from './recent-people.ts';
import { createRecords, type LookUp, type Org, type RecordClient, writtenByClient } from './records.ts';

/**
 * Makes a client of the CRM.
 * Throws `InvalidArgumentError` for options that cannot work; nothing is sent before the first call.
 *
 * @example
 * const crm = createCrmClient({ baseUrl, authenticate: bearer(() => secrets.read('crm')), version: '60.0' });
 */
export const createCrmClient = <const Schemas extends CrmSchemas = CrmSchemas>(
  options: CrmOptions<Schemas>,
): CrmClient<Schemas> => {
  const { version, idempotency = 'sent', deadlineMs } = options;
  const dialect: CrmDialect = { ...documentedCrm, ...withoutUndefined(options.dialect ?? {}) };
  const versionProblem = dialect.versionProblem(version);
  const { http, connection } = connectApi('crm', options, {
    optionNames,
    checks: [
      must(versionProblem === undefined, 'version', versionProblem ?? ''),
      () => assertTimeZone(options.timeZone),
    ],
    settings: () => ({ version, pathPrefix: dialect.pathPrefix(version), dialect: dialect.http, idempotency }),
    readers: () => [created, ...warmed.map((object) => recordOf(object))],
  });

  const org: Org = {
    http,
    dialect,
    clock: createLocalClock(options.timeZone),
    labels: createLabels(http, dialect.labels),
    pathPrefix: dialect.pathPrefix(version),
    ways: new Map(),
    hidden: new Map(),
    inText: createFieldsInText(),
    rulesOf: createFieldRules(options.fields),
  };
  const leads = createSearch('Lead', org);
  const contacts = createSearch('Contact', org);
  const lookUps = new Map<string, LookUp>([
    ['Lead', firstOf((by, call) => leads.search({ ...by, isConverted: false }, call))],
    ['Contact', firstOf(contacts.search)],
  ]);
  const recent = { forMs: dialect.searchDelayMs, deadlineMs };
  const recordsOf = <Object extends string>(object: Object) => ({
    ...createRecords(object, org, lookUps.get(object)),
    ...createSearch(object, org),
  });

  const client: AnyClient = {
    ...connection,
    leads: {
      ...withRecentPeople('Lead', recordsOf('Lead'), recent),
      createWithTask: dialect.leadWithTask ? createWithTask(org) : undefined,
    },
    contacts: withRecentPeople('Contact', recordsOf('Contact'), recent),
    accounts: recordsOf('Account'),
    opportunities: recordsOf('Opportunity'),
    cases: recordsOf('Case'),
    tasks: {
      ...recordsOf('Task'),
      canUpdate: dialect.changesTasks,
      canLookUp: dialect.referenceField('Task') !== undefined,
    },
    events: recordsOf('Event'),
    records: (object: string) => {
      assertObject('crm.records', object);
      return recordsOf(object);
    },
    query: createQuery(org),
    batch: createBatch(org),
    composite: async (parts, call) => sendComposite(org, 'crm.composite', parts, call),
  };
  // Every object takes and gives what was declared of it: the rules of `org` check it.
  return client as object as CrmClient<Schemas>;
};

const optionNames: OwnOptionNames<CrmOptions> = { version: true, timeZone: true, fields: true, dialect: true };

/** A client that doesn't know its declarations. */
type AnyClient = Omit<CrmClient, 'records' | 'query' | 'batch'> & {
  readonly batch: ReturnType<typeof createBatch>;
  readonly records: (object: string) => RecordClient<AnyFields, AnyRecord>;
  readonly query: ReturnType<typeof createQuery>;
};

/** The objects that phone calls read. */
const warmed = ['Lead', 'Contact', 'Account', 'Opportunity', 'Case'] as const;

/** Two upserts in one request: repeating it makes no second record. */
const createWithTask =
  (org: Org) =>
  async ({ lead, task, keys }: NewLeadWithTask, call: RequestOptions = {}): Promise<CreatedLeadWithTask> => {
    const operation = 'crm.leads.createWithTask';
    const by = (object: 'Lead' | 'Task', value: string, fields: object) => {
      const field = org.dialect.keyField(object) ?? '';
      if (Object.hasOwn(Object(fields), field)) throw writtenByClient(operation, field);
      return { field, value };
    };
    const parts = {
      lead: { upsert: 'Lead', by: by('Lead', keys.lead, lead), fields: lead },
      task: { upsert: 'Task', by: by('Task', keys.task, task), fields: { ...task, WhoId: idOf('lead') } },
    } as const;
    return sendComposite(org, operation, parts, { ...call, idempotencyKey: keys.lead });
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
