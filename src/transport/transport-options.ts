import type { LookupFunction } from 'node:net';
import { type Clock, systemClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { assertDuration } from '../http/duration.ts';
import type { TlsOptions } from './secure-context.ts';

/** How a transport makes and keeps its connections. */
export interface TransportOptions {
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
  /** Finds the addresses of a name, as in `node:net`; several are tried in turn. @defaultValue the system's */
  readonly lookup?: LookupFunction | undefined;
  /** Tells the time; for tests. @defaultValue the machine's own */
  readonly clock?: Clock | undefined;
}

/** The options with their defaults. Throws `InvalidArgumentError` for those that cannot work. */
export const readTransportOptions = ({
  tls = {},
  connectTimeoutMs = 2000,
  idleMs = 4000,
  maximumSocketsPerOrigin = Infinity,
  maximumBodyBytes = 8 * 1024 * 1024,
  lookup,
  clock = systemClock,
}: TransportOptions) => {
  assertDuration('connectTimeoutMs', connectTimeoutMs);
  assertDuration('idleMs', idleMs);
  if (!(maximumBodyBytes > 0)) throw new InvalidArgumentError('maximumBodyBytes', 'must be a number of bytes above 0');
  if (!(maximumSocketsPerOrigin >= 1))
    throw new InvalidArgumentError('maximumSocketsPerOrigin', 'must be a number of at least 1');
  return { tls, connectTimeoutMs, idleMs, maximumSocketsPerOrigin, maximumBodyBytes, lookup, clock };
};
