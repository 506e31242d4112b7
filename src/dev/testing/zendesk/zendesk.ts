import type { Limit } from '../../../http/operation.ts';
import type { FakeRequest } from '../fake-request.ts';
import { createKeptAnswers } from '../kept-answers.ts';
import type { OperationName } from '../operations.ts';
import { parseRequest } from '../parse-request.ts';
import type { ApiContext, FakeApi, Performed, RequestMeter, RequestPlan } from '../pipeline.ts';
import { Refused } from '../refused.ts';
import { createRequestWindow } from '../request-window.ts';
import { assertKnown, type ZendeskEndpoint } from './call.ts';
import { zendeskEndpoints } from './endpoints.ts';
import type { FakeZendeskOptions } from './options.ts';
import { createZendeskStore } from './store.ts';
import { createZendeskTokens } from './tokens.ts';
import { zendeskView } from './view.ts';

/**
 * An account of Zendesk. It admits a request by credential, scope, content type, endpoint and names, in this order, then
 * looks at its idempotency key and its record.
 */
export const createZendesk = (options: FakeZendeskOptions) => {
  const store = createZendeskStore(options.role);
  const tokens = createZendeskTokens();
  const { rateLimit = { limit: 200, perMs: 60_000 }, searchDelayMs = 60_000, pageSize = 100 } = options;
  const kept = createKeptAnswers({
    forMs: 2 * 60 * 60_000,
    conflict: () =>
      new Refused(400, 'IdempotentRequestError', 'Request parameters are different from the first request'),
  });

  const read =
    ({ isAccepted, onEffect }: ApiContext) =>
    (request: FakeRequest): RequestPlan => {
      const { method, headers } = request;
      const { path, body, json, isObject } = parseRequest(request, 'authorization');
      const at = request.url.indexOf('?');
      const query = new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1));
      const credential = credentialIn(headers['authorization'] ?? '');
      // Pages lead back here, so that no client leaves this computer.
      const address = `http://${headers['host'] ?? '127.0.0.1'}${path}`;
      const route = /^\/api\/v2\/(.*?)(?:\.json)?$/.exec(path)?.[1] ?? '';
      const endpoint = zendeskEndpoints.find((one) => one.method === method && one.path.test(route));
      const operation = endpoint && operationOf(endpoint, body);
      const key = route === 'tickets' && method === 'POST' ? headers['idempotency-key'] : undefined;
      let isMiss = false;

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

      const work = (): Performed => {
        if (!endpoint || !operation) throw new Refused(404, 'InvalidEndpoint', 'Not found');
        isMiss = key !== undefined;
        const recordsBefore = store.users.size + store.organizations.size;
        const ids = endpoint.path.exec(route);
        const answer = endpoint.answer({
          store,
          id: Number(ids?.[1]),
          secondId: Number(ids?.[2]),
          query,
          body,
          isIndexed: (createdAt) => Date.parse(createdAt) + searchDelayMs <= Date.now(),
          page,
        });
        const executed = method !== 'GET';
        if (executed) onEffect(operation, headers['idempotency-key']);
        const isUpdate =
          route.endsWith('/create_or_update') && store.users.size + store.organizations.size === recordsBefore;
        const isNew = method === 'POST' && !isUpdate;
        return { answer: { status: isNew ? 201 : 200, body: structuredClone(answer) }, executed, replayed: false };
      };

      return {
        path,
        operation,
        credential,
        body: json,
        admit: () => {
          if (!isAccepted(credential)) throw unauthorized(headers['authorization']);
          const missing = tokens.missingScope(credential, method);
          if (missing !== undefined)
            throw new Refused(403, 'Forbidden', `You are missing the following required scopes: ${missing}`);
          if (request.body !== '' && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
            throw new Refused(415, 'UnsupportedMediaType', 'The content type must be application/json');
          if (request.body !== '' && !isObject)
            throw new Refused(422, 'Unprocessable Entity', '', {
              more: { message: 'Server could not parse JSON', description: undefined },
            });
          if (!endpoint) throw new Refused(404, 'InvalidEndpoint', 'Not found');
          assertKnown(endpoint, { query, body });
        },
        perform: () => kept.once(key, JSON.stringify(json), work),
        headers: (performed, requestId) => ({
          'x-request-id': requestId,
          'x-idempotency-lookup': performed?.replayed ? 'hit' : isMiss ? 'miss' : undefined,
        }),
      };
    };

  return {
    zendesk: zendeskView(store),
    createApi: (context: ApiContext): FakeApi => ({
      api: 'messaging',
      credentialHeader: 'authorization',
      contentType: 'application/json; charset=utf-8',
      latencyMs: options.latencyMs,
      bodies: options.bodies,
      meter: rateLimit ? createZendeskMeter(rateLimit) : undefined,
      read: read(context),
      errorBody,
      faultRefusal: (status) => {
        if (status === 401) return unauthorized();
        if (status === 429) return overLimit();
        const code = status === 409 ? 'DatabaseConflict' : status >= 500 ? 'InternalError' : 'Fault';
        return new Refused(status, code, `Fault: ${status}`);
      },
    }),
    tokens,
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

const createZendeskMeter = (limit: Limit): RequestMeter => {
  const window = createRequestWindow(limit);
  return {
    count: () => {
      if (window.take(performance.now()) <= 0) return;
      const seconds = Math.max(1, Math.ceil(window.emptyInMs(performance.now()) / 1_000));
      throw overLimit({ 'retry-after': String(seconds) });
    },
    headers: () => ({
      'x-rate-limit': String(limit.limit),
      'x-rate-limit-remaining': String(window.left(performance.now())),
      'ratelimit-reset': '1',
    }),
  };
};

const overLimit = (headers: Readonly<Record<string, string>> = {}): Refused =>
  new Refused(429, '', 'Number of allowed API requests per minute exceeded', {
    headers: { 'content-type': 'text/plain', ...headers },
  });

/** A 429 is plain text, as Zendesk's is. */
const errorBody = ({ status, code, message, more }: Refused): unknown => {
  if (status === 429) return message;
  return status === 401 ? { error: code, ...more } : { error: code, description: message, ...more };
};
