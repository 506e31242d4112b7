import { type Clock, systemClock } from '../../clock.ts';
import { InvalidArgumentError, RateLimitedError } from '../../errors.ts';
import { quietly } from '../../observability/quietly.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import { answeredWithin } from '../answered-within.ts';
import { createLocalPlaces, type LocalLimit } from '../local-places.ts';
import type { PlaceRequest, Places } from '../places.ts';
import { createWaitingLine } from '../waiting-line.ts';
import { commandsOf, type RedisClient } from './client.ts';
import { createSharedPlaces, type Grant } from './shared-places.ts';

/** A limit that processes share, and what happens while Redis is away. */
export interface RedisRateLimiterOptions {
  /** Made and closed by you. */
  readonly client: RedisClient;
  /** What is limited, such as `messaging`: all limiters of one name, in all processes, share one limit. Without braces. */
  readonly name: string;
  /** Requests of the whole app within `perMs`, of all processes together. All of them may be sent at once. */
  readonly limit: number;
  /** The length of the window in milliseconds. */
  readonly perMs: number;
  /** What each tenant may have of it. @defaultValue as much as the app */
  readonly perTenant?: { readonly limit: number; readonly perMs: number };
  /**
   * How much the way to the API may bunch together what left apart: every place stays taken that much longer than `perMs`.
   * @defaultValue a fiftieth of `perMs`
   */
  readonly spreadMs?: number;
  /**
   * What happens while Redis does not answer. `{ fallback: 'local', processes }`: each process keeps to its share, the limit
   * divided by how many processes there are at most, but at least one. `refuse`: nothing is sent.
   */
  readonly whenUnavailable: { readonly fallback: 'local'; readonly processes: number } | 'refuse';
  /** After this without an answer Redis counts as away, and is not waited for again until it has answered. @defaultValue 50 */
  readonly timeoutMs?: number;
  /** How often is looked whether Redis is back; no caller waits for that. @defaultValue 1000 */
  readonly retryMs?: number;
  /** Hears once why Redis counts as away. What it throws is ignored. */
  readonly onUnavailable?: (error: unknown) => void;
  /** Stands before every key. @defaultValue 'voice-agent:limit:' */
  readonly prefix?: string;
  /** Tells the time; for tests. @defaultValue the machine's own */
  readonly clock?: Clock;
}

/**
 * Keeps one app, and each of its tenants, under a limit that all processes of all machines share: never more than `limit`
 * grants lie in any window of `perMs`, by the clock of Redis. Live callers pass background ones, also those of other
 * processes, and find a tenth of the places left free by them; processes that wait are served in turn; a pause after a 429
 * holds for all.
 * `state()` tells what this process knows: whether a place is free at the moment only Redis can say.
 * Its keys may be evicted: the limit then starts again from zero.
 * Throws `InvalidArgumentError` for limits that are none.
 *
 * @example
 * const limiter = redisRateLimiter({
 *   client, name: 'messaging', limit: 1000, perMs: 60_000, whenUnavailable: { fallback: 'local', processes: 4 },
 * });
 * createMessagingClient({ ...connection, rateLimit: limiter });
 */
export const redisRateLimiter = (options: RedisRateLimiterOptions): RateLimiter => {
  const { client, name, perTenant, whenUnavailable, prefix = 'voice-agent:limit:', clock = systemClock } = options;
  const { timeoutMs = 50, retryMs = 1_000, spreadMs = options.perMs / 50, onUnavailable } = options;
  if (typeof name !== 'string' || !/^[^{}]+$/.test(name))
    throw new InvalidArgumentError('name', 'must be a text that is not empty, without braces');
  if (!(spreadMs >= 0)) throw new InvalidArgumentError('spreadMs', 'must be a number of milliseconds, 0 or more');
  const app = toLimit('limit', options, spreadMs);
  const tenant = perTenant && toLimit('perTenant.limit', perTenant, spreadMs);
  const share = shareOf(whenUnavailable);
  const send = commandsOf(client);
  const createName = namesOf(crypto.randomUUID());

  /** What this process was granted within the window, the oldest first. */
  let grants: (Grant & { readonly at: number })[] = [];
  const keep = (grant: Grant) => {
    const now = clock.now();
    if (grants.length > 1_000 && (grants[grants.length >> 1]?.at ?? now) + longestHoldMs < now)
      grants = grants.filter(({ at }) => at + longestHoldMs > now);
    grants.push({ ...grant, at: now });
  };
  const longestHoldMs = Math.max(app.holdMs, tenant?.holdMs ?? 0);

  const local = createLocalPlaces({ app: share(app), tenant: tenant && share(tenant), retryMs, clock });
  const shared = createSharedPlaces({
    send,
    prefix: `${prefix}{${name}}:`,
    app,
    tenant,
    newName: createName,
    process: createName(),
    onGrant: (grant) => {
      keep(grant);
      local.note(grant.key, grant.weight);
    },
    // Or else it would be told of as granted, and taken again.
    onReturn: (returned) => {
      grants = grants.filter((grant) => grant.name !== returned);
    },
  });
  let isAway = false;
  let lookAgainAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  const within = <T>(answer: Promise<T>, ms: number) => answeredWithin(answer, { server: 'Redis', ms, clock });

  const leave = (error: unknown) => {
    lookAgainAt = clock.now() + retryMs;
    if (isAway) return;
    isAway = true;
    if (onUnavailable) quietly(() => onUnavailable(error));
  };

  /** What was granted without Redis, and what it may have lost, is told before anything is asked for again. */
  const lookAgain = async () => {
    if (isLooking || clock.now() < lookAgainAt) return;
    isLooking = true;
    try {
      await within(send('PING'), retryMs);
      const now = clock.now();
      const held = grants
        .filter(({ at }) => at + longestHoldMs > now)
        .map((grant) => ({ ...grant, ageMs: now - grant.at }));
      await within(shared.report(held), retryMs);
      isAway = false;
    } catch (error) {
      leave(error);
    } finally {
      isLooking = false;
    }
  };

  const askLocally = async (request: PlaceRequest) => {
    void lookAgain();
    if (whenUnavailable === 'refuse')
      throw new RateLimitedError('the shared rate limit cannot be asked for: Redis is out of reach', {
        retryAfterMs: retryMs,
      });
    const answer = await local.ask(request);
    if (answer.granted) keep({ name: createName(), key: request.key, weight: request.weight });
    return answer;
  };

  const places: Places = {
    ask: async (request) => {
      if (isAway) return askLocally(request);
      const asked = shared.ask(request);
      try {
        return await within(asked, timeoutMs);
      } catch (error) {
        leave(error);
        // The answer may still come.
        asked.then((late) => late.granted && late.giveBack()).catch(() => undefined);
        return askLocally(request);
      }
    },
  };

  return createWaitingLine({
    places,
    heaviest: Math.min(app.limit, tenant?.limit ?? app.limit),
    onPause: (ms) => {
      if (!isAway) void within(shared.pause(ms), timeoutMs).catch(leave);
    },
    clock,
  });
};

const toLimit = (field: string, { limit, perMs }: { limit: number; perMs: number }, spreadMs: number): LocalLimit => {
  if (!Number.isInteger(limit) || limit < 1) throw new InvalidArgumentError(field, 'must be a whole number above 0');
  if (!Number.isFinite(perMs) || perMs <= 0)
    throw new InvalidArgumentError(field.replace('limit', 'perMs'), 'must be a number of milliseconds above 0');
  return { limit, holdMs: perMs + spreadMs };
};

const shareOf = (whenUnavailable: RedisRateLimiterOptions['whenUnavailable']) => {
  const processes = whenUnavailable === 'refuse' ? 1 : whenUnavailable?.processes;
  if (!Number.isInteger(processes) || processes < 1)
    throw new InvalidArgumentError(
      'whenUnavailable',
      "must be 'refuse' or { fallback: 'local', processes }, a whole number above 0",
    );
  return ({ limit, holdMs }: LocalLimit): LocalLimit => ({ limit: Math.max(1, Math.floor(limit / processes)), holdMs });
};

/** Names that nobody else has. */
const namesOf = (process: string) => {
  let count = 0;
  return () => {
    count += 1;
    return `${process}:${count}`;
  };
};
