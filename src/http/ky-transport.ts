import ky, { type Hooks, type KyInstance, type Options } from 'ky';
import { IntegrationError, UnexpectedResponseError } from '../core/errors.ts';
import { nextTurn } from '../core/timers.ts';
import { type AttemptLog, attemptLog } from './call-log.ts';
import { decodeBody } from './decode-body.ts';
import { networkError, networkFailureOf } from './network-failure.ts';
import { answerTooLarge, readStream, requestIdOf } from './read-answer.ts';
import { type HttpRequest, type HttpResponse, sendableHeaders, type Transport } from './request.ts';

export type { KyInstance } from 'ky';

export interface KyTransportOptions {
  /** @defaultValue the platform's, looked up for each request */
  readonly fetch?: typeof fetch | undefined;
  /** An instance of the application's own, with hooks. @defaultValue ky itself */
  readonly ky?: KyInstance | undefined;
  /** The largest body, after decompression. */
  readonly maximumBodyBytes: number;
}

/**
 * The default transport: ky builds the request and sends it by `fetch`. Retries, time-outs and errors of a status are the
 * stack's. Reads the whole body, in the charset that it says, and cancels one over the cap. Give it
 * a signal of the attempt's own, and stop waiting when it aborts, since a fetch may ignore it.
 * Throws `AttemptFailedError` (`network`) when no complete answer came, `UnexpectedResponseError` when it's too large or a
 * hook asks to send again. Throws `InvalidArgumentError` for a header that can't be sent. None of them holds the request.
 */
export const createKyTransport = ({ fetch, ky: own, maximumBodyBytes }: KyTransportOptions): Transport => {
  /** fetch takes its connection back in the turn after an answer: a request that follows at once finds it there. */
  let takenBack: Promise<void> | undefined;
  const line = fetch || own ? undefined : createFetchLine();

  return async (request) => {
    const { method, json, searchParams, body, signal } = request;
    const headers = sendableHeaders(request.headers);
    const options: Options = {
      method,
      headers,
      signal,
      redirect: 'manual',
      retry: 0,
      throwHttpErrors: false,
      timeout: false,
    };
    if (searchParams?.size) options.searchParams = searchParams;
    if (body !== undefined) options.body = body;
    else if (json !== undefined) options.json = json;
    if (body !== undefined && json !== undefined) options.headers = withJsonType(headers);
    if (fetch) options.fetch = fetch;
    const url = new URL(request.url);
    const place = line?.enter(url.origin, attemptLog(request));
    // A type of fetch's own; ky passes it on.
    if (place) Object.assign(options, { dispatcher: place.dispatcher });
    const hooked: Hooked = {};
    if (own) options.hooks = onlyOnce(request, { signal, hooked });
    try {
      await takenBack;
      signal.throwIfAborted();
      const response = await (own ?? ky)(url, options);
      const body = await readBody(response, { request, signal, maximumBodyBytes });
      takenBack = nextTurn();
      return toHttpResponse(response, body, request);
    } catch (error) {
      signal.throwIfAborted();
      const isOfHook = own !== undefined && isErrorOfHook(error);
      // Only a hook that throws has certainly sent nothing: one that is still at work may be sending by itself.
      if (isOfHook && hooked.reached === 'hooks') attemptLog(request).reached('unsent');
      throw isOfHook ? error : toTransportError(request, error, own !== undefined);
    } finally {
      place?.leave();
    }
  };
};

/** Keeps the type of JSON that your middleware wrote: fetch would call it plain text. */
const withJsonType = (headers: Readonly<Record<string, string>>): Headers => {
  const typed = new Headers(headers);
  if (!typed.has('content-type')) typed.set('content-type', 'application/json');
  return typed;
};

/**
 * The last hooks of an instance that isn't ours. They undo what earlier ones may have set: each attempt sends at most
 * one request, and none after it has ended.
 */
const onlyOnce = (
  request: HttpRequest,
  { signal, hooked }: { readonly signal: AbortSignal; readonly hooked: Hooked },
): Hooks => ({
  init: [
    (options) => {
      Object.assign(options, { retry: 0, totalTimeout: false, timeout: false, throwHttpErrors: false });
      // An earlier hook could lead past ours.
      options.hooks = { ...options.hooks, beforeRetry: [() => Promise.reject(sentAgain(request))] };
      hooked.reached = 'hooks';
    },
  ],
  beforeRequest: [
    () => {
      signal.throwIfAborted();
      hooked.reached = 'fetch';
    },
  ],
});

/** The progress of ky with an attempt; nothing is set when the instance runs no hooks. */
interface Hooked {
  reached?: 'hooks' | 'fetch';
}

/** Errors of hooks stay what they are. */
const isErrorOfHook = (error: unknown): boolean => {
  if (error instanceof IntegrationError) return false;
  const name = error instanceof Error ? error.name : undefined;
  return name !== 'ForceRetryError' && name !== 'NetworkError' && networkFailureOf(error).networkCode === undefined;
};

const toTransportError = (request: HttpRequest, error: unknown, isOwn: boolean): unknown => {
  if (error instanceof IntegrationError) return error;
  const isRepetition = isOwn && error instanceof Error && error.name === 'ForceRetryError';
  return isRepetition ? sentAgain(request) : networkError(request, error);
};

const sentAgain = ({ operation }: HttpRequest): UnexpectedResponseError =>
  new UnexpectedResponseError(
    `${operation}: a hook of your ky asked to send the request again; the client does that, see \`attempts\``,
    { operation },
  );

const readBody = async (
  response: Response,
  { request, signal, maximumBodyBytes }: { request: HttpRequest; signal: AbortSignal; maximumBodyBytes: number },
): Promise<Uint8Array> => {
  // Response.error(), which has no answer in it.
  if (response?.type === 'error') throw networkError(request, undefined);
  if (typeof response?.text !== 'function')
    throw new UnexpectedResponseError(`${request.operation}: your ky or fetch gave no Response`, {
      operation: request.operation,
    });
  const tooLarge = () =>
    answerTooLarge(request, {
      status: response.status,
      header: (name) => response.headers.get(name),
      maximumBodyBytes,
    });

  // A fetch of the application's own may have read the body already.
  if (!response.body) {
    const bytes = new TextEncoder().encode(await response.text());
    if (bytes.byteLength > maximumBodyBytes) throw tooLarge();
    return bytes;
  }
  return readStream(response.body, { maximumBytes: maximumBodyBytes, tooLarge, signal });
};

const toHttpResponse = ({ status, headers, body }: Response, bytes: Uint8Array, request: HttpRequest): HttpResponse => {
  const byName = new Map<string, string>();
  for (const [name, value] of headers) byName.set(name.toLowerCase(), value);
  return {
    status,
    headers: byName,
    // Without a body, its text was read already.
    text: decodeBody(request, { status, bytes, contentType: body ? byName.get('content-type') : undefined }),
    bytes: request.readsBytes ? bytes : undefined,
    requestId: requestIdOf((name) => byName.get(name), request),
  };
};

/** The requests that wait for a socket of the platform's fetch. */
interface FetchLine {
  /** Takes a place for one request; `undefined` where this isn't the fetch of Node 22 or 24. */
  enter(origin: string, log: AttemptLog): { readonly dispatcher: object; readonly leave: () => void } | undefined;
}

/**
 * Watches when fetch gives a request a socket. The application may have set a global dispatcher whose connections are
 * few: then a request waits in line while others of its origin have theirs. Where no other one has, it waits for the
 * network, which is under the time of the attempt.
 */
const createFetchLine = (): FetchLine => {
  const origins = new Map<string, { active: number; readonly waiting: Set<AttemptLog> }>();

  return {
    enter: (origin, log) => {
      const dispatcher = dispatcherOfFetch();
      if (!dispatcher) return undefined;
      const line = origins.get(origin) ?? { active: 0, waiting: new Set() };
      origins.set(origin, line);
      line.waiting.add(log);
      if (line.active > 0) log.waitsInLine(true);
      let isActive = false;

      const start = () => {
        if (isActive) return;
        isActive = true;
        line.waiting.delete(log);
        log.waitsInLine(false);
        line.active += 1;
        if (line.active === 1) for (const other of line.waiting) other.waitsInLine(true);
      };
      const leave = () => {
        line.waiting.delete(log);
        if (isActive) line.active -= 1;
        if (line.active > 0) return;
        for (const other of line.waiting) other.waitsInLine(false);
        if (line.waiting.size === 0) origins.delete(origin);
      };
      return { dispatcher: { dispatch: watching(dispatcher, start) }, leave };
    },
  };
};

/** The part of undici's dispatcher that fetch uses. */
interface Dispatcher {
  dispatch(options: unknown, handler: Handler): boolean;
}

/** Calls `onConnect` when a request has a socket, before the first byte. */
interface Handler {
  onConnect?(...args: unknown[]): void;
}

const watching =
  (dispatcher: Dispatcher, start: () => void) =>
  (options: unknown, handler: Handler): boolean => {
    // Its other methods work on it as they do on the handler itself, which has no private fields.
    const watched: Handler = Object.create(handler);
    watched.onConnect = (...args) => {
      start();
      handler.onConnect?.apply(watched, args);
    };
    return dispatcher.dispatch(options, watched);
  };

const platformFetch = globalThis.fetch;

/** The dispatcher of Node 22 and 24, once it's in use. Another fetch may speak to its dispatcher in another way. */
const dispatcherOfFetch = (): Dispatcher | undefined => {
  const undici = globalThis.process?.versions?.['undici'] ?? '';
  if (globalThis.fetch !== platformFetch || !/^[67]\./.test(undici)) return undefined;
  return Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as Dispatcher | undefined;
};
