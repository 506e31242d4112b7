import type { Limit } from '../../http/operation.ts';
import type { FakeApiOptions } from './api-options.ts';
import {
  type CommonRefusal,
  type Contract,
  type Endpoint,
  findEndpoint,
  type Found,
  type Versioning,
} from './endpoint.ts';
import type { FakeRequest } from './fake-request.ts';
import { firstProblem } from './fields.ts';
import { createKeptAnswers, fingerprintOf } from './kept-answers.ts';
import { type ApiName, documentedOperations } from './operations.ts';
import { type ParsedRequest, parseRequest } from './parse-request.ts';
import type { ApiContext, FakeApi, Performed, RequestMeter } from './pipeline.ts';
import { Refused, type RefusedDetails } from './refused.ts';
import { createRequestWindow } from './request-window.ts';

/** One API, as its contract describes it. */
export interface ContractApi<Store> {
  readonly contract: Contract<Store>;
  readonly versioning: Versioning;
  /** `Authorization` means a bearer token. @defaultValue 'Authorization' */
  readonly credentialHeader?: string;
  /** @defaultValue no limit */
  readonly rateLimit?: Limit;
  /** Counts in place of the rate limit. */
  readonly meter?: RequestMeter | undefined;
  /** Repeats the answer of a write under its idempotency key. @defaultValue true, unless the options say otherwise */
  readonly knowsKeys?: boolean;
}

/**
 * An API of a contract. It admits a request by credential, version, body and row, in this order, then looks at its
 * idempotency key and its fields.
 */
export const createContractApi = <Store>(
  api: ApiName,
  { versioning, ...own }: ContractApi<Store> & { readonly store: Store },
  options: FakeApiOptions,
  { isAccepted, onEffect }: ApiContext,
): FakeApi => {
  const contract = options.endpoints === 'documented' ? onlyDocumented(own.contract) : own.contract;
  const credentialHeader = (own.credentialHeader ?? 'authorization').toLowerCase();
  const rateLimit = options.rateLimit ?? own.rateLimit;

  const refusal = (kind: CommonRefusal, message: string, details?: RefusedDetails) => {
    const [status, code] = contract.refusals[kind];
    return new Refused(status, code, message, details);
  };
  const kept = createKeptAnswers({
    conflict: () => refusal('key-reused', 'The idempotency key was used for another request'),
  });

  const find = ({ request, path, query, body }: ParsedRequest): Found<Store> => {
    const inner = behindVersion(versioning, path);
    if (inner === undefined) return { why: 'path' };
    const found = findEndpoint(contract.endpoints, request.method, inner, body);
    const meant = found.endpoint?.operationOf?.({ query, body, params: found.params });
    return found.endpoint && meant ? { ...found, endpoint: { ...found.endpoint, operation: meant } } : found;
  };

  const assertCredential = ({ credential }: ParsedRequest) => {
    if (credential === '') throw refusal('unauthorized', 'Credential missing');
    if (!isAccepted(credential)) throw refusal('unauthorized', 'Credential not accepted');
  };

  const assertVersion = ({ request, path }: ParsedRequest) => {
    if (typeof versioning === 'object' && 'behind' in versioning) return versioning.assertServed(path);
    if (typeof versioning !== 'object' || !('header' in versioning)) return;
    const { header, value } = versioning;
    const asked = request.headers[header.toLowerCase()];
    if ('values' in versioning ? asked === undefined || versioning.values.includes(asked) : asked === value) return;
    const problem = asked === undefined ? 'is missing' : 'names a version that this API does not speak';
    throw refusal('version', `${header} ${problem}`, { field: header });
  };

  const assertJson = ({ request, isObject }: ParsedRequest) => {
    if (request.body === '') return;
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      throw refusal('media', 'The body must be application/json');
    }
    if (!isObject) throw refusal('json', 'The body must be a JSON object');
  };

  const noEndpoint = (missing: Exclude<Found<Store>, { endpoint: Endpoint<Store> }>, method: string) => {
    switch (missing.why) {
      case 'path':
        return refusal('path', 'No such resource');
      case 'method':
        return refusal('method', `${method} is not allowed here`, {
          headers: { allow: [...new Set(missing.allowed)].join(', ') },
        });
      case 'body': {
        const { field } = missing;
        if (missing.missing) return refusal('missing', `${field} is required`, { field });
        return refusal('type', `${field} is not one that this path takes`, { field });
      }
    }
  };

  const assertFields = ({ query, body }: ParsedRequest, endpoint: Endpoint<Store>) => {
    const problem = firstProblem(endpoint.query ?? {}, query) ?? firstProblem(endpoint.body ?? {}, body);
    if (problem) throw refusal(problem.kind, `${problem.field} ${problem.problem}`, { field: problem.field });
  };

  /** Returns the key of the header, or of the body's field that means the same. */
  const keyOf = ({ request, body }: ParsedRequest): string | undefined => {
    const inHeader = request.headers['idempotency-key'];
    const inBody = contract.keyField === undefined ? undefined : body[contract.keyField];
    if (typeof inBody !== 'string') return inHeader;
    if (inHeader === undefined || inHeader === inBody) return inBody;
    throw refusal('key-mismatch', 'The idempotency keys in header and body differ', { field: contract.keyField });
  };

  const perform = (parsed: ParsedRequest, found: Found<Store>): Performed => {
    if (!found.endpoint) throw noEndpoint(found, parsed.request.method);
    const { endpoint, params } = found;
    const { query, body, request } = parsed;
    const work = () => {
      assertFields(parsed, endpoint);
      return endpoint.answer({ store: own.store, params, query, body, headers: request.headers });
    };
    if (endpoint.effect === 'read') return { answer: work(), executed: false, replayed: false };
    const key = keyOf(parsed);
    const write = (): Performed => {
      const { effects = [endpoint.operation], ...answer } = work();
      for (const done of effects) onEffect(done, key);
      return { answer, executed: true, replayed: false };
    };
    const knowsKeys = own.knowsKeys ?? options.idempotency !== 'none';
    return knowsKeys ? kept.once(key, fingerprintOf(request.method, request.url, body), write) : write();
  };

  return {
    api,
    credentialHeader,
    contentType: 'application/json; charset=utf-8',
    latencyMs: options.latencyMs,
    bodies: options.bodies,
    meter: own.meter ?? (rateLimit ? createWindowMeter(rateLimit, refusal) : undefined),
    errorBody: contract.errorBody,
    faultRefusal: (status) => {
      const [, code] = contract.refusals[status === 401 ? 'unauthorized' : status === 429 ? 'limited' : 'fault'];
      return new Refused(status, code, `Fault: ${status}`);
    },
    read: (request: FakeRequest) => {
      const parsed = parseRequest(request, credentialHeader);
      const found = find(parsed);
      return {
        path: parsed.path,
        operation: found.endpoint?.operation,
        credential: parsed.credential,
        body: parsed.json,
        admit: () => {
          if (!found.endpoint?.isOpen) assertCredential(parsed);
          assertVersion(parsed);
          assertJson(parsed);
        },
        perform: () => {
          const performed = perform(parsed, found);
          if (options.phones !== 'formatted') return performed;
          const { answer } = performed;
          return { ...performed, answer: { ...answer, body: withFormattedPhones(answer.body) } };
        },
        headers: (performed, requestId) => ({
          'idempotency-replayed': performed?.replayed ? 'true' : undefined,
          'x-request-id': requestId,
          ...versionHeader(versioning),
        }),
      };
    },
  };
};

/** A limit of a sliding window, with `Retry-After` over it. */
const createWindowMeter = (
  limit: Limit,
  refusal: (kind: CommonRefusal, message: string, details: RefusedDetails) => Refused,
): RequestMeter => {
  const window = createRequestWindow(limit);
  return {
    count: () => {
      const waitMs = window.take(performance.now());
      if (waitMs <= 0) return;
      throw refusal('limited', 'Rate limit exceeded', { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } });
    },
    headers: () => {
      const resetAt = (Date.now() + window.emptyInMs(performance.now())) / 1000;
      return {
        'x-ratelimit-remaining': String(window.left(performance.now())),
        'x-ratelimit-reset': String(Math.ceil(resetAt)),
      };
    },
  };
};

/** An API that has the default API's endpoints alone, and answers 404 to everything else. */
const onlyDocumented = <Store>(contract: Contract<Store>): Contract<Store> => ({
  ...contract,
  endpoints: contract.endpoints.filter(({ operation }) => documentedOperations.has(operation)),
  refusals: { ...contract.refusals, method: contract.refusals.path },
});

/** The path after its version; `undefined` when that is another one. */
const behindVersion = (versioning: Versioning, path: string): string | undefined => {
  if (typeof versioning !== 'object' || 'header' in versioning) return path;
  if ('behind' in versioning) return versioning.behind(path);
  const prefix = `/${versioning.path}`;
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
};

const versionHeader = (versioning: Versioning): Record<string, string> =>
  typeof versioning === 'object' && 'header' in versioning ? { [versioning.header]: versioning.value } : {};

/** Copies a body, with each E.164 number in a phone field written the way people type it. */
const withFormattedPhones = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(withFormattedPhones);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && /phone$/i.test(name) ? formatted(value) : withFormattedPhones(value),
    ]),
  );
};

/** North American numbers without their country code, others in groups after it. */
const formatted = (phone: string): string =>
  phone.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3').replace(/^\+(\d{2})(\d{2})(\d{4})(\d+)$/, '+$1 $2 $3 $4');
