import type { Fields } from './fields.ts';
import type { OperationName } from './operations.ts';
import type { Refused } from './refused.ts';

/** The request of an endpoint, checked against its row. */
export interface EndpointCall<Store> {
  readonly store: Store;
  /** The decoded values of `{id}` and the like in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer of an endpoint. No body: an empty one. */
export interface EndpointAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** The writes that were done, where they are not the row's own. */
  readonly effects?: readonly OperationName[];
}

/** One row of a contract. */
export interface Endpoint<Store> {
  readonly operation: OperationName;
  /** Returns the operation of a request, for a row that serves several. */
  readonly operationOf?: (request: Pick<EndpointCall<Store>, 'query' | 'body' | 'params'>) => OperationName | undefined;
  /** Needs no credential. */
  readonly isOpen?: true;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/contacts/{id}`. One that ends in a slash is also found without it. */
  readonly path: string;
  /** Writes are counted as side effects and honour `Idempotency-Key`. */
  readonly effect: 'read' | 'write';
  /** The row is meant only when the body says so: some APIs put several operations on one path. */
  readonly when?: Readonly<Record<string, string>>;
  readonly body?: Fields;
  readonly query?: Fields;
  /** Throws `Refused`, and then has changed nothing. */
  readonly answer: (call: EndpointCall<Store>) => EndpointAnswer;
}

/** The place where the version of an API is pinned. */
export type Versioning =
  | { readonly header: string; readonly value: string }
  /** Several are supported; a request without the header gets the version that the app was made with. */
  | { readonly header: string; readonly values: readonly string[]; readonly value: string }
  | { readonly path: string }
  | VersionedPaths
  | 'in-base-url';

/** Several versions, each under a path of its own. */
export interface VersionedPaths {
  /** The path after its version; `undefined` when it has none. */
  readonly behind: (path: string) => string | undefined;
  /** Throws `Refused` for a version that is not served. */
  readonly assertServed: (path: string) => void;
}

/** The ways in which every endpoint of an API refuses. */
export type CommonRefusal =
  | 'unauthorized'
  | 'version'
  | 'path'
  | 'method'
  | 'media'
  | 'json'
  | 'missing'
  | 'type'
  | 'unknown'
  | 'limited'
  | 'key-reused'
  | 'key-mismatch'
  | 'fault';

/** Everything that is particular to one API. */
export interface Contract<Store> {
  readonly endpoints: readonly Endpoint<Store>[];
  /** Status and code of each common refusal. */
  readonly refusals: Readonly<Record<CommonRefusal, readonly [status: number, code: string]>>;
  /** The error body, as this API spells it. */
  readonly errorBody: (refused: Refused, requestId: string) => unknown;
  /** The field of a write's body that is an idempotency key too. */
  readonly keyField?: string;
}

/** The result of looking for a path. */
export type Found<Store> =
  | { readonly endpoint: Endpoint<Store>; readonly params: Readonly<Record<string, string>> }
  | { readonly endpoint?: undefined; readonly why: 'path' }
  | { readonly endpoint?: undefined; readonly why: 'method'; readonly allowed: readonly string[] }
  | { readonly endpoint?: undefined; readonly why: 'body'; readonly field: string; readonly missing: boolean };

/** Finds the row that a request is meant for, or says why there is none. */
export const findEndpoint = <Store>(
  endpoints: readonly Endpoint<Store>[],
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Found<Store> => {
  const here = endpoints.flatMap((endpoint) => {
    const params = matchPath(endpoint.path, path);
    return params ? [{ endpoint, params }] : [];
  });
  // A path without a parameter in its last place wins: /customers/search is not a customer.
  const exact = here.filter(({ params }) => Object.keys(params).length === 0);
  const candidates = exact.length > 0 ? exact : here;
  if (candidates.length === 0) return { why: 'path' };
  const spoken = candidates.filter(({ endpoint }) => endpoint.method === method);
  if (spoken.length === 0) return { why: 'method', allowed: candidates.map(({ endpoint }) => endpoint.method) };
  const meant = spoken.find(({ endpoint }) =>
    Object.entries(endpoint.when ?? {}).every(([field, value]) => body[field] === value),
  );
  if (meant) return meant;
  const fields = [...new Set(spoken.flatMap(({ endpoint }) => Object.keys(endpoint.when ?? {})))];
  const field =
    fields.find((name) => spoken.every(({ endpoint }) => endpoint.when?.[name] !== body[name])) ?? fields[0] ?? '';
  return { why: 'body', field, missing: body[field] === undefined };
};

const matchPath = (pattern: string, path: string): Record<string, string> | undefined => {
  const wanted = (pattern.endsWith('/') ? pattern.slice(0, -1) : pattern).split('/');
  const given = (pattern.endsWith('/') && path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const segment = given[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === '') return undefined;
    params[part.slice(1, -1)] = value;
  }
  return params;
};

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};
