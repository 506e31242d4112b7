import type { FakeRequest, Handled, RecordedRequest } from '../fake-request.ts';
import type { Faults, PlannedFault } from '../faults.ts';
import type { OperationName } from '../operations.ts';
import { parseRequest } from '../parse-request.ts';
import { Refused } from '../refused.ts';
import { createRequestWindow } from '../request-window.ts';
import { assertKnown, type ZendeskEndpoint } from './call.ts';
import { zendeskEndpoints } from './endpoints.ts';
import { createKeptTickets, type ZendeskResult } from './kept-tickets.ts';
import type { FakeZendeskOptions } from './options.ts';
import { createZendeskStore } from './store.ts';
import { createZendeskTokens } from './tokens.ts';
import { zendeskView } from './view.ts';
import { createTokenHandler } from '../token-handler.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

/** What the fake account shares with the rest of the platform. */
export interface ZendeskContext {
  readonly faults: Faults;
  readonly recordCredentials: boolean;
  readonly isAccepted: (credential: string) => boolean;
  readonly nextRequestId: () => string;
  readonly onRequest: (request: RecordedRequest) => void;
  readonly onEffect: (operation: OperationName, idempotencyKey: string | undefined) => void;
}

/**
 * Answers as an account of Zendesk does. It checks, in this order: rate limit, faults, credential, scope, content type, endpoint,
 * idempotency key, record; then it does the work.
 */
export const createZendesk = (options: FakeZendeskOptions) => {
  const store = createZendeskStore(options.role);
  const tokens = createZendeskTokens();
  const { rateLimit = { limit: 200, perMs: 60_000 }, searchDelayMs = 60_000, pageSize = 100 } = options;
  const window = rateLimit ? createRequestWindow(rateLimit) : undefined;
  const kept = createKeptTickets();

  const createHandler =
    (context: ZendeskContext) =>
    (request: FakeRequest): Handled => {
      const { method, headers } = request;
      const { path, body, json, isObject } = parseRequest(request, 'authorization');
      const at = request.url.indexOf('?');
      const query = new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1));
      const credential = credentialIn(headers['authorization'] ?? '');
      const isAccepted = context.isAccepted(credential) || tokens.isValid(credential);
      // Pages lead back here, so that no client leaves this computer.
      const address = `http://${headers['host'] ?? '127.0.0.1'}${path}`;
      const route = /^\/api\/v2\/(.*?)(?:\.json)?$/.exec(path)?.[1] ?? '';
      const endpoint = zendeskEndpoints.find((one) => one.method === method && one.path.test(route));
      const operation = endpoint && operationOf(endpoint, body);
      const key = route === 'tickets' && method === 'POST' ? headers['idempotency-key'] : undefined;
      let fault: PlannedFault | undefined;
      let executed = false;
      let lookup: 'hit' | 'miss' | undefined;

      const page = (name: string, records: readonly object[]): object => {
        if (query.has('page[size]')) return cursorPage({ name, records, query, pageSize, address });
        const size = Math.min(numberIn(query, 'per_page', pageSize), pageSize);
        const number = numberIn(query, 'page', 1);
        assertReachable(route, { number, size });
        const hasMore = number * size < records.length;
        const next = new URLSearchParams(query);
        next.set('page', String(number + 1));
        return {
          [name]: records.slice((number - 1) * size, number * size),
          count: records.length,
          next_page: hasMore ? `${address}?${next}` : null,
          previous_page: null,
        };
      };

      const perform = (meant: ZendeskEndpoint, name: OperationName): ZendeskResult => {
        const fingerprint = JSON.stringify(json);
        const before = key === undefined ? undefined : kept.find(key, fingerprint);
        if (key !== undefined) lookup = before ? 'hit' : 'miss';
        if (before) return before;
        const recordsBefore = store.users.size + store.organizations.size;
        const ids = meant.path.exec(route);
        const answer = meant.answer({
          store,
          id: Number(ids?.[1]),
          secondId: Number(ids?.[2]),
          query,
          body,
          isIndexed: (createdAt) => Date.parse(createdAt) + searchDelayMs <= Date.now(),
          page,
        });
        executed = method !== 'GET';
        if (executed) context.onEffect(name, headers['idempotency-key']);
        const isUpdate =
          route.endsWith('/create_or_update') && store.users.size + store.organizations.size === recordsBefore;
        const isNew = method === 'POST' && !isUpdate;
        const result: ZendeskResult = { status: isNew ? 201 : 200, body: structuredClone(answer) };
        if (key !== undefined) kept.keep(key, fingerprint, result);
        return result;
      };

      const answer = (): ZendeskResult => {
        try {
          if ((window?.take(performance.now()) ?? 0) > 0) return overLimit(window?.emptyInMs(performance.now()) ?? 0);
          fault = operation && context.faults.take('messaging', operation, credential);
          if (fault && !fault.executes) return faultResult(fault);
          if (!isAccepted) throw unauthorized(headers['authorization']);
          const missing = tokens.missingScope(credential, method);
          if (missing !== undefined)
            throw new Refused(403, 'Forbidden', `You are missing the following required scopes: ${missing}`);
          if (request.body !== '' && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
            throw new Refused(415, 'UnsupportedMediaType', 'The content type must be application/json');
          if (request.body !== '' && !isObject)
            throw new Refused(422, 'Unprocessable Entity', '', {
              more: { message: 'Server could not parse JSON', description: undefined },
            });
          if (!endpoint || !operation) throw new Refused(404, 'InvalidEndpoint', 'Not found');
          assertKnown(endpoint, { query, body });
          const result = perform(endpoint, operation);
          return fault?.status === undefined ? result : faultResult(fault);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return { status: error.status, body: errorBody(error), headers: error.headers };
        }
      };

      const { status, body: answered, headers: own } = answer();
      const delivery = fault?.delivery ?? 'whole';
      context.onRequest({
        api: 'messaging',
        operation,
        method,
        path: request.url,
        headers:
          context.recordCredentials || !headers['authorization'] ? headers : { ...headers, authorization: '***' },
        credential: credential === '' ? 'missing' : isAccepted ? 'accepted' : 'refused',
        idempotencyKey: headers['idempotency-key'],
        body: request.body === '' ? undefined : json,
        status: delivery === 'reset-before-headers' || delivery === 'stall-headers' ? undefined : status,
        executed,
        replayed: lookup === 'hit',
        at: Date.now(),
      });
      return {
        status,
        headers: {
          'content-type': typeof answered === 'string' ? 'text/plain' : 'application/json; charset=utf-8',
          'x-request-id': context.nextRequestId(),
          ...(window && rateLimit && limitHeaders(rateLimit.limit, window.left(performance.now()))),
          ...withoutUndefined({ 'x-idempotency-lookup': lookup }),
          ...own,
          ...fault?.headers,
        },
        body: typeof answered === 'string' ? answered : JSON.stringify(answered),
        latencyMs: fault?.latencyMs || (options.latencyMs ?? 0),
        delivery: delivery === 'whole' ? (options.bodies ?? 'whole') : delivery,
      };
    };

  return {
    view: zendeskView(store),
    createHandler,
    endTokens: tokens.endAll,
    /** Answers requests for tokens; `undefined` for everything else. */
    createTokenHandler: (shared: Pick<ZendeskContext, 'faults' | 'onRequest'>) => {
      const answer = createTokenHandler(tokens.answer, shared, 'messaging');
      return (request: FakeRequest) => (tokens.isAsked(request) ? answer(request) : undefined);
    },
  };
};

const operationOf = ({ operation }: ZendeskEndpoint, body: Readonly<Record<string, unknown>>): OperationName =>
  typeof operation === 'function' ? operation(body) : operation;

/** Zendesk words it in two ways. Source: zendesk/zendesk_api_client_rb#297, read 2026-11-27. */
const unauthorized = (authorization = ''): Refused =>
  /^Bearer /i.test(authorization)
    ? new Refused(401, 'invalid_token', '', {
        more: {
          error_description: 'The access token provided is expired, revoked, malformed or invalid for other reasons.',
        },
      })
    : new Refused(401, "Couldn't authenticate you", '');

/** An OAuth token, or the API token of `agent@example.com/token:…`. */
const credentialIn = (authorization: string): string => {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  return /^[^:]+@[^:]+\/token:(.+)$/.exec(Buffer.from(value, 'base64').toString('utf8'))?.[1] ?? '';
};

const numberIn = (query: URLSearchParams, name: string, usual: number): number => {
  const given = query.get(name);
  if (given === null) return usual;
  if (!/^[1-9]\d*$/.test(given)) throw new Refused(400, 'InvalidValue', `Invalid ${name}`);
  return Number(given);
};

/**
 * Throws `Refused` behind the 1,000 rows of a search, and behind the hundredth page of any other list.
 * Source: developer.zendesk.com, Search, and Pagination; read 2026-11-27.
 */
const assertReachable = (route: string, { number, size }: { readonly number: number; readonly size: number }): void => {
  if (route.endsWith('search') && (number - 1) * size >= 1_000)
    throw new Refused(422, 'invalid', 'Number of results exceeds 1,000: use the export');
  if (number > 100) throw new Refused(400, 'InvalidPaginationDepth', 'Requested response size was greater than 10,000');
};

/** A page of the kind that begins after a record, and says where the next one does. */
const cursorPage = ({
  name,
  records,
  query,
  pageSize,
  address,
}: {
  readonly name: string;
  readonly records: readonly object[];
  readonly query: URLSearchParams;
  readonly pageSize: number;
  readonly address: string;
}): object => {
  const begin = Number(Buffer.from(query.get('page[after]') ?? '', 'base64url').toString('utf8') || 0);
  const wanted = numberIn(query, 'page[size]', pageSize);
  if (wanted > 100) throw new Refused(400, 'InvalidPaginationParameter', 'page[size] is 100 at most');
  const end = begin + Math.min(wanted, pageSize);
  const hasMore = end < records.length;
  const cursor = Buffer.from(String(end)).toString('base64url');
  const next = new URLSearchParams(query);
  next.set('page[after]', cursor);
  return {
    [name]: records.slice(begin, end),
    meta: { has_more: hasMore, after_cursor: hasMore ? cursor : null, before_cursor: null },
    links: { next: hasMore ? `${address}?${next}` : null, prev: null },
  };
};

const limitHeaders = (limit: number, left: number) => ({
  'x-rate-limit': String(limit),
  'x-rate-limit-remaining': String(left),
  'ratelimit-reset': '1',
});

/** Plain text, as Zendesk's is. */
const overLimit = (emptyInMs: number): ZendeskResult => ({
  status: 429,
  body: 'Number of allowed API requests per minute exceeded',
  headers: { 'retry-after': String(Math.max(1, Math.ceil(emptyInMs / 1_000))) },
});

const errorBody = ({ status, code, message, more }: Refused): object =>
  status === 401 ? { error: code, ...more } : { error: code, description: message, ...more };

/** What a fault answers: its own body, or the error that Zendesk has for the status. */
const faultResult = (fault: PlannedFault): ZendeskResult => {
  const { status = 500 } = fault;
  if ('body' in fault) return { status, body: fault.body };
  if (status === 429) return { ...overLimit(1_000), headers: {} };
  const code = status === 409 ? 'DatabaseConflict' : status >= 500 ? 'InternalError' : 'Fault';
  return { status, body: { error: code, description: `Fault: ${status}` } };
};
