/**
 * Requests over undici: the least CPU per call. Needs `undici`.
 *
 * @module
 */
import { unlessAborted } from '../http/own-signal.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { toResponse } from './answer.ts';
import { type ClosableTransport, closable } from './closable.ts';
import { requestHeaders } from './request-headers.ts';
import { createSecureContextSource } from './secure-context.ts';
import { readTransportOptions, type TransportOptions } from './transport-options.ts';
import { createUndiciConnections } from './undici-connections.ts';
import { undiciExchange } from './undici-exchange.ts';

export type { Transport } from '../http/request.ts';
export type { ReadPem, TlsOptions } from './secure-context.ts';
export type { TransportOptions } from './transport-options.ts';

/** How {@link undiciTransport} makes and keeps its connections. */
export type UndiciTransportOptions = TransportOptions;

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
  const { tls, connectTimeoutMs, maximumBodyBytes, clock, ...kept } = readTransportOptions(options);
  const connections = createUndiciConnections({
    idleMs: kept.idleMs,
    maximumSocketsPerOrigin: kept.maximumSocketsPerOrigin,
    lookup: kept.lookup,
    connectTimeoutMs,
    servername: tls.servername,
    secureContext: createSecureContextSource(tls),
  });

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { operation, signal } = request;
    const maximumBytes = request.plan.maximumBodyBytes ?? maximumBodyBytes;
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
    return toResponse(answer, request);
  };

  return closable(send, () => connections.drain());
};
