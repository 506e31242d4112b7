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
  z
    .number()
    .refine((amount) => amount > 0, 'must be greater than 0')
    .refine((amount) => amount < maximumPayment, `must be below ${maximumPayment}`)
    // 0.1 + 0.2 is no amount of money: what was meant must be rounded by whoever knows it.
    .refine(
      (amount) => hasAtMostDecimals(amount, minorUnits),
      minorUnits === 0 ? 'must be a whole number' : `must have at most ${minorUnits} decimals`,
    );
