import type { OperationName } from '../operations.ts';
import { Refused } from '../refused.ts';
import type { FakeZendeskUser, ZendeskStore } from './store.ts';

/** A request of Zendesk's API. */
export interface ZendeskCall {
  readonly store: ZendeskStore;
  /** The number in the path. */
  readonly id: number;
  /** The second number in the path, if there is one. */
  readonly secondId: number;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  /** Returns true if a search knows a record of that time. */
  readonly isIndexed: (createdAt: string) => boolean;
  /** One page of records, under their name. */
  readonly page: (name: string, records: readonly object[]) => object;
}

/** One endpoint of Zendesk's API. */
export interface ZendeskEndpoint {
  readonly operation: OperationName | ((body: ZendeskCall['body']) => OperationName);
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Behind `/api/v2/`, without `.json`. */
  readonly path: RegExp;
  /** The parameters that it knows. @defaultValue none */
  readonly query?: readonly string[];
  /** The fields of its body. @defaultValue none */
  readonly body?: readonly string[];
  /** Throws `Refused`. */
  readonly answer: (call: ZendeskCall) => object | undefined;
}

/** A 422: what is wrong, by field. */
export const invalid = (field: string, description: string, error: string): Refused =>
  new Refused(422, 'RecordInvalid', 'Record validation errors', {
    field,
    more: { details: { [field]: [{ description, error }] } },
  });

/**
 * A 400: a parameter or a part of the body that Zendesk doesn't know. Zendesk itself ignores those that don't exist, and
 * reports nothing ("REST API gives 200 response but the request didn't work", support.zendesk.com). The fake is stricter,
 * so that a misspelt name is seen.
 */
const invalidAttribute = (name: string): Refused => {
  const message = `You passed an invalid value for the ${name} attribute. Invalid parameter: ${name} is not permitted`;
  return new Refused(400, 'InvalidAttribute', message, {
    field: name,
    more: { error: { title: 'Invalid attribute', message }, description: undefined },
  });
};

/** Throws `Refused` for a parameter or a part of the body that the endpoint doesn't know. */
export const assertKnown = (endpoint: ZendeskEndpoint, { query, body }: Pick<ZendeskCall, 'query' | 'body'>): void => {
  const unknown =
    [...query.keys()].find((name) => !endpoint.query?.includes(name)) ??
    Object.keys(body).find((name) => !endpoint.body?.includes(name));
  if (unknown !== undefined) throw invalidAttribute(unknown);
};

/** The parameters of a list: which page, by its number or by a cursor. */
export const paging = ['page', 'per_page', 'page[size]', 'page[after]'];

export const notFound = (): Refused => new Refused(404, 'RecordNotFound', 'Not found');

/** Returns the record of a write: `{ user: { … } }`. Throws `Refused` without it. */
export const objectIn = (body: ZendeskCall['body'], name: string): Readonly<Record<string, unknown>> => {
  const given = body[name];
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return given as Readonly<Record<string, unknown>>;
  throw new Refused(400, 'ParameterMissing', `Parameter ${name} is required`, {
    more: { details: { [name]: [{ description: 'is missing', error: 'ParameterMissing' }] } },
  });
};

export const userIn = (store: ZendeskStore, id: number): FakeZendeskUser => {
  const user = store.users.get(id);
  if (!user?.active) throw notFound();
  return user;
};

export const tagsOf = (body: ZendeskCall['body']): readonly string[] => {
  const { tags } = body;
  if (!Array.isArray(tags)) throw new Refused(400, 'ParameterMissing', 'Parameter tags is required');
  return split(tags);
};

/** The tags within a write, if it has some. */
export const withTags = <Given extends ZendeskCall['body']>(given: Given): Given =>
  Array.isArray(given['tags']) ? { ...given, tags: split(given['tags']) } : given;

/** Zendesk makes several tags of one with a space. */
const split = (tags: readonly unknown[]): string[] =>
  tags.flatMap((tag) => String(tag).split(/[\s,]+/)).filter((tag) => tag !== '');

/** External ids and names don't know capitals. */
export const isSame = (own: unknown, wanted: unknown): boolean =>
  typeof own === 'string' && typeof wanted === 'string' && own.toLowerCase() === wanted.toLowerCase();
