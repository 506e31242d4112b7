import { isAttemptFailedError, QuotaExceededError } from '../../errors.ts';
import type { ApiUsage } from '../dialect.ts';
import type { Middleware } from '../request.ts';
import type { UsageLedger } from '../usage.ts';

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
      if (isAttemptFailedError(error) && error.reason === 'rate_limited') {
        const { retryAfterMs: askedMs = 0 } = error;
        // A refusal need not carry the numbers; so long a wait says as much.
        if (isUsedUp(ledger.last()) || askedMs >= longerThanAnyCallMs) ledger.holdBack(askedMs);
      }
      throw error;
    }
  };

const isUsedUp = (usage: ApiUsage | undefined): boolean => usage !== undefined && usage.used >= usage.limit;

/** Nobody could wait for it within a call. */
const longerThanAnyCallMs = 60_000;

/** Remembers what each answer says of the API's own budget. */
export const hearUsage = (
  ledger: UsageLedger,
  usageOf: (headers: ReadonlyMap<string, string>) => ApiUsage | undefined,
): Middleware =>
  async function hearUsage(request, next) {
    const response = await next(request);
    const usage = usageOf(response.headers);
    if (usage) ledger.heard(usage);
    return response;
  };
