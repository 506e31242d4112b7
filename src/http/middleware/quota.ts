import { QuotaExceededError } from '../../errors.ts';
import type { Quota } from '../quota.ts';
import type { Middleware } from '../request.ts';

/**
 * Spends one request of the budget for each attempt, and takes it back when the attempt never left.
 * Throws `QuotaExceededError`.
 */
export const spendQuota = (quota: Quota): Middleware =>
  async function spendQuota(request, next) {
    const { operation, sending } = request;
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
      if (sending.place === undefined) spent.giveBack();
      throw error;
    }
  };
