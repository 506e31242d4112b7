import { type Clock, sleepOn } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { Tell } from '../observability/teller.ts';
import type { RateLimiter, RateLimiterState } from '../ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';
import { adoptMiddleware } from './adopt-transport.ts';
import type { HttpClientOptions } from './client-options.ts';
import { assertDuration } from './duration.ts';
import { pinVersion } from './middleware/api-version.ts';
import { limitAttemptTime } from './middleware/attempt-timeout.ts';
import { authenticate } from './middleware/authenticate.ts';
import { shareReads } from './middleware/coalesce.ts';
import { type Circuits, createCircuits, guardCircuit, refuseWhenOpen } from './middleware/circuit.ts';
import { holdDeadline } from './middleware/deadline.ts';
import { hedge, type HedgeLayerOptions } from './middleware/hedge.ts';
import { sendOncePerKey } from './middleware/idempotency.ts';
import { markSent } from './middleware/mark-sent.ts';
import { observeAttempts } from './middleware/observe.ts';
import { propagateTrace } from './middleware/propagate-trace.ts';
import { spendQuota } from './middleware/quota.ts';
import { limitRate } from './middleware/rate-limit.ts';
import { rejectFailures } from './middleware/reject-failures.ts';
import { retry } from './middleware/retry.ts';
import { hearUsage, refuseWhenUsedUp } from './middleware/usage.ts';
import type { HedgeOptions, HttpClientStatus } from './operation.ts';
import { createQuota, type Quota } from './quota.ts';
import type { Middleware } from './request.ts';
import { createRetryBudget, type RetryBudget } from './retry-budget.ts';
import { createUsageLedger, type UsageLedger } from './usage.ts';

/** The stateful parts of one client's stack. */
export interface StackParts {
  readonly circuits: Circuits | undefined;
  readonly limiter: RateLimiter | undefined;
  readonly ownsLimiter: boolean;
  readonly quota: Quota | undefined;
  readonly usage: UsageLedger | undefined;
  readonly budget: RetryBudget | undefined;
}

/** Makes the parts anew: two clients never share one by accident. */
export const createStackParts = (options: HttpClientOptions, clock: Clock, tell: Tell): StackParts => {
  const { rateLimit, circuit } = options;
  const isLimiter = typeof rateLimit === 'object' && 'acquire' in rateLimit;
  return {
    circuits:
      circuit === false
        ? undefined
        : createCircuits({
            ...circuit,
            clock,
            onChange: (operation, from, to) => tell({ type: 'circuit', operation, from, to }),
          }),
    limiter: isLimiter ? rateLimit : rateLimit ? createMemoryRateLimiter({ ...rateLimit, clock }) : undefined,
    ownsLimiter: !isLimiter,
    quota: options.quota && createQuota({ ...options.quota, clock }),
    usage: options.dialect?.usageOf && createUsageLedger({ clock }),
    budget: options.retryBudget === false ? undefined : createRetryBudget({ ...options.retryBudget, clock }),
  };
};

/** The order of the middleware, outermost first. Why it is this one: docs/middleware.md. */
export const stackOf = (
  options: HttpClientOptions,
  parts: StackParts,
  clock: Clock,
  tell: Tell,
): readonly Middleware[] => {
  const { circuits, limiter, quota, usage, budget } = parts;
  const { attempts = 3, authenticate: credential, tenant, attemptTimeoutMs, version, versionHeader, dialect } = options;
  const stack: readonly (Middleware | undefined)[] = [
    ...(options.middleware?.perRequest ?? []).map((layer) => adoptMiddleware(layer, 'perRequest')),
    holdDeadline({ clock }),
    sendOncePerKey(),
    options.coalesce ? shareReads() : undefined,
    retry({
      attempts,
      backoff: options.backoff ?? { minimumMs: 100, maximumMs: 1000 },
      budget,
      credential,
      tenant,
      tell: tell,
      sleep: options.sleep ?? sleepOn(clock),
      openForMs: (operation) => circuits?.of(operation).retryAfterMs() ?? 0,
      pausedForMs: () => limiter?.state().pausedForMs ?? 0,
    }),
    options.hedge && hedge(hedgeOptionsOf(options.hedge, parts, { attempts, clock })),
    observeAttempts({ clock, tell: tell }),
    circuits && refuseWhenOpen(circuits),
    quota && spendQuota(quota),
    usage && refuseWhenUsedUp(usage),
    limiter && limitRate({ limiter, key: tenant ?? '', clock, tell, usedUpForMs: dialect?.usedUpForMs }),
    circuits && guardCircuit(circuits, clock),
    limitAttemptTime({ clock, attemptTimeoutMs }),
    rejectFailures({ dialect, clock, version }),
    usage && dialect?.usageOf && hearUsage(usage, dialect.usageOf),
    pinVersion({ version, ...(versionHeader ? { header: versionHeader.toLowerCase() } : {}) }, tell),
    authenticate(credential, { tenant, tell: tell }),
    ...(options.middleware?.perAttempt ?? []).map((layer) => adoptMiddleware(layer, 'perAttempt')),
    propagateTrace,
    markSent,
  ];
  return stack.filter((layer) => layer !== undefined);
};

/** A second attempt takes no place that a first one, or somebody else, would need. */
const hedgeOptionsOf = (
  { operations, afterMs, share = 0.05 }: HedgeOptions,
  { circuits, limiter, quota }: StackParts,
  { attempts, clock }: { readonly attempts: number; readonly clock: Clock },
): HedgeLayerOptions => {
  assertDuration('hedge.afterMs', afterMs);
  if (!(share > 0 && share <= 1)) throw new InvalidArgumentError('hedge.share', 'must be above 0 and at most 1');
  if (!Array.isArray(operations) || operations.length === 0)
    throw new InvalidArgumentError('hedge.operations', 'must name at least one read, such as messaging.contacts.get');
  const isWaitedFor = ({ waiting, nextFreeInMs, pausedForMs }: RateLimiterState) =>
    waiting > 0 || nextFreeInMs > 0 || pausedForMs > 0;
  return {
    operations,
    afterMs,
    attempts,
    clock,
    budget: createRetryBudget({ capacity: secondAttemptsAtOnce, perSuccess: share, perSecond: 0, clock }),
    isShort: () =>
      (circuits && circuits.state() !== 'closed') ||
      (limiter && isWaitedFor(limiter.state())) ||
      (quota && quota.left() < 2) ||
      false,
  };
};

/** After a quiet time. */
const secondAttemptsAtOnce = 3;

/** What stands right now between the caller and the API. */
export const statusOf = ({ circuits, limiter, quota, usage, budget }: StackParts): HttpClientStatus => ({
  circuit: circuits?.state() ?? 'off',
  circuitRetryAfterMs: circuits?.retryAfterMs() ?? 0,
  rateLimit: limiter?.state() ?? { waiting: 0, nextFreeInMs: 0, pausedForMs: 0 },
  ...(quota ? { quotaLeft: quota.left() } : {}),
  ...usageOf(usage),
  ...(budget ? { retriesLeft: budget.left() } : {}),
});

const usageOf = (ledger: UsageLedger | undefined): Pick<HttpClientStatus, 'usage'> => {
  const usage = ledger?.last();
  return usage ? { usage } : {};
};
