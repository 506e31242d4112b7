import type { Clock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { Limit } from './operation.ts';

/** A budget of requests per period. */
export interface Quota {
  /** Spends one request. When the budget is spent: how long until the next period. */
  take(): Spent | { readonly taken: false; readonly retryAfterMs: number };
  left(): number;
}

/** One request of this period's budget. */
export interface Spent {
  readonly taken: true;
  /** It did not leave after all. Changes nothing once the next period has begun. */
  giveBack(): void;
}

/** A period starts with the first request after the last one ended, so an idle quota needs no timer. */
export const createQuota = ({ limit, perMs, clock }: Limit & { readonly clock: Clock }): Quota => {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new InvalidArgumentError('quota.limit', 'must be a whole number above 0');
  }
  if (!(perMs > 0)) throw new InvalidArgumentError('quota.perMs', 'must be a number of milliseconds above 0');
  let spent = 0;
  let endsAt = Number.NEGATIVE_INFINITY;

  const left = () => (clock.now() < endsAt ? limit - spent : limit);

  return {
    take: () => {
      const now = clock.now();
      if (left() === 0) return { taken: false, retryAfterMs: Math.ceil(endsAt - now) };
      if (now >= endsAt) {
        spent = 0;
        endsAt = now + perMs;
      }
      spent += 1;
      const period = endsAt;
      return {
        taken: true,
        giveBack: () => {
          if (period === endsAt) spent -= 1;
        },
      };
    },
    left,
  };
};
