import type { FakeApiOptions } from './api-options.ts';
import type { FakeRequest, Handled, RecordedRequest } from './fake-request.ts';
import type { Delivery, Faults, PlannedFault } from './faults.ts';
import type { ApiName, OperationName } from './operations.ts';
import { Refused } from './refused.ts';

/** The platform's part in every API. */
export interface ApiContext {
  readonly isAccepted: (credential: string) => boolean;
  readonly recordCredentials: boolean;
  readonly faults: Faults;
  readonly nextRequestId: () => string;
  readonly onRequest: (request: RecordedRequest) => void;
  readonly onEffect: (operation: OperationName, idempotencyKey: string | undefined) => void;
}

/** One API: how it reads, counts and refuses requests. */
export interface FakeApi extends Pick<FakeApiOptions, 'latencyMs' | 'bodies'> {
  readonly api: ApiName;
  /** In lower case. */
  readonly credentialHeader: string;
  readonly contentType: string;
  readonly meter?: RequestMeter | undefined;
  readonly read: (request: FakeRequest) => RequestPlan;
  /** The error body, as this API spells it. */
  readonly errorBody: (refused: Refused, requestId: string) => unknown;
  /** The API's error for the status of a fault that has no body of its own. */
  readonly faultRefusal: (status: number) => Refused;
}

/** One API of the platform. */
export interface ApiParts {
  readonly createApi: (context: ApiContext) => FakeApi;
  /** @defaultValue the API issues none */
  readonly tokens?: IssuedTokens;
}

/** The tokens that an API issues, and its endpoint for them. */
export interface IssuedTokens {
  readonly isAsked: (request: FakeRequest) => boolean;
  readonly answer: (request: FakeRequest) => Answer | Promise<Answer>;
  readonly isValid: (token: string) => boolean;
  readonly endAll: () => void;
}

/** An API's own count of its requests. */
export interface RequestMeter {
  /** Throws `Refused` when there were too many. */
  readonly count: (path: string) => void;
  /** The headers of every answer that report the count. */
  readonly headers?: (path: string) => Readonly<Record<string, string>>;
}

/** One request, read by its API. Nothing is done yet. */
export interface RequestPlan {
  readonly path: string;
  /** `undefined` if no endpoint is meant. */
  readonly operation: OperationName | undefined;
  /** Empty if there is none. */
  readonly credential: string;
  /** The parsed body, for the record. */
  readonly body: unknown;
  /** Checks the credential, the version, the media type and the endpoint. Throws `Refused`. */
  readonly admit: () => void;
  /** Does the work, once per idempotency key. Throws `Refused`, and then nothing has changed. */
  readonly perform: (fault: PlannedFault | undefined) => Performed;
  /** The headers of the answer, except the content type and the meter's. */
  readonly headers: (
    performed: Performed | undefined,
    requestId: string,
  ) => Readonly<Record<string, string | undefined>>;
}

/** The answer to a request. No body: an empty one. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The result of a request that was let in. */
export interface Performed {
  readonly answer: Answer;
  /** A write was done. */
  readonly executed: boolean;
  /** The answer is that of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/**
 * Answers requests of one API: rate limit, faults, admission, work, in this order. It has no input or output: the caller
 * sends the answer as `delivery` says.
 */
export const createPipeline =
  (api: FakeApi, context: ApiContext): ((request: FakeRequest) => Handled) =>
  (request) => {
    const requestId = context.nextRequestId();
    const plan = api.read(request);
    let fault: PlannedFault | undefined;
    let performed: Performed | undefined;

    const answer = (): Answer => {
      try {
        api.meter?.count(plan.path);
        fault = plan.operation && context.faults.take(api.api, plan.operation, plan.credential);
        if (fault && !fault.executes) return faultAnswer(api, fault, requestId);
        plan.admit();
        performed = plan.perform(fault);
        return fault?.status === undefined ? performed.answer : faultAnswer(api, fault, requestId);
      } catch (error) {
        return refusalAnswer(api, error, requestId);
      }
    };

    const { status, body, headers } = answer();
    const { delivery = 'whole', latencyMs = 0 } = fault ?? {};
    context.onRequest({
      api: api.api,
      operation: plan.operation,
      method: request.method,
      path: request.url,
      headers: context.recordCredentials ? request.headers : masked(request.headers, api.credentialHeader),
      credential: credentialState(plan.credential, context),
      idempotencyKey: request.headers['idempotency-key'],
      body: request.body === '' ? undefined : plan.body,
      status: withoutHead.has(delivery) ? undefined : status,
      executed: performed?.executed ?? false,
      replayed: performed?.replayed ?? false,
      at: Date.now(),
    });
    return {
      status,
      headers: lowerCased({
        'content-type': body === undefined ? undefined : api.contentType,
        ...plan.headers(performed, requestId),
        ...api.meter?.headers?.(plan.path),
        ...headers,
        ...fault?.headers,
      }),
      body: body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
      latencyMs: latencyMs || (api.latencyMs ?? 0),
      delivery: delivery === 'whole' ? (api.bodies ?? 'whole') : delivery,
    };
  };

/** The answer of a refusal. Rethrows every other error. */
export const refusalAnswer = ({ errorBody }: Pick<FakeApi, 'errorBody'>, error: unknown, requestId: string): Answer => {
  if (!(error instanceof Refused)) throw error;
  return { status: error.status, body: errorBody(error, requestId), headers: error.headers };
};

/** A fault's answer: its own body, or an error in the API's style. */
export const faultAnswer = (
  api: Pick<FakeApi, 'errorBody' | 'faultRefusal'>,
  fault: PlannedFault,
  requestId: string,
): Answer => {
  const { status = 500 } = fault;
  return 'body' in fault ? { status, body: fault.body } : refusalAnswer(api, api.faultRefusal(status), requestId);
};

const withoutHead: ReadonlySet<Delivery> = new Set(['reset-before-headers', 'stall-headers']);

const masked = (headers: Readonly<Record<string, string>>, credentialHeader: string) =>
  credentialHeader in headers ? { ...headers, [credentialHeader]: '***' } : headers;

const credentialState = (credential: string, { isAccepted }: ApiContext): RecordedRequest['credential'] => {
  if (credential === '') return 'missing';
  return isAccepted(credential) ? 'accepted' : 'refused';
};

const lowerCased = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  );
