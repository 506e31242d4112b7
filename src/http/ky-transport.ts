import type { KyInstance } from 'ky';
import { isIntegrationError } from '../errors.ts';
import { answerTooLarge } from './answer-too-large.ts';
import { sendableHeaders } from './headers.ts';
import { networkError } from './network-failure.ts';
import { withOwnSignal } from './own-signal.ts';
import { readStream } from './read-stream.ts';
import type { HttpRequest, Transport } from './request.ts';
import { requestIdOf } from './request-id.ts';
import type { HttpResponse } from './response.ts';

export interface KyTransportOptions {
  /** @defaultValue the platform's, looked up for each request */
  readonly fetch?: typeof fetch | undefined;
  /** Of the body after decompression. */
  readonly maximumBodyBytes: number;
}

/**
 * The default transport: ky on `fetch`, without its retries, time-outs and errors, which the stack has its own of.
 * Loading ky makes Node load its `fetch`, which takes longer than everything else here: it begins when the transport is
 * made, and a program that sends in another way never does it.
 * Reads the whole body as UTF-8, leniently and without a byte order mark; whatever its status says, a body over the
 * cap is cancelled. Settles at once when the request's signal aborts, with the signal's reason.
 * Throws `AttemptFailedError` (`network`) when no complete answer came, `UnexpectedResponseError` when it is too large,
 * and `InvalidArgumentError` for a header that cannot be sent. None of them holds the request.
 */
export const createKyTransport = ({ fetch, maximumBodyBytes }: KyTransportOptions): Transport => {
  let ky: KyInstance | undefined;
  const loading = import('ky').then((module) => (ky = module.default));
  // The first request hears of it.
  loading.catch(ignore);

  return async (request) => {
    const headers = sendableHeaders(request.headers);
    return withOwnSignal(request.signal, async (own) => {
      const send = ky ?? (await loading);
      own.signal.throwIfAborted();
      try {
        const response = await sendWithKy(send, request, { headers, signal: own.signal, fetch });
        const text = await readText(response, { request, signal: own.signal, maximumBodyBytes });
        return toHttpResponse(response, text, request);
      } catch (error) {
        throw isIntegrationError(error) ? error : networkError(request, error);
      }
    });
  };
};

/**
 * The platform's fetch is given the address and the options rather than ky's `Request`, which it would copy, signal and
 * body stream included: that is the dearest part of a request. A fetch of the user's own gets the `Request`.
 */
const sendWithKy = (
  ky: KyInstance,
  { url, method, body }: HttpRequest,
  {
    headers,
    signal,
    fetch,
  }: { headers: Record<string, string>; signal: AbortSignal } & Pick<KyTransportOptions, 'fetch'>,
): Promise<Response> => {
  const init: RequestInit = { method, headers, signal, redirect: 'manual', ...(body === undefined ? {} : { body }) };
  return fetch === undefined
    ? ky(url, { ...withoutPolicies, method, fetch: () => globalThis.fetch(url, init) })
    : ky(url, { ...withoutPolicies, ...init, fetch });
};

/** The stack has its own. */
const withoutPolicies = { retry: 0, throwHttpErrors: false, timeout: false } as const;

const readText = async (
  response: Response,
  { request, signal, maximumBodyBytes }: { request: HttpRequest; signal: AbortSignal; maximumBodyBytes: number },
): Promise<string> => {
  const tooLarge = () =>
    answerTooLarge(request, {
      status: response.status,
      header: (name) => response.headers.get(name),
      maximumBodyBytes,
    });

  // A fetch of the user's own may have read the body already.
  if (!response.body) {
    const text = await response.text();
    if (Buffer.byteLength(text) > maximumBodyBytes) throw tooLarge();
    return text.startsWith(byteOrderMark) ? text.slice(1) : text;
  }

  return decoder.decode(await readStream(response.body, { maximumBytes: maximumBodyBytes, tooLarge, signal }));
};

const decoder = /* @__PURE__ */ new TextDecoder();

const byteOrderMark = '\ufeff';

const ignore = () => undefined;

const toHttpResponse = ({ status, headers }: Response, text: string, request: HttpRequest): HttpResponse => {
  const byName = new Map<string, string>();
  for (const [name, value] of headers) byName.set(name.toLowerCase(), value);
  return { status, headers: byName, text, ...requestIdOf((name) => headers.get(name), request) };
};
