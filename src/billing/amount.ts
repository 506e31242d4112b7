import { hasAtMostDecimals } from '../arguments.ts';

/** What bounds an amount of money, in the API's own unit. */
export interface AmountLimits {
  /** An amount must be below this. */
  readonly maximumPayment: number;
  /** How many decimals an amount may have. @defaultValue 2 */
  readonly minorUnits?: number | undefined;
}

/**
 * What keeps an amount from being charged, which must be a number above 0, below the maximum, without fractions of the
 * smallest unit; `undefined` when nothing does. No schema: there would be one per tenant.
 */
export const amountProblem = (amount: number, { maximumPayment, minorUnits = 2 }: AmountLimits): string | undefined => {
  if (!(amount > 0)) return 'must be greater than 0';
  if (!(amount < maximumPayment)) return `must be below ${maximumPayment}`;
  // 0.1 + 0.2 is no amount of money: what was meant must be rounded by whoever knows it.
  if (hasAtMostDecimals(amount, minorUnits)) return undefined;
  return minorUnits === 0 ? 'must be a whole number' : `must have at most ${minorUnits} decimals`;
};
