import type { ApiConnection } from '../api/api-client.ts';
import { connectApi, type OwnOptionNames } from '../api/connect-api.ts';
import { assertTimeZone, createLocalClock } from '../core/local-clock.ts';
import { must } from '../core/option-checks.ts';
import type { RecordList } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { ConnectionOptions, RequestOptions } from '../http/operation.ts';
import type { AccountSearch } from './accounts.ts';
import { createBatch, type CrmBatch } from './batch.ts';
import { type CaseNotes, createCaseNotes } from './case-notes.ts';
import type { CaseSearch } from './cases.ts';
import { type CompositeParts, type CompositeResult, idOf, sendComposite } from './composite.ts';
import type { CrmContact, CrmContactFields, PersonSearch } from './contacts.ts';
import { createSearches } from './create-search.ts';
import { createFieldRules, type CrmSchemas, type FieldsFor, type RecordFor } from './declared.ts';
import { type CrmDialect, documentedCrm } from './dialect.ts';
import type { EventSearch } from './events.ts';
import { assertObject } from './fields.ts';
import { createLabels } from './labels.ts';
import type { CreatedLeadWithTask, Lead, LeadFields, LeadSearch, NewLeadWithTask } from './leads.ts';
import { createFieldsInText } from './left-out.ts';
import type { AnyFields, AnyRecord } from './object-table.ts';
import type { OpportunitySearch } from './opportunities.ts';
import { createQuery, type CrmQuery } from './query-pages.ts';
import { created, recordOf } from './readers.ts';
import { type CancelsEvents, withRecentEvents } from './recent-events.ts';
import { withRecentPeople } from './recent-people.ts';
import { createRecords, type FindCreated, type Org, type RecordClient, writtenByClient } from './records.ts';
import type { TaskSearch } from './tasks.ts';

/** The address of an org of the CRM, its version and its fields. */
export interface CrmOptions<Schemas extends CrmSchemas = CrmSchemas> extends ConnectionOptions {
  /** The pinned version of the API: `60.0` gives `/services/data/v60.0/`. */
  readonly version: string;
  /**
   * The org's own fields, by object, each a Standard Schema with optional fields. They're then typed and checked in
   * records, writes and queries of that object. An undeclared one is refused. @defaultValue any field is taken
   *
   * @example
   * fields: { Lead: z.object({ Region__c: z.enum(['EMEA', 'APAC']) }).partial() },
   */
  readonly fields?: Schemas | undefined;
  /** The time zone of the business, as an IANA name: a moment in a field for a day is the day there. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
  /**
   * The differences of a real CRM from the default API. A preset such as `salesforce()` of
   * `voice-agent-integrations/crm/salesforce` brings one along. @defaultValue the default API's
   */
  readonly dialect?: Partial<CrmDialect> | undefined;
}

/** The operations on one object, typed by what was declared of it. */
type ObjectClient<Schemas, Object extends string, By = unknown> = RecordClient<
  FieldsFor<Schemas, Object>,
  RecordFor<Schemas, Object>,
  By
>;

/** Reads and writes the records of one org. The default API has three of these endpoints; the others are the real CRM's. */
export interface CrmClient<Schemas extends CrmSchemas = CrmSchemas> extends ApiConnection {
  /** A search gives those that aren't converted first, then the most recently changed. */
  readonly leads: ObjectClient<Schemas, 'Lead', LeadSearch> & {
    /**
     * A lead and the Task about it in one request: both are made, or neither. `undefined` where the API has no such
     * request. The keys are those of the two records. Source: the composite resource of Salesforce.
     */
    readonly createWithTask?:
      | ((
          both: NewLeadWithTask<FieldsFor<Schemas, 'Lead'>, FieldsFor<Schemas, 'Task'>>,
          call?: RequestOptions,
        ) => Promise<CreatedLeadWithTask>)
      | undefined;
  };
  /** Activities, such as phone calls. A phone call's `logCall` writes one Task per call. */
  readonly tasks: ObjectClient<Schemas, 'Task', TaskSearch> & {
    /** The CRM can change a Task, as its dialect says. Otherwise a phone call writes its one Task when it's finished. */
    readonly canUpdate: boolean;
    /** A Task whose end isn't known is looked up by its idempotency key before it's sent again. */
    readonly canLookUp: boolean;
  };
  /** Appointments. A search gives the earliest first. */
  readonly events: ObjectClient<Schemas, 'Event', EventSearch> & CancelsEvents;
  /** A search gives those with this e-mail, phone or mobile phone, the most recently changed first. */
  readonly contacts: ObjectClient<Schemas, 'Contact', PersonSearch>;
  /** A search gives those with this name or phone, the most recently changed first. */
  readonly accounts: ObjectClient<Schemas, 'Account', AccountSearch>;
  /** A search gives those of an account, the most recently changed first. */
  readonly opportunities: ObjectClient<Schemas, 'Opportunity', OpportunitySearch>;
  /** A search gives the most recently changed first. */
  readonly cases: ObjectClient<Schemas, 'Case', CaseSearch> & CaseNotes;
  /**
   * The same operations on any other object, by its API name. A search takes `where`.
   * Throws `InvalidArgumentError` for what can't be a name.
   *
   * @example
   * const asset = await crm.records('Asset__c').get(id, { fields: ['Name', 'Contact__r.Name'] });
   */
  records<Object extends string>(object: Object): ObjectClient<Schemas, Object>;
  /**
   * The rows of any object: the fields that you name, in your order.
   *
   * @example
   * const recent = crm.query('Lead', { fields: ['Name', 'Owner.Name'], where: where('City', '=', city), limit: 500 });
   * for await (const lead of recent) console.log(lead.Name, lead.Owner?.Name);
   */
  readonly query: CrmQuery<Schemas>;
  /**
   * Several writes in one request: all of them are done, or none. `idOf` is the id of what an earlier part makes. It's
   * sent again after an unknown end only when each part is an upsert or an update. A part may have rules of its own
   * (`duplicateRule`, `assignmentRule`). Path of Salesforce.
   * Throws what the part that failed was refused with.
   *
   * @example
   * const { contact } = await crm.composite({
   *   account: { create: 'Account', fields: { Name: 'Northwind' } },
   *   contact: { create: 'Contact', fields: { LastName: 'Okafor', AccountId: idOf('account') } },
   * });
   */
  composite<const Objects extends Readonly<Record<string, string>>>(
    parts: CompositeParts<Schemas, Objects>,
    call?: RequestOptions,
  ): Promise<CompositeResult<Objects>>;
  /**
   * Many records in one request, where the API has one. Path of HubSpot.
   *
   * @example
   * const items = await crm.batch.update('Contact', [{ id: '101', fields: { MailingCity: 'Turin' } }]);
   * const refused = items.filter(({ status }) => status !== 'done');
   */
  readonly batch: CrmBatch<Schemas>;
}

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
  const leads = createSearches('Lead', org);
  const contacts = createSearches('Contact', org);
  const lookUps = new Map<string, FindCreated>([
    ['Lead', firstOf((by, call) => leads.search({ ...by, isConverted: false }, call))],
    ['Contact', firstOf(contacts.search)],
  ]);
  const recent = { forMs: dialect.searchDelayMs, deadlineMs };
  const recordsOf = <Object extends string>(object: Object) => ({
    ...createRecords(object, org, lookUps.get(object)),
    ...createSearches(object, org),
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
    cases: { ...recordsOf('Case'), ...createCaseNotes(org) },
    tasks: {
      ...recordsOf('Task'),
      canUpdate: dialect.changesTasks,
      canLookUp: dialect.referenceField('Task') !== undefined,
    },
    events: withRecentEvents(recordsOf('Event'), { ...recent, canceled: dialect.canceledEvent }),
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
 * Finds the record of a person: the one with the same e-mail, or else the same phone. A record that was there before
 * counts too: one duplicate less. Without both the search refuses, and nothing is sent again.
 */
const firstOf =
  (search: (by: PersonSearch, call: RequestOptions) => Promise<RecordList<Lead | CrmContact>>): FindCreated =>
  async ({ Email, Phone }: LeadFields | CrmContactFields, call) => {
    const { data } = await search(Email ? { email: Email } : { phone: Phone ?? undefined }, call);
    const first = data.find(({ IsConverted }) => IsConverted !== true);
    return first && { id: first.Id };
  };
