import { type Admission, createAdmission } from './admit.ts';
import type { KeptAnswers } from './answers.ts';
import type { Contract, EndpointAnswer, Versioning } from './endpoint.ts';
import type { FakeRequest, Handled, RecordedRequest } from './fake-request.ts';
import type { Delivery, Faults, PlannedFault } from './faults.ts';
import { withFormattedPhones } from './formatted-phones.ts';
import type { ApiName, OperationName } from './operations.ts';
import { parseRequest } from './parse-request.ts';
import { createPerform, type Performed } from './perform.ts';
import { Refused } from './refused.ts';
import type { RequestWindow } from './request-window.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

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
  readonly latencyMs: number;
  readonly bodies: 'whole' | 'bytes';
  readonly phones: 'e164' | 'formatted';
  readonly window: RequestWindow | undefined;
  /** Counts what an API counts in its own way. */
  readonly meter?: RequestMeter | undefined;
  /** `undefined`: the API knows no idempotency keys. */
  readonly answers: KeptAnswers | undefined;
  readonly faults: Faults;
  readonly nextRequestId: () => string;
  readonly onRequest: (request: RecordedRequest) => void;
  readonly onEffect: (operation: OperationName, idempotencyKey: string | undefined) => void;
}

/** An API's own count of its requests. */
export interface RequestMeter {
  /** Throws `Refused` when there were too many. */
  readonly count: (path: string) => void;
  /** What every answer says of it. */
  readonly headers: (path: string) => Readonly<Record<string, string>>;
}

/**
 * Answers requests of one API. It checks, in this order: rate limit, faults, credential, version, body, row, idempotency
 * key, fields; then it does the work. It has no input or output: the caller sends the answer as `delivery` says.
 */
export const createHandler = <Store>(options: HandlerOptions<Store>): ((request: FakeRequest) => Handled) => {
  const { api, contract, credentialHeader, isAccepted, faults, window } = options;
  const admission: Admission<Store> = createAdmission(options);
  const perform = createPerform({ ...options, admission });

  const assertUnderLimit = () => {
    const waitMs = window?.take(performance.now()) ?? 0;
    if (waitMs <= 0) return;
    throw admission.refusal('limited', 'Rate limit exceeded', {
      headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
    });
  };

  return (request) => {
    const requestId = options.nextRequestId();
    const parsed = parseRequest(request, credentialHeader);
    const found = admission.find(parsed);
    let fault: PlannedFault | undefined;
    let performed: Performed | undefined;

    const answer = (): HeadedAnswer => {
      try {
        assertUnderLimit();
        options.meter?.count(parsed.path);
        fault = found.endpoint && faults.take(api, found.endpoint.operation, parsed.credential);
        if (fault && !fault.executes) return faultAnswer(contract, fault, requestId);
        admission.assertMeant(parsed, found);
        performed = perform(parsed, found.endpoint, found.params);
        return fault?.status === undefined ? performed.answer : faultAnswer(contract, fault, requestId);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return { status: error.status, body: contract.errorBody(error, requestId), headers: error.headers };
      }
    };

    const { status, body, headers } = answer();
    const delivery = fault?.delivery ?? 'whole';
    const shown = options.phones === 'formatted' ? withFormattedPhones(body) : body;
    options.onRequest({
      api,
      operation: found.endpoint?.operation,
      method: request.method,
      path: request.url,
      headers: options.recordCredentials ? request.headers : masked(request.headers, credentialHeader),
      credential: parsed.credential === '' ? 'missing' : isAccepted(parsed.credential) ? 'accepted' : 'refused',
      idempotencyKey: request.headers['idempotency-key'],
      body: request.body === '' ? undefined : parsed.json,
      status: withoutHead.has(delivery) ? undefined : status,
      executed: performed?.executed ?? false,
      replayed: performed?.replayed ?? false,
      at: Date.now(),
    });
    return {
      status,
      headers: {
        ...withoutUndefined({
          'content-type': body === undefined ? undefined : 'application/json; charset=utf-8',
          'idempotency-replayed': performed?.replayed ? 'true' : undefined,
        }),
        'x-request-id': requestId,
        ...versionHeader(options.versioning),
        ...limitHeaders(window),
        ...options.meter?.headers(parsed.path),
        ...lowerCased({ ...headers, ...fault?.headers }),
      },
      body: shown === undefined ? '' : typeof shown === 'string' ? shown : JSON.stringify(shown),
      latencyMs: fault?.latencyMs || options.latencyMs,
      delivery: delivery === 'whole' ? options.bodies : delivery,
    };
  };
};

type HeadedAnswer = EndpointAnswer & { readonly headers?: Readonly<Record<string, string>> };

const withoutHead: ReadonlySet<Delivery> = new Set(['reset-before-headers', 'stall-headers']);

/** What a fault answers in place of the row: its own body, or an error in the API's style. */
const faultAnswer = <Store>(
  { refusals, errorBody }: Contract<Store>,
  fault: PlannedFault,
  requestId: string,
): HeadedAnswer => {
  const { status = 500 } = fault;
  if ('body' in fault) return { status, body: fault.body };
  const [, code] = refusals[status === 401 ? 'unauthorized' : status === 429 ? 'limited' : 'fault'];
  return { status, body: errorBody(new Refused(status, code, `Fault: ${status}`), requestId) };
};

const masked = (headers: Readonly<Record<string, string>>, credentialHeader: string) =>
  credentialHeader in headers ? { ...headers, [credentialHeader]: '***' } : headers;

const versionHeader = (versioning: Versioning): Record<string, string> =>
  typeof versioning === 'object' && 'header' in versioning ? lowerCased({ [versioning.header]: versioning.value }) : {};

const limitHeaders = (window: RequestWindow | undefined): Record<string, string> => {
  if (!window) return {};
  const left = window.left(performance.now());
  const resetAt = (Date.now() + window.emptyInMs(performance.now())) / 1000;
  return { 'x-ratelimit-remaining': String(left), 'x-ratelimit-reset': String(Math.ceil(resetAt)) };
};

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
