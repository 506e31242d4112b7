import type { Emitter } from '../observability/emitter.ts';
import type { RateLimiter } from '../stores/ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';
import { adoptMiddleware } from './adopt-transport.ts';
import type { HttpClientOptions } from './client-options.ts';
import { limitAttemptTime, markSent, observeAttempts, propagateTrace } from './middleware/attempt.ts';
import { authenticate } from './middleware/authenticate.ts';
import { type Circuits, createCircuits, guardCircuit, refuseWhenOpen } from './middleware/circuit.ts';
import { holdDeadline } from './deadline.ts';
import { createOpenKeys, type OpenKeys } from './open-keys.ts';
import { sendOncePerKey } from './middleware/idempotency.ts';
import {
  createQuota,
  createUsageLedger,
  type Quota,
  readUsage,
  refuseWhenUsedUp,
  spendQuota,
  type UsageLedger,
} from './middleware/quota.ts';
import { limitRate, limitSearches } from './middleware/rate-limit.ts';
import { pinVersion, rejectFailures } from './middleware/reject-failures.ts';
import { createRetryBudget, retry, type RetryBudget } from './middleware/retry.ts';
import type { HttpClientStatus, Limit } from './operation.ts';
import type { Middleware } from './request.ts';

/** The stateful parts of one client's stack. */
export interface StackParts {
  readonly circuits: Circuits | undefined;
  readonly limiter: RateLimiter | undefined;
  readonly ownsLimiter: boolean;
  /** The limiter of requests that have a limit of their own. */
  readonly searchLimiter: RateLimiter | undefined;
  readonly quota: Quota | undefined;
  readonly usage: UsageLedger | undefined;
  readonly budget: RetryBudget | undefined;
  readonly openKeys: OpenKeys;
}

/** Makes new parts: two clients never share one by accident. */
export const createStackParts = (options: HttpClientOptions, emitter: Emitter): StackParts => {
  const { rateLimit, circuit, dialect: { searchLimit } = {} } = options;
  const isLimiter = typeof rateLimit === 'object' && 'acquire' in rateLimit;
  return {
    circuits:
      circuit === false
        ? undefined
        : createCircuits({
            ...circuit,
            onChange: (operation, from, to) => emitter.emit({ type: 'circuit', operation, from, to }),
          }),
    limiter: isLimiter ? rateLimit : rateLimit ? createMemoryRateLimiter(rateLimit) : undefined,
    ownsLimiter: !isLimiter,
    searchLimiter: rateLimit && searchLimit ? createMemoryRateLimiter(limitOf(searchLimit)) : undefined,
    quota: options.quota && createQuota(options.quota),
    usage: options.dialect?.usageOf && createUsageLedger(),
    budget: options.retryBudget === false ? undefined : createRetryBudget(options.retryBudget),
    openKeys: createOpenKeys(),
  };
};

/** The order of the middleware, outermost first. Why it is this one: docs/middleware.md. */
export const stackOf = (options: HttpClientOptions, parts: StackParts, emitter: Emitter): readonly Middleware[] => {
  const { circuits, limiter, searchLimiter, quota, usage, budget } = parts;
  const { attempts = 3, authenticate: credential, tenant, attemptTimeoutMs, version, versionHeader, dialect } = options;
  const stack: readonly (Middleware | undefined)[] = [
    ...(options.middleware?.perRequest ?? []).map((layer) => adoptMiddleware(layer, 'perRequest')),
    holdDeadline(),
    sendOncePerKey(
      typeof options.idempotency === 'object' ? options.idempotency.header.toLowerCase() : undefined,
      parts.openKeys,
    ),
    retry({
      attempts,
      backoff: options.backoff ?? { minimumMs: 100, maximumMs: 1000 },
      budget,
      credential,
      tenant,
      emitter,
      openForMs: (operation) => circuits?.of(operation).retryAfterMs() ?? 0,
      pausedForMs: () => limiter?.state().pausedForMs ?? 0,
    }),
    observeAttempts({ emitter }),
    circuits && refuseWhenOpen(circuits),
    quota && spendQuota(quota),
    usage && refuseWhenUsedUp(usage),
    searchLimiter && dialect?.searchLimit && limitSearches(dialect.searchLimit, { limiter: searchLimiter, key: '' }),
    limiter && limitRate({ limiter, key: tenant ?? '', emitter, usedUpForMs: dialect?.usedUpForMs }),
    circuits && guardCircuit(circuits),
    limitAttemptTime({ attemptTimeoutMs }),
    rejectFailures({ dialect, version }),
    usage && dialect?.usageOf && readUsage(usage, dialect.usageOf),
    pinVersion({ version, header: versionHeader?.toLowerCase() }, emitter),
    authenticate(credential, { tenant, emitter }),
    ...(options.middleware?.perAttempt ?? []).map((layer) => adoptMiddleware(layer, 'perAttempt')),
    propagateTrace,
    markSent,
  ];
  return stack.filter((layer) => layer !== undefined);
};

const limitOf = ({ limit, perMs }: Limit): Limit => ({ limit, perMs });

/** Returns what limits a call to the API right now. */
export const statusOf = ({
  circuits,
  limiter,
  quota,
  usage,
  budget,
}: StackParts): Omit<HttpClientStatus, 'maximumDeadlineMs'> => ({
  circuit: circuits?.state() ?? 'off',
  circuitRetryAfterMs: circuits?.retryAfterMs() ?? 0,
  rateLimit: limiter?.state() ?? { waiting: 0, nextFreeInMs: 0, pausedForMs: 0 },
  quotaLeft: quota?.left(),
  usage: usage?.last(),
  retriesLeft: budget?.left(),
});
