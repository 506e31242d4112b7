import { LRUCache } from 'lru-cache';
import { bearer } from '../../auth/secret-credential.ts';
import { type ApiProblem, InvalidArgumentError } from '../../core/errors.ts';
import { createLocalClock } from '../../core/local-clock.ts';
import { assertKnown, oneOf, type OptionNames } from '../../core/option-checks.ts';
import type { Secret } from '../../core/secret.ts';
import { type Given, withoutUndefined } from '../../core/without-undefined.ts';
import type { Credential } from '../../http/credential.ts';
import type { Endpoint } from '../../http/operation.ts';
import { path } from '../../http/path.ts';
import { fieldsOf, objectsIn } from '../../stores/ports/json.ts';
import type { CrmOptions } from '../client.ts';
import type { CrmDialect } from '../dialect.ts';
import type { Label, LabelList } from '../labels.ts';
import type { AnyFields } from '../object-table.ts';
import { type CrmObject, isStandard } from '../objects.ts';
import { isAssociation, linksOf } from './associations.ts';
import { toBatch, toUpsert } from './batch.ts';
import { hubspotHttp } from './http-dialect.ts';
import { ownerEndpoints, owners } from './owners.ts';
import { callNames, otherNames, propertyNames, type PropertyNames, propertyOf, typeOf } from './properties.ts';
import {
  linkedTypes,
  toNewRecord,
  toProperties,
  toPropertyList,
  toRecord,
  toRows,
  toSearch,
  usualFields,
  usualLeadStages,
  type Words,
} from './translate.ts';
import { checkVersion, newestVersion, pathsOf } from './versions.ts';

/** Options of an account of HubSpot. */
export interface HubSpotOptions {
  /** The pinned version of HubSpot's API, such as `2026-09`, which all paths have. @defaultValue '2026-09' */
  readonly version?: string | undefined;
  /**
   * Properties of your own for the client's fields, by object; `null` leaves a field out. A field that isn't translated
   * is sent under its own name. @defaultValue the table of the page
   *
   * @example
   * properties: { Lead: { Use_Case__c: 'use_case', LeadSource: 'first_channel' } },
   */
  readonly properties?: Readonly<Partial<Record<CrmObject, PropertyNames>>> | undefined;
  /**
   * The lifecycle stages of a person who is still a lead, by their internal names. Everyone else is a contact.
   * @defaultValue ['subscriber', 'lead', 'marketingqualifiedlead', 'salesqualifiedlead']
   */
  readonly leadStages?: readonly string[] | undefined;
  /** The stage of a new ticket that names none, by its label or id. @defaultValue the first of the first pipeline */
  readonly ticketStage?: string | undefined;
  /**
   * The client's Tasks in HubSpot: tasks, or calls, which have a direction and a duration. @defaultValue 'tasks'
   */
  readonly tasksAs?: 'tasks' | 'calls' | undefined;
  /** Another address, such as the sandbox's. @defaultValue 'https://api.hubapi.com' */
  readonly baseUrl?: string | undefined;
  /** Short for `authenticate: bearer(key)`, such as `fromEnv('HUBSPOT_KEY')`. @defaultValue give `authenticate` to the client */
  readonly key?: Secret | undefined;
}

/** The options of a CRM client that {@link hubspot} fills in. */
export type HubSpotPreset = Pick<CrmOptions, 'version' | 'baseUrl'> &
  Given<Pick<CrmOptions, 'idempotency' | 'dialect' | 'rateLimit'>>;

/**
 * Options that make a CRM client speak to HubSpot. Spread them; options after them win. The clients, steps and tools stay
 * the same: leads are contacts whose lifecycle stage says so.
 * Throws `InvalidArgumentError` for options that can't work.
 *
 * @example
 * const integration = createIntegration({ crm: hubspot({ key: fromEnv('HUBSPOT_KEY') }) });
 */
export const hubspot: {
  (options: HubSpotOptions & { readonly key: Secret }): HubSpotPreset & { readonly authenticate: Credential };
  (options?: HubSpotOptions): HubSpotPreset;
} = (hubspotOptions?: HubSpotOptions) => {
  const options = hubspotOptions ?? {};
  assertKnown<HubSpotOptions>(options, optionNames);
  const { version = newestVersion, key, baseUrl = 'https://api.hubapi.com' } = options;
  checkVersion(version);
  const { leadStages = usualLeadStages, ticketStage, tasksAs = 'tasks', properties = {} } = options;
  if (!Array.isArray(leadStages) || leadStages.length === 0)
    throw new InvalidArgumentError('leadStages', 'must be internal names of lifecycle stages, at least one');
  oneOf(tasksAs, 'tasksAs', ['tasks', 'calls'])();

  const isCall = (object: string) => object === 'Task' && tasksAs === 'calls';
  const words: Words = {
    paths: pathsOf(version),
    clock: createLocalClock(),
    leadStages,
    typeOf: (object) => (isCall(object) ? 'calls' : typeOf(object)),
    namesOf: (object) => {
      if (!isStandard(object)) return otherNames;
      return { ...(isCall(object) ? callNames : propertyNames[object]), ...properties[object] };
    },
  };
  const preset: HubSpotPreset = {
    baseUrl,
    version,
    idempotency: 'none',
    // The least that HubSpot grants an app of one account.
    rateLimit: { limit: 100, perMs: 10_000 },
    dialect: {
      name: 'HubSpot',
      versionProblem: (pinned) => (pinned === version ? undefined : 'must be an option of hubspot()'),
      http: hubspotHttp(),
      ...createRoutes(words),
      labels: (object) => stageList(object, words, ticketStage),
    },
  };
  // With a key, as the first of the two types says.
  return withoutUndefined({ ...preset, authenticate: key && bearer(key) }) as HubSpotPreset & {
    readonly authenticate: Credential;
  };
};

const optionNames: OptionNames<HubSpotOptions> = {
  version: true,
  properties: true,
  leadStages: true,
  ticketStage: true,
  tasksAs: true,
  baseUrl: true,
  key: true,
};

/** The routes and bodies in which HubSpot differs from the default API. */
const createRoutes = (account: Words, timeOf = createTimes()): Partial<CrmDialect> => ({
  pathPrefix: () => 'crm/',
  endpoints: (object, clock) => {
    const words = { ...account, clock };
    if (object === owners) return ownerEndpoints(words.paths);
    const type = words.typeOf(object);
    const records = `${words.paths.objects}/${type}`;
    const record = `${records}/{id}`;
    return {
      get: {
        path: record,
        query: (fields) => ({
          properties: toPropertyList(object, fields ?? usualFields(object, words), words),
          associations: linkedTypes(type),
        }),
        answer: (json) => toRecord(object, json, words),
      },
      create: {
        path: records,
        body: (fields, key) => withoutUndefined(toNewRecord(object, fields, { ...words, now: timeOf(key) })),
      },
      update: { path: record, body: (fields) => ({ properties: toProperties(object, fields, words) }) },
      upsert: {
        method: 'POST',
        answer: (json) => {
          const [first] = (json as { readonly results?: readonly { readonly new?: unknown }[] } | null)?.results ?? [];
          return first && { ...first, created: first.new === true };
        },
      },
      delete: { path: record },
      search: {
        path: `${records}/search`,
        body: ({ query, limit }) => withoutUndefined(toSearch(object, query, limit, words)),
        answer: (json) => toRows(object, json, words),
      },
    };
  },
  matchPhone: (object, phone) =>
    (object === 'Account' ? ['Phone'] : ['Phone', 'MobilePhone']).map((field) => ({
      field,
      operator: '=',
      value: phone,
    })),
  phonesRead: (object) => (object === 'Lead' || object === 'Contact' ? ['MobilePhone'] : []),
  // HubSpot speaks of a few moments.
  searchDelayMs: 60_000,
  mostRows: Number.POSITIVE_INFINITY,
  // Its searches don't know a new record for a while.
  referenceField: () => undefined,
  isMinimal: false,
  changesTasks: true,
  canceledEvent: { hs_meeting_outcome: 'CANCELED' },
  nextPage,
  refusesComposite: 'can’t be one request to HubSpot: make the records one after the other',
  batch: (object, batch, clock) => toBatch(object, batch, { ...account, clock }),
  upsert: (object, by, fields, clock) => ({
    method: 'POST',
    path: `${account.paths.objects}/${path`${account.typeOf(object)}/batch/upsert`}`,
    body: { inputs: [toUpsert(object, { by, fields }, { ...account, clock })] },
  }),
  // Notes are internal. Their search is behind.
  caseNote: (TicketId, body) => ({ object: 'notes', fields: { TicketId, hs_note_body: body }, findBy: undefined }),
  links: (object, id, fields) => linksOf(account.typeOf(object), id, fields, account.paths),
  hasOwnFields: (object, fields) => Object.keys(toProperties(object, fields, account)).length > 0,
  leavesOut: (object, fields, problems) => leftOutOf(object, fields, account, problems),
  // An address belongs to one contact, and reading it by that isn't behind as a search is.
  lookUp: (object, { Email: email }) =>
    account.typeOf(object) === 'contacts' && typeof email === 'string'
      ? { method: 'GET', path: `${account.paths.objects}/contacts/${path`${email}`}`, query: { idProperty: 'email' } }
      : 'never',
});

/** The time of a new activity: the same for all tries under one key, so that a second one is known as the same work. */
const createTimes = () => {
  const times = new LRUCache<string, string>({ maxSize: 1_000, sizeCalculation: () => 1 });
  return (key: string | undefined): string => {
    const now = (key === undefined ? undefined : times.get(key)) ?? new Date().toISOString();
    if (key !== undefined) times.set(key, now);
    return now;
  };
};

const nextPage: CrmDialect['nextPage'] = (answer, { method, path: same, query, body }): Endpoint | undefined => {
  const { after } = (answer as { paging?: { next?: { after?: unknown } } } | null)?.paging?.next ?? {};
  if (typeof after !== 'string' && typeof after !== 'number') return undefined;
  if (method === 'GET') return { method, path: same, query: { ...query, after: String(after) } };
  const before = typeof body === 'function' ? body(undefined) : body;
  return { method, path: same, body: { ...(before as object), after: String(after) } };
};

/**
 * The stages of tickets and deals are ids, which people know by their labels. A stage that isn't in the first pipeline
 * needs its pipeline: https://developers.hubspot.com/docs/methods/pipelines/pipelines_overview (2026-11-27).
 */
const stageList = (
  object: string,
  { namesOf, paths }: Pick<Words, 'namesOf' | 'paths'>,
  ticketStage: string | undefined,
): LabelList | undefined => {
  const shared = { operation: 'crm.pipelines.list', read: readStages } as const;
  const endpointOf = (type: string) => ({ method: 'GET', path: `${paths.pipelines}/${type}` }) as const;
  if (object === 'Case' && namesOf(object)['Status'] === 'hs_pipeline_stage')
    return {
      ...shared,
      field: 'Status',
      groupField: 'hs_pipeline',
      endpoint: endpointOf('tickets'),
      initial: ticketStage,
      // New in HubSpot's own pipeline.
      fallback: '1',
    };
  if (object === 'Opportunity' && namesOf(object)['StageName'] === 'dealstage')
    return {
      ...shared,
      field: 'StageName',
      groupField: 'pipeline',
      endpoint: endpointOf('deals'),
      initial: undefined,
      fallback: undefined,
    };
  return undefined;
};

const readStages = (json: unknown): readonly Label[] =>
  inOrder(fieldsOf(json)['results']).flatMap(({ id, label, record }) => {
    const group = { id, label };
    return inOrder(record['stages']).map((stage) => ({ id: stage.id, label: stage.label, group }));
  });

/** The entries with an id and a label, as HubSpot shows them: those of one number are in the order of their labels. */
const inOrder = (list: unknown) =>
  objectsIn(list)
    .flatMap((record) => {
      const { id, label, archived, displayOrder } = record;
      if (typeof id !== 'string' || typeof label !== 'string' || archived === true) return [];
      return [{ id, label, displayOrder: Number(displayOrder), record }];
    })
    .toSorted((one, other) => one.displayOrder - other.displayOrder || one.label.localeCompare(other.label));

/**
 * The fields that an account has no property for. Properties are named in small letters
 * (https://developers.hubspot.com/docs/methods/contacts/create_property, 2018): a field in capitals without a counterpart
 * is none. A refusal names those whose property doesn't exist, isn't writable or can't hold the value. A property that
 * HubSpot asks for, or that must be unique, stays.
 */
const leftOutOf = (
  object: string,
  fields: AnyFields,
  words: Words,
  problems?: readonly ApiProblem[],
): readonly string[] => {
  const names = words.namesOf(object);
  const type = words.typeOf(object);
  const own = Object.keys(fields).filter(
    (field) => fields[field] !== undefined && !kept.includes(field) && !isAssociation(type, field),
  );
  if (problems === undefined) return own.filter((field) => !Object.hasOwn(names, field) && /[A-Z]/.test(field));
  const refused = new Set(
    problems.filter(({ code }) => !mustBeSolved.test(code)).flatMap(({ fields: properties = [] }) => properties),
  );
  if (refused.has(propertyOf(names, 'Description') ?? '')) return [];
  return own.filter((field) => {
    const written = Object.keys(toProperties(object, { [field]: fields[field] }, words));
    return written.some((property) => refused.has(property) && !needed.includes(property));
  });
};

/** The text itself, and what is written as something else. */
const kept: readonly string[] = ['Description', 'DurationInMinutes'];

/** Properties without which HubSpot takes no new record. */
const needed: readonly string[] = [
  'dealname',
  'dealstage',
  'subject',
  'hs_pipeline_stage',
  'hs_timestamp',
  'hs_meeting_start_time',
  'hs_meeting_end_time',
];

/** A missing property can't be left out; without one that must be unique there would be a second record. */
const mustBeSolved = /MISSING|REQUIRED|UNIQUE|DUPLICATE|CONFLICT|ALREADY/;
