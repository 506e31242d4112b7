import type { Clock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { RetryBudgetOptions } from './operation.ts';

/** How many more retries an API is sent, so that a dead one is not hammered by everybody at once. */
export interface RetryBudget {
  /** Takes one retry; `false` when none is left. */
  take(): boolean;
  /** A request succeeded: a part of a retry is given back. */
  succeeded(): void;
  /** Whole retries left. */
  left(): number;
}

/** A token bucket that starts full. By default 20 retries; each success gives back a fifth of one, each second one. */
export const createRetryBudget = (options: RetryBudgetOptions & { readonly clock: Clock }): RetryBudget => {
  const { capacity = 20, perSuccess = 0.2, perSecond = 1, clock } = options;
  for (const [field, amount] of Object.entries({ capacity, perSuccess, perSecond })) {
    if (!(amount >= 0)) throw new InvalidArgumentError(`retryBudget.${field}`, 'must be a number of 0 or more');
  }
  let tokens = capacity;
  let filledAt = clock.now();

  const add = (more: number) => {
    tokens = Math.min(capacity, tokens + more);
  };

  const left = () => {
    const now = clock.now();
    add(((now - filledAt) / 1_000) * perSecond);
    filledAt = now;
    return Math.floor(tokens + roundingTokens);
  };

  return {
    take: () => {
      if (left() < 1) return false;
      tokens = Math.max(0, tokens - 1);
      return true;
    },
    succeeded: () => add(perSuccess),
    left,
  };
};

/** Ten tenths are one, also in binary. */
const roundingTokens = 1e-9;
