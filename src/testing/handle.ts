import type { Clock } from '../clock.ts';
import { fingerprintOf, type KeptAnswers } from './answers.ts';
import {
  type CommonRefusal,
  type Contract,
  type Endpoint,
  type EndpointAnswer,
  findEndpoint,
  type Versioning,
} from './endpoint.ts';
import type { Delivery, Faults, PlannedFault } from './faults.ts';
import { firstProblem } from './fields.ts';
import type { ApiName, OperationName } from './operations.ts';
import { Refused } from './refused.ts';
import type { RequestWindow } from './request-window.ts';

/** A request, wherever it came from. */
export interface FakeRequest {
  readonly method: string;
  /** Path and query, without the base address. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What is to be sent back, and how. */
export interface Handled {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long to wait before. */
  readonly latencyMs: number;
  readonly delivery: Delivery;
}

/** A request as the fake platform remembers it. */
export interface RecordedRequest {
  readonly api: ApiName;
  /** `undefined` when no endpoint was meant. */
  readonly operation: OperationName | undefined;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. The credential stands as `***` unless the platform was told to record it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: 'accepted' | 'refused' | 'missing';
  readonly idempotencyKey: string | undefined;
  /** The parsed JSON, or the text when it is none; `undefined` when empty. */
  readonly body: unknown;
  /** What the answer's head says; `undefined` when a fault let no answer out. */
  readonly status: number | undefined;
  /** The work was done for this very request. */
  readonly executed: boolean;
  /** The answer is that of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What one API needs to answer. */
export interface HandlerOptions<Store> {
  readonly api: ApiName;
  readonly contract: Contract<Store>;
  readonly store: Store;
  readonly versioning: Versioning;
  /** In lower case. `authorization` means a bearer token. */
  readonly credentialHeader: string;
  readonly isAccepted: (credential: string) => boolean;
  readonly recordCredentials: boolean;
  readonly window: RequestWindow | undefined;
  /** `undefined`: the API knows no idempotency keys. */
  readonly answers: KeptAnswers | undefined;
  readonly faults: Faults;
  readonly clock: Clock;
  readonly nextRequestId: () => string;
  readonly onRequest: (request: RecordedRequest) => void;
  readonly onEffect: (operation: OperationName, idempotencyKey: string | undefined) => void;
}

/** Answers one request. No input or output: time, counters and records are the caller's. */
export const createHandler = <Store>(options: HandlerOptions<Store>): ((request: FakeRequest) => Handled) => {
  const { api, contract, store, versioning, window, answers, faults, clock } = options;

  const refusal = (kind: CommonRefusal, message: string, more?: ConstructorParameters<typeof Refused>[3]) => {
    const [status, code] = contract.refusals[kind];
    return new Refused(status, code, message, more);
  };

  const refuseOverLimit = () => {
    const waitMs = window?.take(clock.now()) ?? 0;
    if (waitMs <= 0) return;
    throw refusal('limited', 'Rate limit exceeded', { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } });
  };

  /** Everything that is checked before the row is asked. */
  const refuseUnfit = (request: FakeRequest, parsed: Parsed, credential: string) => {
    if (credential === '') throw refusal('unauthorized', 'Credential missing');
    if (!options.isAccepted(credential)) throw refusal('unauthorized', 'Credential not accepted');
    if (typeof versioning === 'object' && 'header' in versioning) {
      const given = request.headers[versioning.header.toLowerCase()];
      if (given !== versioning.value) {
        const problem = given === undefined ? 'is missing' : 'names a version that this API does not speak';
        throw refusal('version', `${versioning.header} ${problem}`, { field: versioning.header });
      }
    }
    if (request.body !== '') {
      if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
        throw refusal('media', 'The body must be application/json');
      }
      if (!parsed.isObject) throw refusal('json', 'The body must be a JSON object');
    }
  };

  const endpointFor = (request: FakeRequest, parsed: Parsed) => {
    const path = inVersion(versioning, parsed.path);
    return path === undefined
      ? ({ why: 'path' } as const)
      : findEndpoint(contract.endpoints, request.method, path, parsed.body);
  };

  const refuseFields = (endpoint: Endpoint<Store>, parsed: Parsed) => {
    const problem = firstProblem(endpoint.query ?? {}, parsed.query) ?? firstProblem(endpoint.body ?? {}, parsed.body);
    if (problem) throw refusal(problem.kind, `${problem.field} ${problem.problem}`, { field: problem.field });
  };

  /** The header, or the field of the body that means the same. */
  const keyOf = (endpoint: Endpoint<Store>, request: FakeRequest, parsed: Parsed): string | undefined => {
    if (endpoint.effect === 'read') return undefined;
    const inHeader = request.headers['idempotency-key'];
    const inBody = contract.keyField === undefined ? undefined : parsed.body[contract.keyField];
    if (inHeader !== undefined && typeof inBody === 'string' && inHeader !== inBody) {
      throw refusal('key-mismatch', 'The idempotency keys in header and body differ', { field: contract.keyField });
    }
    return inHeader ?? (typeof inBody === 'string' ? inBody : undefined);
  };

  const work = (
    { endpoint, params }: { endpoint: Endpoint<Store>; params: Readonly<Record<string, string>> },
    request: FakeRequest,
    parsed: Parsed,
    note: Note,
  ): EndpointAnswer => {
    const key = keyOf(endpoint, request, parsed);
    const fingerprint = fingerprintOf(request.method, request.url, parsed.body);
    const kept = key === undefined ? undefined : answers?.find(key, fingerprint);
    if (kept === 'conflict') throw refusal('key-reused', 'The idempotency key was used for another request');
    if (kept) {
      note.replayed = true;
      return kept;
    }
    refuseFields(endpoint, parsed);
    const answer = endpoint.answer({ store, params, query: parsed.query, body: parsed.body });
    if (endpoint.effect === 'write') {
      note.executed = true;
      if (key !== undefined) answers?.keep(key, fingerprint, answer);
      options.onEffect(endpoint.operation, key);
    }
    return answer;
  };

  return (request) => {
    const parsed = parse(request);
    const requestId = options.nextRequestId();
    const credential = credentialIn(request.headers, options.credentialHeader);
    const found = endpointFor(request, parsed);
    const note: Note = { executed: false, replayed: false };
    let fault: PlannedFault | undefined;

    const answer = (): EndpointAnswer & { headers?: Readonly<Record<string, string>> } => {
      try {
        refuseOverLimit();
        fault = found.endpoint && faults.take(api, found.endpoint.operation, credential);
        if (fault && !fault.executes) return faulty(fault);
        refuseUnfit(request, parsed, credential);
        if (!found.endpoint) throw noEndpoint(found);
        const usual = work(found, request, parsed, note);
        return fault?.status === undefined ? usual : faulty(fault);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return { status: error.status, body: contract.errorBody(error, requestId), headers: error.headers };
      }
    };

    const faulty = ({ status = 500, body, headers, ...rest }: PlannedFault) => {
      if ('body' in rest || body !== undefined) return { status, body, headers };
      const [, code] = contract.refusals[status === 401 ? 'unauthorized' : status === 429 ? 'limited' : 'fault'];
      return { status, body: contract.errorBody(new Refused(status, code, `Fault: ${status}`), requestId), headers };
    };

    const noEndpoint = (missing: Exclude<typeof found, { endpoint: Endpoint<Store> }>) => {
      if (missing.why === 'path') return refusal('path', 'No such resource');
      if (missing.why === 'body') {
        const problem = missing.missing ? 'is required' : 'is not one that this path takes';
        return refusal(missing.missing ? 'missing' : 'type', `${missing.field} ${problem}`, { field: missing.field });
      }
      return refusal('method', `${request.method} is not allowed here`, {
        headers: { allow: [...new Set(missing.allowed)].join(', ') },
      });
    };

    const { status, body, headers = {} } = answer();
    const delivery = fault?.delivery ?? 'whole';
    options.onRequest({
      api,
      operation: found.endpoint?.operation,
      method: request.method,
      path: request.url,
      headers: options.recordCredentials ? request.headers : masked(request.headers, options.credentialHeader),
      credential: credential === '' ? 'missing' : options.isAccepted(credential) ? 'accepted' : 'refused',
      idempotencyKey: request.headers['idempotency-key'],
      body: request.body === '' ? undefined : parsed.json,
      status: delivery === 'reset-before-headers' || delivery === 'stall-headers' ? undefined : status,
      ...note,
      at: clock.wallNow(),
    });
    return {
      status,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        'x-request-id': requestId,
        ...(typeof versioning === 'object' && 'header' in versioning
          ? { [versioning.header.toLowerCase()]: versioning.value }
          : {}),
        ...limitHeaders(window, clock),
        ...(note.replayed ? { 'idempotency-replayed': 'true' } : {}),
        ...lowerCased(headers),
        ...lowerCased(fault?.headers ?? {}),
      },
      body: body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
      latencyMs: fault?.latencyMs ?? 0,
      delivery,
    };
  };
};

interface Note {
  executed: boolean;
  replayed: boolean;
}

interface Parsed {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly json: unknown;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isObject: boolean;
}

const parse = ({ url, body }: FakeRequest): Parsed => {
  const at = url.indexOf('?');
  const json = toJson(body);
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return {
    path: at === -1 ? url : url.slice(0, at),
    query: at === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(at + 1))),
    json,
    // Just seen to be an object.
    body: isObject ? (json as Readonly<Record<string, unknown>>) : {},
    isObject,
  };
};

const toJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** The path behind its version; `undefined` when that is another one. */
const inVersion = (versioning: Versioning, path: string): string | undefined => {
  if (typeof versioning !== 'object' || 'header' in versioning) return path;
  const prefix = `/${versioning.path}`;
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
};

const credentialIn = (headers: Readonly<Record<string, string>>, header: string): string => {
  const value = headers[header] ?? '';
  return header === 'authorization' ? (/^Bearer +(\S+)$/i.exec(value)?.[1] ?? '') : value;
};

const masked = (headers: Readonly<Record<string, string>>, header: string) =>
  header in headers ? { ...headers, [header]: '***' } : headers;

const limitHeaders = (window: RequestWindow | undefined, clock: Clock): Record<string, string> => {
  if (!window) return {};
  const left = window.left(clock.now());
  const resetAt = (clock.wallNow() + window.emptyInMs(clock.now())) / 1000;
  return { 'x-ratelimit-remaining': String(left), 'x-ratelimit-reset': String(Math.ceil(resetAt)) };
};

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
