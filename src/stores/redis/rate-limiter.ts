import { InvalidArgumentError, RateLimitedError } from '../../core/errors.ts';
import { oneOf } from '../../core/option-checks.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { answeredWithin } from '../answered-within.ts';
import {
  createLocalPermits,
  createRemotePermits,
  type PermitAnswer,
  type PermitLimit,
  type PermitRequest,
  toPermitLimit,
} from '../permits.ts';
import { createWaitingLine } from '../waiting-line.ts';
import { commandsOf, type RedisClient } from './client.ts';
import { createSharedPermits, type Grant } from './shared-permits.ts';

/** A limit that processes share, and what happens while Redis is down. */
export interface RedisRateLimiterOptions {
  /** The name of the limited API, such as `messaging`, without braces. All limiters of one name, in all processes, share one limit. */
  readonly name: string;
  /** Requests of the whole app within `perMs`, of all processes together. All of them may be sent at once. */
  readonly limit: number;
  /** The length of the window in milliseconds. */
  readonly perMs: number;
  /** The share of each tenant. @defaultValue as much as the app */
  readonly perTenant?: { readonly limit: number; readonly perMs: number } | undefined;
  /**
   * The behaviour while Redis doesn't answer. `{ fallback: 'local', processes }`: each process keeps to its share, the
   * limit divided by the number of processes, but at least one. `refuse`: nothing is sent.
   */
  readonly whenUnavailable: { readonly fallback: 'local'; readonly processes: number } | 'refuse';
  /** The longest wait for an answer. Then Redis is treated as down, and callers don't wait for it until it's back. @defaultValue 50 */
  readonly timeoutMs?: number | undefined;
  /** The time between two checks whether Redis is back; no caller waits for that. @defaultValue 1000 */
  readonly retryMs?: number | undefined;
  /** Gets, once, why Redis is treated as down. What it throws is ignored. */
  readonly onUnavailable?: ((error: unknown) => void) | undefined;
  /** Begins every key. @defaultValue 'voice-agent:limit:' */
  readonly prefix?: string | undefined;
}

export const createRedisRateLimiter = (
  options: RedisRateLimiterOptions & { readonly client: RedisClient },
): RateLimiter => {
  const { client, name, perTenant, whenUnavailable, prefix = 'voice-agent:limit:' } = options;
  const { timeoutMs = 50, retryMs = 1_000, onUnavailable } = options;
  if (typeof name !== 'string' || !/^[^{}]+$/.test(name))
    throw new InvalidArgumentError('name', 'must be a text that is not empty, without braces');
  const app = spread(toPermitLimit('limit', options));
  const tenant = perTenant && spread(toPermitLimit('perTenant.limit', perTenant));
  const share = shareOf(whenUnavailable);
  const shares = { app: share(app), tenant: tenant && share(tenant) };
  const send = commandsOf(client);
  const createName = namesOf(crypto.randomUUID());

  const granted = createGrantMemory(Math.max(app.holdMs, tenant?.holdMs ?? 0));
  const local = createLocalPermits(shares);
  const shared = createSharedPermits({
    send,
    prefix: `${prefix}{${name}}:`,
    app,
    tenant,
    newName: createName,
    onGrant: (grant) => {
      granted.keep(grant);
      local.note(grant.key, grant.weight);
    },
    // A report would take it again.
    onRelease: granted.forget,
  });
  let isAway = false;
  let lookAgainAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  const within = <T>(answer: Promise<T>, ms: number) => answeredWithin(answer, { server: 'Redis', ms });

  const leave = (error: unknown) => {
    lookAgainAt = performance.now() + retryMs;
    if (isAway) return;
    isAway = true;
    if (onUnavailable) ignoreErrors(() => onUnavailable(error));
  };

  /** Reports what was granted without Redis, and what Redis may have lost, before anything is asked for again. */
  const lookAgain = async () => {
    if (isLooking || performance.now() < lookAgainAt) return;
    isLooking = true;
    try {
      await within(send('PING'), retryMs);
      await within(shared.report(granted.held()), retryMs);
      isAway = false;
    } catch (error) {
      leave(error);
    } finally {
      isLooking = false;
    }
  };

  const tryLocally = (request: PermitRequest): PermitAnswer => {
    void lookAgain();
    if (whenUnavailable === 'refuse')
      throw new RateLimitedError('Redis is out of reach, so nothing is sent under the shared rate limit', {
        retryAfterMs: retryMs,
      });
    const { key, weight } = request;
    if (weight > Math.min(shares.app.limit, shares.tenant?.limit ?? weight))
      return { granted: false, waitMs: retryMs, by: 'app' };
    const answer = local.tryAcquire(request);
    if (answer.granted) granted.keep({ name: createName(), key, weight });
    return answer;
  };

  const tryEverywhere = async (request: PermitRequest): Promise<PermitAnswer> => {
    if (isAway) return tryLocally(request);
    const asked = shared.tryAcquire(request);
    try {
      return await within(asked, timeoutMs);
    } catch (error) {
      leave(error);
      // The answer may still come.
      asked.then((late) => late.granted && late.release()).catch(() => undefined);
      return tryLocally(request);
    }
  };

  return createWaitingLine({
    permits: createRemotePermits(tryEverywhere),
    heaviest: Math.min(app.limit, tenant?.limit ?? app.limit),
    onPause: (ms) => {
      if (!isAway) void within(shared.pause(ms), timeoutMs).catch(leave);
    },
  });
};

/** Remembers what this process was granted within the window, the oldest first. */
const createGrantMemory = (longestHoldMs: number) => {
  let grants: (Grant & { readonly at: number })[] = [];
  return {
    keep: (grant: Grant) => {
      const now = performance.now();
      if (grants.length > 1_000 && (grants[grants.length >> 1]?.at ?? now) + longestHoldMs < now)
        grants = grants.filter(({ at }) => at + longestHoldMs > now);
      grants.push({ ...grant, at: now });
    },
    forget: (name: string) => {
      grants = grants.filter((grant) => grant.name !== name);
    },
    held: () => {
      const now = performance.now();
      return grants.filter(({ at }) => at + longestHoldMs > now).map((grant) => ({ ...grant, ageMs: now - grant.at }));
    },
  };
};

/** The way to the API may bunch together what left apart: a permit stays taken a fiftieth longer. */
const spread = ({ limit, holdMs }: PermitLimit): PermitLimit => ({ limit, holdMs: holdMs * 1.02 });

const shareOf = (whenUnavailable: RedisRateLimiterOptions['whenUnavailable']) => {
  const isLocal = typeof whenUnavailable === 'object' && whenUnavailable?.fallback === 'local';
  const local = "{ fallback: 'local', processes }, a whole number above 0";
  if (!isLocal) oneOf(whenUnavailable ?? null, 'whenUnavailable', ['refuse'], local)();
  const processes = isLocal ? whenUnavailable.processes : 1;
  if (!Number.isInteger(processes) || processes < 1)
    throw new InvalidArgumentError('whenUnavailable', `must be 'refuse' or ${local}`);
  return ({ limit, holdMs }: PermitLimit): PermitLimit => ({
    limit: Math.max(1, Math.floor(limit / processes)),
    holdMs,
  });
};

/** Names that no other process makes. */
const namesOf = (process: string) => {
  let count = 0;
  return () => {
    count += 1;
    return `${process}:${count}`;
  };
};
