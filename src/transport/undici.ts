/**
 * Requests over undici: the least CPU per call. Needs `undici`.
 *
 * @module
 */
import type { LookupFunction } from 'node:net';
import { type Clock, systemClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { assertDuration } from '../http/duration.ts';
import { unlessAborted } from '../http/own-signal.ts';
import type { HttpRequest } from '../http/request.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { HttpResponse } from '../http/response.ts';
import { type ClosableTransport, closable } from './closable.ts';
import { requestHeaders } from './request-headers.ts';
import { createSecureContextSource, type TlsOptions } from './secure-context.ts';
import { createUndiciConnections } from './undici-connections.ts';
import { undiciExchange } from './undici-exchange.ts';

export type { Transport } from '../http/request.ts';
export type { ReadPem, TlsOptions } from './secure-context.ts';

/** How connections are made, kept and trusted. */
export interface UndiciTransportOptions {
  /** A client certificate that may be rotated, authorities of one's own, the lowest version of TLS. */
  readonly tls?: TlsOptions | undefined;
  /**
   * The longest time until a connection stands: waiting for a free one, the name, TCP and TLS together. After it,
   * nothing was sent for certain.
   * @defaultValue 2000
   */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a connection is kept that nobody uses; shorter where the server says so. @defaultValue 4000 */
  readonly idleMs?: number | undefined;
  /** Connections to one origin at a time; requests beyond it wait for a free one. @defaultValue no limit */
  readonly maximumSocketsPerOrigin?: number | undefined;
  /** Of a body, decompressed, for clients that do not set their own. @defaultValue 8 MiB */
  readonly maximumBodyBytes?: number | undefined;
  /** Finds the addresses of a name, as in `node:net`; several are tried in turn. @defaultValue the system's */
  readonly lookup?: LookupFunction | undefined;
  readonly clock?: Clock | undefined;
}

/** A {@link Transport} over undici, which several clients may share. */
export type UndiciTransport = ClosableTransport;

/**
 * Sends requests by undici, which has to be installed: the cheapest transport under load. HTTP/1.1, no proxies, and msw
 * does not see it: for those, take `transport/node`.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * const transport = undiciTransport();
 * const billing = createBillingClient({ transport, baseUrl, authenticate, version: { path: 'v1' }, maximumPayment: 5000 });
 */
export const undiciTransport = (options: UndiciTransportOptions = {}): UndiciTransport => {
  const { tls = {}, connectTimeoutMs = 2000, idleMs = 4000, maximumSocketsPerOrigin = Infinity, lookup } = options;
  const { maximumBodyBytes: usualBodyBytes = 8 * 1024 * 1024, clock = systemClock } = options;
  assertDuration('connectTimeoutMs', connectTimeoutMs);
  assertDuration('idleMs', idleMs);
  if (!(usualBodyBytes > 0)) throw new InvalidArgumentError('maximumBodyBytes', 'must be a number of bytes above 0');
  if (!(maximumSocketsPerOrigin >= 1))
    throw new InvalidArgumentError('maximumSocketsPerOrigin', 'must be a number of at least 1');
  const connections = createUndiciConnections({
    maximumSocketsPerOrigin,
    idleMs,
    connectTimeoutMs,
    lookup,
    servername: tls.servername,
    secureContext: createSecureContextSource(tls),
  });
  const decoder = new TextDecoder();

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { operation, signal } = request;
    const maximumBytes = request.plan.maximumBodyBytes ?? usualBodyBytes;
    const url = new URL(request.url);
    const headers = requestHeaders(request, url.host);
    const source = connections.contextFor(url.protocol, operation);
    const context = source instanceof Promise ? await unlessAborted(source, signal) : source;
    signal.throwIfAborted();
    const answer = await undiciExchange(request, {
      url,
      connections,
      context,
      headers,
      connectTimeoutMs,
      clock,
      maximumBytes,
    });
    const { status, headers: received } = answer;
    return {
      status,
      headers: received,
      text: decoder.decode(answer.body),
      ...requestIdOf((name) => received.get(name), request),
    };
  };

  return closable(send, () => connections.drain());
};
