import type { OperationName } from '../operations.ts';
import { Refused } from '../refused.ts';
import type { FakeZendeskUser, ZendeskStore } from './store.ts';

/** A request of Zendesk's API. */
export interface ZendeskCall {
  readonly store: ZendeskStore;
  /** The number in the path. */
  readonly id: number;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether a search knows what was made then. */
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
  /** Throws `Refused`. */
  readonly answer: (call: ZendeskCall) => object | undefined;
}

/** A 422: what is wrong, by field. */
export const invalid = (field: string, description: string, error: string): Refused =>
  new Refused(422, 'RecordInvalid', 'Record validation errors', {
    field,
    more: { details: { [field]: [{ description, error }] } },
  });

export const notFound = (): Refused => new Refused(404, 'RecordNotFound', 'Not found');

/** What a write carries: `{ user: { … } }`. Throws `Refused` without it. */
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
  return tags.map(String);
};
