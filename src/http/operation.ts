import type { IntegrationError } from '../core/errors.ts';
import type { EventListeners } from '../observability/listeners.ts';
import type { Redact } from '../observability/redaction/redactor.ts';
import type { Lane, RateLimiter } from '../stores/ports/rate-limiter.ts';
import type { Reader, StandardSchema } from '../core/schema.ts';
import type { Setting } from '../core/setting.ts';
import type { Credential } from './credential.ts';
import type { ApiUsage } from './dialect.ts';
import type { KyInstance } from './ky-transport.ts';
import type { Deadline, HttpResponse, Middleware, Transport } from './request.ts';

/** The options of one request. */
export interface RequestOptions {
  /**
   * The time for everything: queueing, credentials, all attempts, waits and bodies. A number is milliseconds from now;
   * a {@link Deadline} is shared with other requests.
   * @defaultValue the client's `deadlineMs`
   */
  readonly deadline?: Deadline | number | undefined;
  /** Ends the call at once. A payment that was already sent goes on; see `onSettled`. */
  readonly signal?: AbortSignal | undefined;
  /** The key of a write: the API does the work once per key. Without it, one is made for this call. */
  readonly idempotencyKey?: string | undefined;
  /** The longest time of one attempt, its body included. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Gets status, headers and request id of the answer that the result was read from. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
  /** Payments: gets how a payment ended whose caller had hung up after it was sent. */
  readonly onSettled?: ((settled: Settled) => void) | undefined;
  /** `live` calls pass before `background` ones at the rate limit. @defaultValue 'live' */
  readonly lane?: Lane | undefined;
  /** The phone call on behalf of which this is done. Every event has it. */
  readonly callId?: string | undefined;
}

/** Returns the options of a look-up that belongs to a write, whose key and listeners aren't its own. */
export const readingOf = ({ deadline, signal, callId, lane }: RequestOptions): RequestOptions => ({
  deadline,
  signal,
  callId,
  lane,
});

/** The answer of the API without its body: to log its id for their support, or to read a header of theirs. */
export type ResponseInfo = Pick<HttpResponse, 'status' | 'headers' | 'requestId'>;

/** The end of a payment that was not waited for. */
export type Settled = { readonly operation: string; readonly idempotencyKey: string | undefined } & (
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: IntegrationError }
);

/**
 * The way in which a write is repeated after it is unknown whether it was done.
 * `key`: send it again with the same key. `never`: it is not sent again, and the error says `unknown`.
 * `again`: send it again: it ends the same however often it's done, such as setting fields.
 * `lookUp`: search first; what it finds is the answer, `undefined` means that the write was not done.
 */
export type Repeat =
  | 'key'
  | 'never'
  | 'again'
  | {
      readonly lookUp: (options: { readonly deadline: Deadline; readonly signal: AbortSignal }) => Promise<unknown>;
    };

/** The method, path and content of a request; where a dialect says so, also its headers and how it may repeat. */
export type Endpoint = Pick<
  Operation<unknown>,
  'method' | 'path' | 'query' | 'body' | 'headers' | 'repeat' | 'withoutKeys'
>;

/** A value of a query. */
type QueryValue = string | number | boolean;

/** The part of an address after the `?`. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;

/** An endpoint, as a client's method describes it. */
export interface Operation<T> {
  /** Such as `messaging.contacts.get`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base address; made with {@link path}, which encodes. */
  readonly path: string;
  /** `undefined` values are left out, and a list repeats its name. */
  readonly query?: Query | undefined;
  /** Sent as JSON. A function is given the idempotency key. */
  readonly body?: object | string | ((idempotencyKey: string | undefined) => object) | undefined;
  /** The format of `body`. `nested-form`: objects and lists as `a[b]` and `a[0]`. @defaultValue 'json' */
  readonly sends?: 'json' | 'form' | 'nested-form' | 'text' | undefined;
  /** The format of the answer. @defaultValue 'json' */
  readonly reads?: 'json' | 'form' | 'text' | 'bytes' | undefined;
  /** Names in lower case. Those that the stack sets itself win, but for `accept` and `content-type`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** @defaultValue 'read' for GET, else 'write' */
  readonly effect?: 'read' | 'write' | 'payment' | undefined;
  /** @defaultValue 'key'. Unless the client's `idempotency` says that the API honours keys, it becomes `withoutKeys`. */
  readonly repeat?: Repeat | undefined;
  /**
   * The `repeat` of an API that isn't known to honour keys. `key`: this request itself says which record it
   * writes, such as an upsert by an id of ours. @defaultValue 'never'
   */
  readonly withoutKeys?: Repeat | undefined;
  /** This endpoint honours keys, even if the rest of the API doesn't: it gets one, and `repeat` stays. */
  readonly honoursKeys?: boolean | undefined;
  /** Turns the answer into a record. */
  readonly returns: Reader<T>;
  /** Makes a body that says `success: false` a failure. @defaultValue whether `returns` takes no argument */
  readonly isUnread?: boolean | undefined;
  /** A 404 is no error: `returns` is given `undefined`. */
  readonly absentOn404?: boolean | undefined;
  /** The API may lack this endpoint. A 404, 405 or 501 is no error: `returns` is given `undefined`. */
  readonly mayBeMissing?: boolean | undefined;
  /** Nothing is sent with less time left than this. */
  readonly minimumBudgetMs?: number | undefined;
  /** Lets one attempt use all the time that is left, instead of `attemptTimeoutMs`. */
  readonly wholeDeadline?: boolean | undefined;
}

/** An endpoint that the clients lack. For developers; never a tool of a model. */
export interface CustomRequest<T> extends Omit<Operation<T>, 'returns' | 'operation' | 'isUnread'> {
  /** The name that errors and events will show. */
  readonly operation: string;
  /** A Standard Schema (zod, valibot, arktype …) or a function from the parsed JSON. */
  readonly returns: StandardSchema<T> | ((json: unknown) => T);
}

/** The result of a warm-up: the first request will find everything ready, or an error says why not. */
export type WarmUp = { readonly ready: true } | { readonly ready: false; readonly error: IntegrationError };

/** The options of a warm-up. */
export type WarmUpOptions = Pick<RequestOptions, 'deadline' | 'signal' | 'callId'>;

/** The base of all clients. */
export interface HttpClient {
  request<T>(operation: Operation<T>, options?: RequestOptions): Promise<T>;
  /** The public `client.request`. */
  custom<T>(request: CustomRequest<T>, options?: RequestOptions): Promise<T>;
  /**
   * Makes a payment and keeps its answer under its key: a repetition that fails gives that answer. Without one its error
   * has the outcome `unknown`.
   */
  keepAnswer<T>(call: RequestOptions, send: (call: RequestOptions) => Promise<T>): Promise<T>;
  status(): HttpClientStatus;
  warmUp(options?: WarmUpOptions): Promise<WarmUp>;
  close(): Promise<void>;
}

/** The limits of calls to one API right now. */
export interface HttpClientStatus {
  /** `off`: the client has no circuit breaker. */
  readonly circuit: 'closed' | 'open' | 'half-open' | 'off';
  /** The time until an open circuit lets a probe through. */
  readonly circuitRetryAfterMs: number;
  /** The {@link RateLimiterState}; without a rate limit, all zero. */
  readonly rateLimit: { readonly waiting: number; readonly nextFreeInMs: number; readonly pausedForMs: number };
  /** Calls left in this period; `undefined` without a quota. */
  readonly quotaLeft?: number | undefined;
  /** The API's own budget, as it last said what all its users spent of it; `undefined` where it does not say. */
  readonly usage?: ApiUsage | undefined;
  /** Retries that the budget still allows; `undefined` without one. */
  readonly retriesLeft?: number | undefined;
  /** The longest deadline that a call may have. */
  readonly maximumDeadlineMs: number;
}

/** A limit as "so many per so long". */
export interface Limit {
  readonly limit: number;
  readonly perMs: number;
}

/** The way to one API. Every client takes these options as well as its own. */
export interface ConnectionOptions {
  /** https, or http on loopback; or a function that reads it once, such as `fromEnv('CRM_BASE_URL')`. */
  readonly baseUrl: Setting;
  /** The credential: made by a function of `voice-agent-integrations/auth`, such as `bearer`. */
  readonly authenticate: Credential;
  /** Allows plain http to another machine. */
  readonly allowInsecure?: boolean | undefined;
  /** Comes after the name of this package in `User-Agent`. */
  readonly appName?: string | undefined;
  /** The workspace or org that the credential belongs to. */
  readonly tenant?: string | undefined;

  /** The time for everything, when a request does not say. @defaultValue 8000 */
  readonly deadlineMs?: number | undefined;
  /** A longer deadline is refused, since a person waits. @defaultValue 10000 */
  readonly maximumDeadlineMs?: number | undefined;
  /** Requests sent in all, the first included. @defaultValue 3 */
  readonly attempts?: number | undefined;
  /** The longest time of one attempt. @defaultValue 5000; a payment may use the whole deadline */
  readonly attemptTimeoutMs?: number | undefined;
  /** The first wait is `minimumMs` to twice that; each next one doubles, up to `maximumMs`. @defaultValue 100 and 1000 */
  readonly backoff?: { readonly minimumMs: number; readonly maximumMs: number } | undefined;
  /** The largest body, decompressed. @defaultValue 8 MiB */
  readonly maximumBodyBytes?: number | undefined;

  /**
   * Requests that leave, counted by us in a sliding window. Give several clients one limiter when they are one app.
   * @defaultValue 1000 per minute for messaging, none for the others
   */
  readonly rateLimit?:
    | (Limit & { readonly perTenant?: Limit | undefined; readonly headroom?: number | undefined })
    | RateLimiter
    | false
    | undefined;
  /** A budget of requests per period; over it nothing is sent until the next one. @defaultValue the API's own alone */
  readonly quota?: Limit | undefined;
  /**
   * The circuit breaker of each group of operations, such as `billing.payments`; `false`: none.
   * @defaultValue opens when half of at least 8 requests failed within 30 s, for 5 s
   */
  readonly circuit?: CircuitOptions | false | undefined;
  /**
   * The retries that all calls share; `false`: as many as each call has attempts for.
   * @defaultValue 100 retries, a fifth of one given back by each success and one by each second
   */
  readonly retryBudget?: RetryBudgetOptions | false | undefined;
  /**
   * `key`: the API does the work once per `Idempotency-Key`, so writes are retried with it. Where its header has another
   * name, say `{ header: 'X-Request-Key' }`. `none`: it gets no key, and a write that may be done isn't sent again,
   * unless a look-up can show it. Left out for messaging and CRM, a write carries a key and is sent again as with `none`.
   * @defaultValue 'key' for billing; the presets of platforms that don't know keys say `none`
   */
  readonly idempotency?: 'key' | 'none' | { readonly header: string } | undefined;

  /** Sends the requests. Must not follow redirects when the request says `manual`. @defaultValue the platform's */
  readonly fetch?: typeof fetch | undefined;
  /**
   * A ky instance of your own, with hooks: what they change is sent. Its retries and time-outs are off, since the client
   * has its own. @defaultValue ky itself
   */
  readonly ky?: KyInstance | undefined;
  /** Replaces ky and fetch. */
  readonly transport?: Transport | undefined;
  /** Functions of your own in the stack, the first of each list outermost. */
  readonly middleware?:
    | {
        /** Around the whole call. */
        readonly perRequest?: readonly Middleware[] | undefined;
        /** Around each attempt, innermost: to sign or to tag it. */
        readonly perAttempt?: readonly Middleware[] | undefined;
      }
    | undefined;
  /** A listener or several, for everything that happens. What they throw is ignored. */
  readonly onEvent?: EventListeners | undefined;
  /** Takes out of events what listeners must not get. @defaultValue secrets and personal data */
  readonly redact?: Redact | undefined;
}

/**
 * The times and shares at which an API that fails is left alone. Network errors, time-outs and 5xx count as failures; 4xx and
 * 429 do not.
 */
export interface CircuitOptions {
  /** Opens at this share of failures, 0 to 1. @defaultValue 0.5 */
  readonly failureShare?: number | undefined;
  /**
   * Requests within the window below which it never opens. A failure counts unless another attempt of its call is answered.
   * @defaultValue 8
   */
  readonly minimumVolume?: number | undefined;
  /** The time for which a request counts. @defaultValue 30000 */
  readonly windowMs?: number | undefined;
  /** The time for which it stays open before one probe is let through. @defaultValue 5000 */
  readonly openMs?: number | undefined;
}

/**
 * The retries of all calls of a client together, so that an API that is down is not hammered. With none left, a failure
 * ends its call.
 */
export interface RetryBudgetOptions {
  /** Retries at most, and at the start. @defaultValue 100 */
  readonly capacity?: number | undefined;
  /** Given back by each request that succeeds. @defaultValue 0.2 */
  readonly perSuccess?: number | undefined;
  /** Given back by each second. @defaultValue 1 */
  readonly perSecond?: number | undefined;
}
