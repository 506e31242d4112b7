/**
 * Requests over undici: the least CPU per call, client certificates, proxies and exact knowledge of what was sent. Needs
 * `undici`.
 *
 * @module
 */
import type { LookupFunction } from 'node:net';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, oneOf, type OptionNames } from '../../core/option-checks.ts';
import { addressOf, type HttpRequest, type HttpResponse, type Transport } from '../request.ts';
import { assertDuration, settleWithin } from '../../core/timers.ts';
import { proxiesOf } from './proxy-environment.ts';
import { createSecureContextSource, type TlsOptions } from './secure-context.ts';
import { createUndiciConnections } from './undici-connections.ts';
import { undiciExchange } from './undici-exchange.ts';

export type { Transport } from '../request.ts';
export type { ReadPem, TlsOptions } from './secure-context.ts';

/** The options by which {@link undiciTransport} makes, keeps and trusts its connections. */
export interface UndiciTransportOptions {
  /** A client certificate that may be rotated, authorities of your own, the lowest version of TLS. */
  readonly tls?: TlsOptions | undefined;
  /**
   * The longest time until a new connection is ready: the name, TCP, the proxy and TLS together. After it, nothing was
   * sent for certain.
   * @defaultValue 2000
   */
  readonly connectTimeoutMs?: number | undefined;
  /** The time for which an unused connection is kept; shorter where the server says so. @defaultValue 4000 */
  readonly idleMs?: number | undefined;
  /**
   * Connections to one origin at a time. More requests wait in line, up to the deadline of their call; the time of an
   * attempt begins with its connection.
   * @defaultValue no limit
   */
  readonly maximumSocketsPerOrigin?: number | undefined;
  /** The largest body, decompressed, for clients that don't set their own. @defaultValue 8 MiB */
  readonly maximumBodyBytes?: number | undefined;
  /** Finds the addresses of a name, as in `node:net`; several are tried in turn. @defaultValue the system's */
  readonly lookup?: LookupFunction | undefined;
  /**
   * The use of `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`.
   * @defaultValue as for Node's own fetch: only with `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`
   */
  readonly proxy?: 'environment' | 'none' | undefined;
}

/** A {@link Transport} over undici, with connections of its own, which several clients may share. */
export interface UndiciTransport extends Transport, AsyncDisposable {
  /**
   * Refuses new requests, closes idle connections, and resolves when requests in flight have ended. Clients don't close
   * a transport: several may share it.
   */
  close(): Promise<void>;
}

/**
 * Sends requests by undici, which has to be installed: the cheapest transport under load. It speaks HTTP/1.1. msw doesn't
 * see it: leave it out in tests that use msw.
 * Throws `InvalidArgumentError` for options that can't work.
 *
 * @example
 * const transport = undiciTransport();
 * const billing = createBillingClient({ transport, baseUrl, authenticate, version: { path: 'v1' }, payments: { below: 5000 } });
 */
export const undiciTransport = (options: UndiciTransportOptions = {}): UndiciTransport => {
  assertKnown(options, optionNames);
  const { tls = {}, connectTimeoutMs = 2000, idleMs = 4000, maximumSocketsPerOrigin = Infinity } = options;
  const { maximumBodyBytes = 8 * 1024 * 1024, lookup, proxy } = options;
  oneOf(proxy, 'proxy', ['environment', 'none'])();
  assertDuration('connectTimeoutMs', connectTimeoutMs);
  assertDuration('idleMs', idleMs);
  if (!(maximumBodyBytes > 0)) throw new InvalidArgumentError('maximumBodyBytes', 'must be a number of bytes above 0');
  if (!(maximumSocketsPerOrigin >= 1))
    throw new InvalidArgumentError('maximumSocketsPerOrigin', 'must be a number of at least 1');
  const connections = createUndiciConnections({
    idleMs,
    maximumSocketsPerOrigin,
    lookup,
    connectTimeoutMs,
    servername: tls.servername,
    secureContext: createSecureContextSource(tls),
    proxies: proxiesOf({ proxy, env: process.env, execArgv: process.execArgv }),
  });

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { operation, signal } = request;
    const url = new URL(addressOf(request));
    const source = connections.contextFor(url.protocol, operation);
    const context = source instanceof Promise ? await settleWithin(source, { signal }) : source;
    signal.throwIfAborted();
    const maximumBytes = request.maximumBodyBytes ?? maximumBodyBytes;
    return undiciExchange(request, { url, connections, context, connectTimeoutMs, maximumBytes });
  };

  return closable(send, () => connections.drain());
};

const optionNames: OptionNames<UndiciTransportOptions> = {
  tls: true,
  connectTimeoutMs: true,
  idleMs: true,
  maximumSocketsPerOrigin: true,
  maximumBodyBytes: true,
  lookup: true,
  proxy: true,
};

/** `drain` closes idle connections at once, and the others when they're free. */
const closable = (send: (request: HttpRequest) => Promise<HttpResponse>, drain: () => void): UndiciTransport => {
  const ended = Promise.withResolvers<void>();
  let inFlight = 0;
  let isClosed = false;

  const transport = async (request: HttpRequest): Promise<HttpResponse> => {
    if (isClosed) throw new InvalidArgumentError('transport', 'is closed', { operation: request.operation });
    inFlight += 1;
    try {
      return await send(request);
    } finally {
      inFlight -= 1;
      if (isClosed && inFlight === 0) end();
    }
  };

  const end = () => {
    // What was in flight may have opened connections of another kind since.
    drain();
    ended.resolve();
  };

  const close = (): Promise<void> => {
    isClosed = true;
    if (inFlight === 0) end();
    else drain();
    return ended.promise;
  };

  return Object.assign(transport, { close, [Symbol.asyncDispose]: close });
};
