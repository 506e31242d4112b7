/**
 * Requests over `node:http`: cheaper than `fetch`, exact about what was sent, and with TLS of your own.
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
import { createAddressReader } from './address.ts';
import { type ClosableTransport, closable } from './closable.ts';
import { type Connections, createConnections } from './connections.ts';
import { exchange } from './exchange.ts';
import { proxyEnvironmentOf } from './proxy-environment.ts';
import { requestHeaders } from './request-headers.ts';
import { createSecureContextSource, type TlsOptions } from './secure-context.ts';

export type { Transport } from '../http/request.ts';
export type { ReadPem, TlsOptions } from './secure-context.ts';

/** How connections are made, kept and trusted. */
export interface NodeTransportOptions {
  /** A client certificate that may be rotated, authorities of one's own, the lowest version of TLS. */
  readonly tls?: TlsOptions | undefined;
  /**
   * The longest time until a connection stands: waiting for a free one, the name, TCP, the proxy and TLS together.
   * After it, nothing was sent for certain.
   * @defaultValue 2000
   */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a connection is kept that nobody uses; shorter where the server says so. @defaultValue 4000 */
  readonly idleMs?: number | undefined;
  /** Connections to one origin at a time; requests beyond it wait for a free one. @defaultValue no limit */
  readonly maximumSocketsPerOrigin?: number | undefined;
  /** Of a body, decompressed, for clients that do not set their own. @defaultValue 8 MiB */
  readonly maximumBodyBytes?: number | undefined;
  /**
   * Whether `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` count. Needs Node 22.21, 24.5 or later.
   * @defaultValue as for Node's own fetch: only with `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`
   */
  readonly proxy?: 'environment' | 'none' | undefined;
  /** Finds the addresses of a name, as in `node:net`; several are tried in turn. @defaultValue the system's */
  readonly lookup?: LookupFunction | undefined;
  readonly clock?: Clock | undefined;
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
  const { connectTimeoutMs = 2000, clock = systemClock } = options;
  const connections = connectionsOf(options, connectTimeoutMs);
  const addressOf = createAddressReader();
  const decoder = new TextDecoder();

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { operation, signal } = request;
    const maximumBytes = request.plan.maximumBodyBytes ?? options.maximumBodyBytes ?? 8 * 1024 * 1024;
    const { origin, path } = addressOf(request.url);
    const named = requestHeaders(request, origin.host);
    // Node writes a list down as it stands, which is cheaper; for a proxy, it has to add to them.
    const headers = connections.isProxied ? named : inTurn(named);
    const source = connections.agentFor(origin.protocol, operation);
    const agent = source instanceof Promise ? await unlessAborted(source, signal) : source;
    signal.throwIfAborted();
    const answer = await exchange(request, { origin, path, agent, headers, connectTimeoutMs, clock, maximumBytes });
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

/** Name, value, name, value. */
const inTurn = (headers: Readonly<Record<string, string>>): readonly string[] => {
  const list: string[] = [];
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? '');
  return list;
};

const connectionsOf = (
  {
    tls = {},
    idleMs = 4000,
    maximumSocketsPerOrigin = Infinity,
    maximumBodyBytes,
    proxy,
    lookup,
  }: NodeTransportOptions,
  connectTimeoutMs: number,
): Connections => {
  assertDuration('connectTimeoutMs', connectTimeoutMs);
  assertDuration('idleMs', idleMs);
  if (maximumBodyBytes !== undefined && !(maximumBodyBytes > 0))
    throw new InvalidArgumentError('maximumBodyBytes', 'must be a number of bytes above 0');
  if (!(maximumSocketsPerOrigin >= 1))
    throw new InvalidArgumentError('maximumSocketsPerOrigin', 'must be a number of at least 1');
  return createConnections({
    idleMs,
    maximumSocketsPerOrigin,
    lookup,
    servername: tls.servername,
    secureContext: createSecureContextSource(tls),
    proxyEnv: proxyEnvironmentOf({
      proxy,
      env: process.env,
      execArgv: process.execArgv,
      // Both came with the same versions.
      isSupported: () => process.allowedNodeEnvironmentFlags.has('--use-env-proxy'),
    }),
  });
};
