import { assertDuration } from '../timers.ts';
import { InvalidArgumentError } from '../errors.ts';
import { version as packageVersion } from '../version.ts';
import { parseBaseUrl } from './base-url.ts';
import type { HttpDialect } from './dialect.ts';
import { assertHeaderValue } from './request.ts';
import type { ConnectionOptions } from './operation.ts';
import type { RequestDefaults } from './prepare-request.ts';

/** What a client of one API sets itself, next to the user's options. */
export interface HttpClientOptions extends ConnectionOptions {
  /** `messaging`, `crm` or `billing`: the name on events. */
  readonly api: string;
  /** The pinned version. */
  readonly version: string;
  /** The header that carries the version, in the platform's spelling. */
  readonly versionHeader?: string | undefined;
  /** Comes between the base address and every path, such as `/services/data/v60.0`. */
  readonly pathPrefix?: string;
  /** How the API words its answers. @defaultValue as the interface document says */
  readonly dialect?: HttpDialect;
}

const ourName = `voice-agent-integrations/${packageVersion}`;

/** What all requests of the client have in common. Throws `InvalidArgumentError` for options that cannot work. */
export const defaultsOf = (options: HttpClientOptions): RequestDefaults => {
  const { attempts = 3, deadlineMs = 8000, maximumDeadlineMs = 10_000, appName } = options;
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new InvalidArgumentError('attempts', 'must be an integer of at least 1');
  if (!(deadlineMs > 0 && deadlineMs <= maximumDeadlineMs))
    throw new InvalidArgumentError('deadlineMs', `must be above 0 and at most maximumDeadlineMs, ${maximumDeadlineMs}`);
  assertDuration('attemptTimeoutMs', options.attemptTimeoutMs);
  if (options.maximumBodyBytes !== undefined && !(options.maximumBodyBytes > 0))
    throw new InvalidArgumentError('maximumBodyBytes', 'must be a number of bytes above 0');
  if (options.backoff && !isRange(options.backoff))
    throw new InvalidArgumentError('backoff', 'must go from minimumMs, 0 or more, up to maximumMs');
  keyHeaderOf(options);
  assertOneWay(options);
  if (typeof options.authenticate?.read !== 'function')
    throw new InvalidArgumentError('authenticate', "must be made by a function of 'voice-agent-integrations/auth'");
  const userAgent = appName ? `${ourName} (${appName})` : ourName;
  assertHeaderValue('appName', userAgent);
  assertHeaderValue('version', options.version);
  const { origin, pathname } = parseBaseUrl(options.baseUrl, { allowInsecure: options.allowInsecure ?? false });
  return {
    // A URL computes its parts on each access.
    baseUrl: { origin, pathname },
    pathPrefix: options.pathPrefix ?? '',
    userAgent,
    deadlineMs,
    maximumDeadlineMs,
    maximumBodyBytes: options.maximumBodyBytes,
    idempotency: options.idempotency === 'none' ? 'none' : 'key',
    headers: options.dialect?.headers,
  };
};

/** The header of idempotency keys, where it has a name of its own. Throws `InvalidArgumentError` for one that can't be. */
export const keyHeaderOf = ({ idempotency = 'key' }: Pick<ConnectionOptions, 'idempotency'>): string | undefined => {
  if (idempotency === 'key' || idempotency === 'none') return undefined;
  const { header } = Object(idempotency) as { readonly header?: unknown };
  if (typeof header !== 'string' || !/^[\w-]+$/.test(header))
    throw new InvalidArgumentError('idempotency', "must be 'key', 'none' or { header: 'X-Request-Key' }");
  return header.toLowerCase();
};

/** Each would take the place of the other. */
const assertOneWay = ({ ky, fetch, transport }: HttpClientOptions): void => {
  if (ky === undefined) return;
  if (typeof ky !== 'function')
    throw new InvalidArgumentError('ky', 'must be an instance, such as ky.create({ hooks })');
  if (fetch !== undefined)
    throw new InvalidArgumentError('ky', 'must not be given together with fetch; make it with ky.create({ fetch })');
  if (transport !== undefined) throw new InvalidArgumentError('ky', 'must not be given together with transport');
};

const isRange = ({ minimumMs, maximumMs }: { minimumMs: number; maximumMs: number }): boolean =>
  minimumMs >= 0 && maximumMs >= minimumMs && maximumMs < Infinity;
