import { InvalidArgumentError } from '../core/errors.ts';

/** A budget of time, shared by everything that gets it. */
export interface Deadline {
  /** The whole budget. */
  readonly budgetMs: number;
  /** Never below 0. */
  remainingMs(): number;
}

/** The effect of repeating the request: none, none beyond the first, or any. */
export type Effect = 'read' | 'keyed-write' | 'unsafe-write';

/** A request on its way down the stack. Middleware passes a changed copy on; it never changes this one. */
export interface HttpRequest {
  /** Such as `billing.payments.create`. */
  readonly operation: string;
  readonly effect: Effect;
  readonly method: string;
  /** The address without its query. */
  readonly url: string;
  /** The query: a transport adds it to `url`. */
  readonly searchParams?: URLSearchParams | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A transport sends `JSON.stringify(json)`, as `application/json` where `headers` don't say otherwise. */
  readonly json?: unknown;
  /** Sent as it is, instead of `json`: a form, a text, or what your middleware made of them. */
  readonly body?: string | undefined;
  /** The answer is needed as it came, and not only as text. */
  readonly readsBytes?: boolean | undefined;
  /** The deadline of the whole call, its other attempts included. */
  readonly deadline: Deadline;
  /** Aborts when the caller gives up or the deadline passes. */
  readonly signal: AbortSignal;
  /** 1 for the first. */
  readonly attempt: number;
  /** The key of a write; the same for each attempt. */
  readonly idempotencyKey?: string | undefined;
  /** The phone call on behalf of which it's sent. */
  readonly callId?: string | undefined;
  /** The client's cap on a body, after decompression. A transport of yours has to keep to it. */
  readonly maximumBodyBytes?: number | undefined;
}

/** The answer of an API. The body is already read, under the byte cap, inside the attempt's time. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The same as it came, for an operation that reads bytes. */
  readonly bytes?: Uint8Array | undefined;
  /** The id that the API gave its answer, for its support team. */
  readonly requestId?: string | undefined;
}

/**
 * Runs around a whole call or around each attempt. Passes the request on with `next`, as it is or as a changed copy, and
 * returns the answer. What it throws ends the call.
 */
export type Middleware = (
  request: HttpRequest,
  next: (request: HttpRequest) => Promise<HttpResponse>,
) => Promise<HttpResponse>;

/**
 * Puts one request on the wire and reads the whole answer. Never follows a redirect.
 * Throws `AttemptFailedError` when there is no answer, with `outcome: 'not_sent'` if it's certain that no byte has left.
 * Anything else it throws counts as a failure whose outcome is unknown. Throws `UnexpectedResponseError` when the answer
 * is too large, and the signal's reason when it aborts.
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** Nests the middleware, outermost first, around the transport. */
export const compose = (middleware: readonly Middleware[], transport: Transport): Transport =>
  middleware.reduceRight<Transport>((next, layer) => (request) => layer(request, next), transport);

/** The address with its query, for what isn't ky. */
export const addressOf = ({ url, searchParams }: Pick<HttpRequest, 'url' | 'searchParams'>): string =>
  searchParams?.size ? `${url}${url.includes('?') ? '&' : '?'}${searchParams}` : url;

/** The body as it's sent: the text that ky makes of `json`. */
export const bodyOf = ({ json, body }: Pick<HttpRequest, 'json' | 'body'>): string | undefined =>
  body ?? (json === undefined ? undefined : JSON.stringify(json));

/**
 * Throws `InvalidArgumentError` with `name` as its field for a value that a header can't hold as it is. That's a
 * control character, such as CR, LF and NUL, anything beyond Latin-1, and a space at either end, which the network
 * would drop. A secret that was read from a file often ends with a line break; the message says so without repeating
 * it. Source: RFC 9110, section 5.5.
 */
export const assertHeaderValue = (name: string, value: string | undefined): void => {
  if (typeof value === 'string' && usable.test(value)) return;
  if (typeof value !== 'string') throw new InvalidArgumentError(name, 'must be a text');
  if (/[\r\n]/.test(value)) throw new InvalidArgumentError(name, 'must not contain a line break');
  if (notAllowedInValue.test(value))
    throw new InvalidArgumentError(name, 'must not contain control characters or characters beyond Latin-1');
  if (/^[ \t]|[ \t]$/.test(value)) throw new InvalidArgumentError(name, 'must not begin or end with a space');
};

/**
 * Throws `InvalidArgumentError` for a header name that is not a token, such as one with a space or a colon.
 * Source: RFC 9110, section 5.6.2.
 */
export const assertHeaderName = (name: string): void => {
  if (!token.test(name)) throw new InvalidArgumentError('headers', 'must have only names made of letters, digits, "-"');
};

/**
 * The headers as they go to the network, each checked. Those that describe the connection or the length of the body
 * are left out. The transport sets them, and a second opinion is how requests are smuggled.
 */
export const sendableHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const sendable: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    assertHeaderName(name);
    assertHeaderValue(name, value);
    if (!setByTheTransport.has(name.toLowerCase())) sendable[name] = value;
  }
  return sendable;
};

/** Checked in one go; what is wrong with any other value is found out afterwards. */
const usable = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;

const notAllowedInValue = /[^\t\x20-\x7e\x80-\xff]/;

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const setByTheTransport = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
