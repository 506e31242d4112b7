import { InvalidArgumentError } from '../../core/errors.ts';
import type { Endpoint } from '../../http/operation.ts';
import { path } from '../../http/path.ts';
import { createLocalClock } from '../../core/local-clock.ts';
import { assertKnown, oneOf } from '../../core/option-checks.ts';
import { type Given, withoutUndefined } from '../../core/without-undefined.ts';
import type { CrmOptions } from '../client.ts';
import type { CrmDialect } from '../dialect.ts';
import { type CrmObject, isStandard } from '../objects.ts';
import { linksOf } from './associations.ts';
import { toBatch, toUpsert } from './batch.ts';
import { leftOutOf } from './left-out.ts';
import { classify, retryAfterMs, searchLimit, usageOf, usedUpForMs } from './limits.ts';
import { ownerEndpoints, owners } from './owners.ts';
import { stageList } from './pipelines.ts';
import { problemsOf, rejectRefused } from './problems.ts';
import { callNames, otherNames, propertyNames, type PropertyNames, typeOf } from './properties.ts';
import { usualLeadStages } from './stages.ts';
import { checkVersion, newestVersion, pathsOf } from './versions.ts';
import {
  linkedTypes,
  toNewRecord,
  toProperties,
  toPropertyList,
  toRecord,
  toRows,
  toSearch,
  usualFields,
  type Words,
} from './translate.ts';

/** What an account has decided, as far as its requests depend on it. */
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
   * What the client's Tasks are: tasks, or calls, which have a direction and a duration. @defaultValue 'tasks'
   */
  readonly tasksAs?: 'tasks' | 'calls' | undefined;
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
 * const integration = createIntegration({
 *   crm: { ...hubspot(), authenticate: bearer(() => secrets.read('hubspot-token')) },
 * });
 */
export const hubspot = (options: HubSpotOptions = {}): HubSpotPreset => {
  assertKnown(options, { version: true, properties: true, leadStages: true, ticketStage: true, tasksAs: true });
  const { version = newestVersion } = options;
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
  return {
    baseUrl: 'https://api.hubapi.com',
    version,
    idempotency: 'none',
    // The least that HubSpot grants an app of one account.
    rateLimit: { limit: 100, perMs: 10_000 },
    dialect: {
      name: 'HubSpot',
      versionProblem: (given) => (given === version ? undefined : 'must be an option of hubspot()'),
      http: { unwrap: rejectRefused, classify, problemsOf, retryAfterMs, searchLimit, usageOf, usedUpForMs },
      ...createRoutes(words),
      labels: (object) => stageList(object, words, ticketStage),
    },
  };
};

/** The routes and bodies in which HubSpot differs from the default API. */
const createRoutes = (account: Words): Partial<CrmDialect> => ({
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
      create: { path: records, body: (fields) => withoutUndefined(toNewRecord(object, fields, words)) },
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
  nextPage,
  refusesComposite: 'can’t be one request to HubSpot: make the records one after the other',
  batch: (object, batch, clock) => toBatch(object, batch, { ...account, clock }),
  upsert: (object, by, fields, clock) => ({
    method: 'POST',
    path: `${account.paths.objects}/${path`${account.typeOf(object)}/batch/upsert`}`,
    body: { inputs: [toUpsert(object, { by, fields }, { ...account, clock })] },
  }),
  links: (object, id, fields) => linksOf(account.typeOf(object), id, fields, account.paths),
  hasOwnFields: (object, fields) => Object.keys(toProperties(object, fields, account)).length > 0,
  leavesOut: (object, fields, problems) => leftOutOf(object, fields, account, problems),
  // An address belongs to one contact, and reading it by that isn't behind as a search is.
  lookUp: (object, { Email: email }) =>
    account.typeOf(object) === 'contacts' && typeof email === 'string'
      ? { method: 'GET', path: `${account.paths.objects}/contacts/${path`${email}`}`, query: { idProperty: 'email' } }
      : 'never',
});

const nextPage: CrmDialect['nextPage'] = (answer, { method, path: same, query, body }): Endpoint | undefined => {
  const { after } = (answer as { paging?: { next?: { after?: unknown } } } | null)?.paging?.next ?? {};
  if (typeof after !== 'string' && typeof after !== 'number') return undefined;
  if (method === 'GET') return { method, path: same, query: { ...query, after: String(after) } };
  const before = typeof body === 'function' ? body(undefined) : body;
  return { method, path: same, body: { ...(before as object), after: String(after) } };
};
