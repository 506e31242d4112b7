/**
 * Requests over `node:http`: cheaper than `fetch`, exact about what was sent, and with TLS of your own.
 *
 * @module
 */
import { unlessAborted } from '../http/own-signal.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { createAddressReader } from './address.ts';
import { toResponse } from './answer.ts';
import { type ClosableTransport, closable } from './closable.ts';
import { createConnections } from './connections.ts';
import { exchange } from './exchange.ts';
import { proxyEnvironmentOf } from './proxy-environment.ts';
import { requestHeaders } from './request-headers.ts';
import { createSecureContextSource } from './secure-context.ts';
import { readTransportOptions, type TransportOptions } from './transport-options.ts';

export type { Transport } from '../http/request.ts';
export type { ReadPem, TlsOptions } from './secure-context.ts';
export type { TransportOptions } from './transport-options.ts';

/** How connections are made, kept and trusted. */
export interface NodeTransportOptions extends TransportOptions {
  /**
   * Whether `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` count. Needs Node 22.21, 24.5 or later.
   * @defaultValue as for Node's own fetch: only with `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`
   */
  readonly proxy?: 'environment' | 'none' | undefined;
}

/** A {@link Transport} over `node:http`, which several clients may share. */
export type NodeTransport = ClosableTransport;

/**
 * Sends requests over `node:http` and `node:https` instead of `fetch`: cheaper per call, exact about whether a byte may
 * have left, and able to show a client certificate.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * const transport = nodeTransport();
 * const billing = createBillingClient({ transport, baseUrl, authenticate, version: { path: 'v1' }, maximumPayment: 5000 });
 */
export const nodeTransport = (options: NodeTransportOptions = {}): NodeTransport => {
  const { tls, connectTimeoutMs, maximumBodyBytes, clock, ...kept } = readTransportOptions(options);
  const connections = createConnections({
    idleMs: kept.idleMs,
    maximumSocketsPerOrigin: kept.maximumSocketsPerOrigin,
    lookup: kept.lookup,
    servername: tls.servername,
    secureContext: createSecureContextSource(tls),
    proxyEnv: proxyEnvironmentOf({
      proxy: options.proxy,
      env: process.env,
      execArgv: process.execArgv,
      // Both came with the same versions.
      isSupported: () => process.allowedNodeEnvironmentFlags.has('--use-env-proxy'),
    }),
  });
  const addressOf = createAddressReader();

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { operation, signal } = request;
    const maximumBytes = request.plan.maximumBodyBytes ?? maximumBodyBytes;
    const { origin, path } = addressOf(request.url);
    const named = requestHeaders(request, origin.host);
    // Node writes a list down as it stands, which is cheaper; for a proxy, it has to add to them.
    const headers = connections.isProxied ? named : inTurn(named);
    const source = connections.agentFor(origin.protocol, operation);
    const agent = source instanceof Promise ? await unlessAborted(source, signal) : source;
    signal.throwIfAborted();
    const answer = await exchange(request, { origin, path, agent, headers, connectTimeoutMs, clock, maximumBytes });
    return toResponse(answer, request);
  };

  return closable(send, () => connections.drain());
};

/** Name, value, name, value. */
const inTurn = (headers: Readonly<Record<string, string>>): readonly string[] => {
  const list: string[] = [];
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? '');
  return list;
};
