import type { HttpDialect } from '../http/dialect.ts';
import type { Endpoint } from '../http/operation.ts';
import { path } from '../http/path.ts';
import { createQueries, type MatchPhone, type Searches } from './queries.ts';
import type { CreatedLeadWithTask, NewLeadWithTask } from './records.ts';
import { rejectUnsuccessful, unsuccessfulProblems } from './unsuccessful.ts';

/** The kinds of record that this package knows. */
export type CrmObject = 'Lead' | 'Task' | 'Contact' | 'Account' | 'Opportunity' | 'Case';

/** Where a search goes. Of several, each is asked only when those before it found nothing. */
export type SearchEndpoint = Endpoint | readonly Endpoint[];

/** A search that was checked: without a `limit` all rows are wanted, page after page. */
export type CheckedSearch<By> = By & { readonly limit: number | undefined };

/** How the CRM spells its operations. The values in them are checked already. */
export interface CrmDialect {
  /** How it words refusals and limits. */
  readonly http: HttpDialect;
  /** The prefix of every path. */
  readonly pathPrefix: (version: string) => string;
  /** `idempotencyKey`: the caller's own, which is the same at every repetition. */
  readonly create: (object: CrmObject, fields: object, idempotencyKey: string | undefined) => Endpoint;
  readonly update: (object: CrmObject, id: string, fields: object) => Endpoint;
  readonly search: <Object extends keyof Searches>(
    object: Object,
    by: CheckedSearch<Searches[Object]>,
  ) => SearchEndpoint;
  /** Objects whose search the CRM may lack: a 404 then means that there is nothing to find, and isn't asked again. */
  readonly optionalSearches: readonly CrmObject[];
  /** The names under which an answer holds its rows, where it is no bare array. */
  readonly rowsUnder: readonly string[];
  /** Where the rows go on that did not fit into this answer; `undefined`: these were all. */
  readonly nextPage: (answer: unknown) => Endpoint | undefined;
  /** A new lead and the Task about it in one request: both are made, or neither. `undefined`: not possible. */
  readonly createLeadWithTask: LeadWithTaskOperation | undefined;
}

/** One request that makes a lead and the Task about it. */
export interface LeadWithTaskOperation {
  readonly endpoint: (both: NewLeadWithTask & { readonly version: string }) => Endpoint;
  /** The ids that its answer gives; throws when one is missing. */
  readonly returns: (answer: unknown) => CreatedLeadWithTask;
}

const matchPhone: MatchPhone = (object, phone) =>
  (object === 'Contact' ? ['Phone', 'MobilePhone'] : ['Phone']).map((field) => ({ field, value: phone }));

const queries = createQueries(matchPhone);

/** The most rows that the interface document's search is asked for. */
const maximumRows = 200;

/** As the interface document writes them; the update, which it only names, as the real CRM does. */
export const documentedCrm: CrmDialect = {
  http: { unwrap: rejectUnsuccessful, problemsOf: unsuccessfulProblems },
  pathPrefix: (version) => `services/data/v${version}/`,
  create: (object, fields) => ({ method: 'POST', path: `${path`sobjects/${object}`}/`, body: fields }),
  update: (object, id, fields) => ({ method: 'PATCH', path: path`sobjects/${object}/${id}`, body: fields }),
  search: (object, by) => ({
    method: 'POST',
    path: `sobjects/${object}/search`,
    body: { q: queries[object](by), limit: by.limit ?? maximumRows },
  }),
  optionalSearches: ['Contact', 'Account'],
  rowsUnder: ['data', 'records'],
  nextPage: () => undefined,
  createLeadWithTask: undefined,
};
