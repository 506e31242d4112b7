import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, flag, must, oneOf, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import { toPermitLimit } from '../stores/permits.ts';
import { assertDuration } from '../core/timers.ts';
import { version as packageVersion } from '../core/version.ts';
import { parseBaseUrl } from './base-url.ts';
import type { HttpDialect } from './dialect.ts';
import { assertHeaderValue } from './request.ts';
import type { CircuitOptions, ConnectionOptions, Limit, RetryBudgetOptions } from './operation.ts';
import type { RequestDefaults } from './prepare-request.ts';

/** The options that a client of one API sets itself, next to the user's. */
export interface HttpClientOptions extends Omit<ConnectionOptions, 'idempotency'> {
  /** `sent`: writes carry a key that nothing relies on. `given`: those whose caller gives one. @defaultValue 'key' */
  readonly idempotency?: ConnectionOptions['idempotency'] | 'sent' | 'given' | undefined;
  /** `messaging`, `crm` or `billing`: the name on events. */
  readonly api: string;
  /** The pinned version. */
  readonly version: string;
  /** The header that carries the version, in the platform's spelling. */
  readonly versionHeader?: string | undefined;
  /** Comes between the base address and every path, such as `/services/data/v60.0`. */
  readonly pathPrefix?: string | undefined;
  /** The wording of the API's answers. @defaultValue as the default API says */
  readonly dialect?: HttpDialect | undefined;
}

const ourName = `voice-agent-integrations/${packageVersion}`;

/** The options that every client takes. */
export const connectionOptionNames: OptionNames<ConnectionOptions> = {
  baseUrl: true,
  authenticate: true,
  allowInsecure: true,
  appName: true,
  tenant: true,
  deadlineMs: true,
  maximumDeadlineMs: true,
  attempts: true,
  attemptTimeoutMs: true,
  backoff: true,
  maximumBodyBytes: true,
  rateLimit: true,
  quota: true,
  circuit: true,
  retryBudget: true,
  idempotency: true,
  fetch: true,
  ky: true,
  transport: true,
  middleware: true,
  onEvent: true,
  redact: true,
};

/** Returns the checks of the options that every client takes. */
export const connectionChecks = (options: ConnectionOptions): readonly OptionCheck[] => {
  const { attempts = 3, deadlineMs = 8000, maximumDeadlineMs = 10_000, maximumBodyBytes = 1, backoff } = options;
  const isCredential = typeof options.authenticate?.read === 'function';
  const isDeadline = deadlineMs > 0 && deadlineMs <= maximumDeadlineMs;
  return [
    () => parseBaseUrl(options.baseUrl, { allowInsecure: options.allowInsecure ?? false }),
    flag(options.allowInsecure, 'allowInsecure'),
    must(isCredential, 'authenticate', "must be made by a function of 'voice-agent-integrations/auth'"),
    must(Number.isInteger(attempts) && attempts >= 1, 'attempts', 'must be an integer of at least 1'),
    must(isDeadline, 'deadlineMs', `must be above 0 and at most maximumDeadlineMs, ${maximumDeadlineMs}`),
    () => assertDuration('attemptTimeoutMs', options.attemptTimeoutMs),
    must(
      !((options.attemptTimeoutMs ?? 0) > maximumDeadlineMs),
      'attemptTimeoutMs',
      `must be at most maximumDeadlineMs, ${maximumDeadlineMs}: no attempt takes longer than its call`,
    ),
    must(maximumBodyBytes > 0, 'maximumBodyBytes', 'must be a number of bytes above 0'),
    must(!backoff || isRange(backoff), 'backoff', 'must go from minimumMs, 0 or more, up to maximumMs'),
    must(
      !((backoff?.minimumMs ?? 0) >= maximumDeadlineMs),
      'backoff.minimumMs',
      `must be below maximumDeadlineMs, ${maximumDeadlineMs}: nothing would be sent again`,
    ),
    () => assertHeaderValue('appName', userAgentOf(options)),
    () => assertLimit(options),
    () => assertIdempotency(options.idempotency),
    () => assertOneWay(options),
    () => assertKnown(options.circuit, circuitNames, 'circuit'),
    () => assertKnown(options.retryBudget, retryBudgetNames, 'retryBudget'),
    () => assertKnown(backoff, { minimumMs: true, maximumMs: true }, 'backoff'),
    () => assertKnown(options.quota, limitNames, 'quota'),
    () => assertKnown(options.middleware, { perRequest: true, perAttempt: true }, 'middleware'),
  ];
};

/** The options of a circuit breaker. */
export const circuitNames: OptionNames<CircuitOptions> = {
  failureShare: true,
  minimumVolume: true,
  windowMs: true,
  openMs: true,
};

const retryBudgetNames: OptionNames<RetryBudgetOptions> = { capacity: true, perSuccess: true, perSecond: true };
const limitNames: OptionNames<Limit> = { limit: true, perMs: true };
const rateLimitNames = { ...limitNames, perTenant: true, headroom: true } as const;

const assertLimit = ({ rateLimit }: ConnectionOptions): void => {
  if (rateLimit === undefined || rateLimit === false) return;
  if (typeof rateLimit !== 'object')
    throw new InvalidArgumentError('rateLimit', 'must be { limit, perMs }, a rate limiter, or false');
  if ('acquire' in rateLimit) return;
  assertKnown(rateLimit, rateLimitNames, 'rateLimit');
  toPermitLimit('rateLimit.limit', rateLimit);
};

const userAgentOf = ({ appName }: Pick<ConnectionOptions, 'appName'>): string =>
  appName ? `${ourName} (${appName})` : ourName;

/** Returns the settings that all requests of the client have in common. Its options were checked. */
export const defaultsOf = (options: HttpClientOptions): RequestDefaults => {
  const { deadlineMs = 8000, maximumDeadlineMs = 10_000 } = options;
  assertHeaderValue('version', options.version);
  const { origin, pathname } = parseBaseUrl(options.baseUrl, { allowInsecure: options.allowInsecure ?? false });
  return {
    // A URL computes its parts on each access.
    baseUrl: { origin, pathname },
    pathPrefix: options.pathPrefix ?? '',
    userAgent: userAgentOf(options),
    deadlineMs,
    maximumDeadlineMs,
    maximumBodyBytes: options.maximumBodyBytes,
    idempotency: typeof options.idempotency === 'string' ? options.idempotency : 'key',
    headers: options.dialect?.headers,
  };
};

/** Programs in JavaScript may say anything. */
const assertIdempotency = (idempotency: ConnectionOptions['idempotency'] = 'key'): void => {
  if (idempotency === 'key' || idempotency === 'none') return;
  const { header } = Object(idempotency) as { readonly header?: unknown };
  if (typeof header !== 'string' || !/^[\w-]+$/.test(header))
    oneOf(idempotency, 'idempotency', ['key', 'none'], "{ header: 'X-Request-Key' }")();
};

/** Refuses two ways of sending: each would take the place of the other. */
const assertOneWay = ({ ky, fetch, transport }: ConnectionOptions): void => {
  if (ky === undefined) return;
  if (typeof ky !== 'function')
    throw new InvalidArgumentError('ky', 'must be an instance, such as ky.create({ hooks })');
  if (fetch !== undefined)
    throw new InvalidArgumentError('ky', 'must not be given together with fetch; make it with ky.create({ fetch })');
  if (transport !== undefined) throw new InvalidArgumentError('ky', 'must not be given together with transport');
};

const isRange = ({ minimumMs, maximumMs }: { minimumMs: number; maximumMs: number }): boolean =>
  minimumMs >= 0 && maximumMs >= minimumMs && maximumMs < Infinity;
