import { hasAtMostDecimals } from '../arguments.ts';
import * as z from '../schema.ts';

/** What bounds an amount of money, in the API's own unit. */
export interface AmountLimits {
  /** An amount must be below this. */
  readonly maximumPayment: number;
  /** How many decimals an amount may have. @defaultValue 2 */
  readonly minorUnits?: number | undefined;
}

/** An amount that may be charged: a number above 0, below the maximum, without fractions of the smallest unit. */
export const amountWithin = ({ maximumPayment, minorUnits = 2 }: AmountLimits): z.ZodType<number> =>
  // One check instead of three: each would copy the schema, and there is one per client of each tenant.
  z.number().check(({ value, issues }) => {
    const message = amountProblem(value, maximumPayment, minorUnits);
    if (message) issues.push({ code: 'custom', message, input: value });
  });

const amountProblem = (amount: number, maximumPayment: number, minorUnits: number): string | undefined => {
  if (!(amount > 0)) return 'must be greater than 0';
  if (!(amount < maximumPayment)) return `must be below ${maximumPayment}`;
  // 0.1 + 0.2 is no amount of money: what was meant must be rounded by whoever knows it.
  if (hasAtMostDecimals(amount, minorUnits)) return undefined;
  return minorUnits === 0 ? 'must be a whole number' : `must have at most ${minorUnits} decimals`;
};
