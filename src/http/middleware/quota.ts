import { AttemptFailedError, InvalidArgumentError, QuotaExceededError } from '../../core/errors.ts';
import { attemptLog } from '../call-log.ts';
import type { ApiUsage } from '../dialect.ts';
import type { Limit } from '../operation.ts';
import type { Middleware } from '../request.ts';

/**
 * Spends one request of the budget for each attempt, and takes it back when the attempt never left.
 * Throws `QuotaExceededError`.
 */
export const spendQuota = (quota: Quota): Middleware =>
  async function spendQuota(request, next) {
    const { operation } = request;
    const spent = quota.take();
    if (!spent.taken) {
      const { retryAfterMs } = spent;
      throw new QuotaExceededError(
        `${operation} was not sent: the quota is spent; the next period starts in ${Math.ceil(retryAfterMs / 1_000)} s`,
        { operation, outcome: 'not_sent', retryAfterMs },
      );
    }
    try {
      return await next(request);
    } catch (error) {
      if (!attemptLog(request).isHandedOver) spent.release();
      throw error;
    }
  };

/** A budget of requests per period. */
export interface Quota {
  /** Spends one request. When the budget is spent: how long until the next period. */
  take(): Spent | { readonly taken: false; readonly retryAfterMs: number };
  left(): number;
}

/** A request of this period's budget. */
export interface Spent {
  readonly taken: true;
  /** It was not sent after all. Changes nothing once the next period has started. */
  release(): void;
}

/** A period starts with the first request after the last one ended, so an idle quota needs no timer. */
export const createQuota = ({ limit, perMs }: Limit): Quota => {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new InvalidArgumentError('quota.limit', 'must be a whole number above 0');
  }
  if (!(perMs > 0)) throw new InvalidArgumentError('quota.perMs', 'must be a number of milliseconds above 0');
  let spent = 0;
  let endsAt = Number.NEGATIVE_INFINITY;

  const left = () => (performance.now() < endsAt ? limit - spent : limit);

  return {
    take: () => {
      const now = performance.now();
      if (left() === 0) return { taken: false, retryAfterMs: Math.ceil(endsAt - now) };
      if (now >= endsAt) {
        spent = 0;
        endsAt = now + perMs;
      }
      spent += 1;
      const period = endsAt;
      return {
        taken: true,
        release: () => {
          if (period === endsAt) spent -= 1;
        },
      };
    },
    left,
  };
};

/**
 * Sends nothing for as long as the API asked, after it refused a request because its own budget is used up.
 * Throws `QuotaExceededError`.
 */
export const refuseWhenUsedUp = (ledger: UsageLedger): Middleware =>
  async function refuseWhenUsedUp(request, next) {
    const { operation } = request;
    const retryAfterMs = ledger.heldBackForMs();
    if (retryAfterMs > 0)
      throw new QuotaExceededError(
        `${operation} was not sent: the API’s own budget is used up; it is asked again in ${Math.ceil(retryAfterMs / 1_000)} s`,
        { operation, outcome: 'not_sent', retryAfterMs },
      );
    try {
      return await next(request);
    } catch (error) {
      if (error instanceof AttemptFailedError && error.reason === 'rate_limited') {
        const { retryAfterMs: askedMs = 0 } = error;
        // A refusal need not carry the numbers; so long a wait says as much.
        if (isUsedUp(ledger.last()) || askedMs >= longerThanAnyCallMs) ledger.holdBack(askedMs);
      }
      throw error;
    }
  };

const isUsedUp = (usage: ApiUsage | undefined): boolean => usage !== undefined && usage.used >= usage.limit;

/** A time that no call may take. */
const longerThanAnyCallMs = 60_000;

/** Remembers what each answer says of the API's own budget. */
export const readUsage = (
  ledger: UsageLedger,
  usageOf: (headers: ReadonlyMap<string, string>) => ApiUsage | undefined,
): Middleware =>
  async function readUsage(request, next) {
    const response = await next(request);
    const usage = usageOf(response.headers);
    if (usage) ledger.record(usage);
    return response;
  };

/** The API's own budget, as it last said. */
export interface UsageLedger {
  record(usage: ApiUsage): void;
  last(): ApiUsage | undefined;
  /** The API refused since its budget is used up: nothing is sent for `ms`. */
  holdBack(ms: number): void;
  /** The time for which nothing is sent; 0 when requests may go out. */
  heldBackForMs(): number;
}

/** Budgets are of a day at most, and one absurd wait must not silence a client until it restarts. */
const longestHoldMs = 24 * 3_600_000;

/** A number alone stops no request, since an API may go on above its own limit: only its refusal does. */
export const createUsageLedger = (): UsageLedger => {
  let last: ApiUsage | undefined;
  let until = Number.NEGATIVE_INFINITY;
  return {
    record: (usage) => {
      last = usage;
    },
    last: () => last,
    holdBack: (ms) => {
      until = Math.max(until, performance.now() + Math.min(ms, longestHoldMs));
    },
    heldBackForMs: () => Math.max(0, Math.ceil(until - performance.now())),
  };
};
