import { type Clock, sleepOn } from '../clock.ts';
import type { Tell } from '../observability/teller.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';
import { attemptTimeMs } from './attempt-time.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import type { HttpClientOptions } from './client-options.ts';
import { pinVersion } from './middleware/api-version.ts';
import { limitAttemptTime } from './middleware/attempt-timeout.ts';
import { authenticate } from './middleware/authenticate.ts';
import { guardCircuit, refuseWhenOpen } from './middleware/circuit.ts';
import { holdDeadline } from './middleware/deadline.ts';
import { sendOncePerKey } from './middleware/idempotency.ts';
import { markSent } from './middleware/mark-sent.ts';
import { observeAttempts } from './middleware/observe.ts';
import { spendQuota } from './middleware/quota.ts';
import { limitRate } from './middleware/rate-limit.ts';
import { rejectFailures } from './middleware/reject-failures.ts';
import { retry } from './middleware/retry.ts';
import { hearUsage, refuseWhenUsedUp } from './middleware/usage.ts';
import type { HttpClientStatus } from './operation.ts';
import { createQuota, type Quota } from './quota.ts';
import type { Middleware } from './request.ts';
import { createRetryBudget, type RetryBudget } from './retry-budget.ts';
import { createUsageLedger, type UsageLedger } from './usage.ts';

/** The stateful parts of one client's stack. */
export interface StackParts {
  readonly breaker: CircuitBreaker | undefined;
  readonly limiter: RateLimiter | undefined;
  readonly ownsLimiter: boolean;
  readonly quota: Quota | undefined;
  readonly usage: UsageLedger;
  readonly budget: RetryBudget | undefined;
}

/** Makes the parts anew: two clients never share one by accident. */
export const createStackParts = (options: HttpClientOptions, clock: Clock, tell: Tell): StackParts => {
  const { rateLimit, circuit, api } = options;
  const isLimiter = typeof rateLimit === 'object' && 'acquire' in rateLimit;
  return {
    breaker:
      circuit === false
        ? undefined
        : createCircuitBreaker({
            ...circuit,
            clock,
            onChange: (from, to) => tell({ type: 'circuit', operation: api, from, to }),
          }),
    limiter: isLimiter ? rateLimit : rateLimit ? createMemoryRateLimiter({ ...rateLimit, clock }) : undefined,
    ownsLimiter: !isLimiter,
    quota: options.quota && createQuota({ ...options.quota, clock }),
    usage: createUsageLedger({ clock }),
    budget: options.retryBudget === false ? undefined : createRetryBudget({ ...options.retryBudget, clock }),
  };
};

/** The order of the middleware, outermost first. Why it is this one: docs/middleware.md. */
export const stackOf = (
  options: HttpClientOptions,
  { breaker, limiter, quota, usage, budget }: StackParts,
  clock: Clock,
  tell: Tell,
): readonly Middleware[] => {
  const { attempts = 3, authenticate: credential, tenant, attemptTimeoutMs, version, versionHeader, dialect } = options;
  const stack: readonly (Middleware | undefined)[] = [
    ...(options.middleware?.perRequest ?? []),
    holdDeadline({ clock }),
    sendOncePerKey(),
    // Identical reads in flight will share one answer here.
    retry({
      attempts,
      backoff: options.backoff ?? { minimumMs: 100, maximumMs: 1000 },
      budget,
      credential,
      tenant,
      tell: options.onEvent && tell,
      sleep: options.sleep ?? sleepOn(clock),
      random: options.random ?? Math.random,
      openForMs: () => (breaker?.state() === 'open' ? breaker.retryAfterMs() : 0),
    }),
    observeAttempts({ clock, tell: options.onEvent && tell }),
    // A second attempt of a slow read will start here.
    breaker && refuseWhenOpen(breaker),
    quota && spendQuota(quota),
    dialect?.usageOf && refuseWhenUsedUp(usage),
    limiter && limitRate({ limiter, key: tenant ?? '', clock }),
    breaker && guardCircuit(breaker),
    limitAttemptTime({ clock, timeoutMsFor: (request) => attemptTimeMs(request, { attempts, attemptTimeoutMs }) }),
    rejectFailures({ dialect, clock, version }),
    dialect?.usageOf && hearUsage(usage, dialect.usageOf),
    pinVersion({ version, ...(versionHeader ? { header: versionHeader.toLowerCase() } : {}) }, tell),
    authenticate(credential, { tenant, tell: options.onEvent && tell }),
    ...(options.middleware?.perAttempt ?? []),
    markSent,
  ];
  return stack.filter((layer) => layer !== undefined);
};

/** What stands right now between the caller and the API. */
export const statusOf = ({ breaker, limiter, quota, usage, budget }: StackParts): HttpClientStatus => ({
  circuit: breaker?.state() ?? 'off',
  circuitRetryAfterMs: breaker?.retryAfterMs() ?? 0,
  rateLimit: limiter?.state() ?? { waiting: 0, nextFreeInMs: 0, pausedForMs: 0 },
  ...(quota ? { quotaLeft: quota.left() } : {}),
  ...usageOf(usage),
  ...(budget ? { retriesLeft: budget.left() } : {}),
});

const usageOf = (ledger: UsageLedger): Pick<HttpClientStatus, 'usage'> => {
  const usage = ledger.last();
  return usage ? { usage } : {};
};
