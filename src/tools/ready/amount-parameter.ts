import { decimalsOf, inMajor } from '../../billing/amount.ts';
import type { PaymentTerms } from '../../billing/index.ts';
import { hasAtMostDecimals } from '../../core/arguments.ts';
import * as z from '../../core/schema.ts';

/** An amount that a model supplies: above 0, below the limit, in the unit and currency of the client. */
export const amountParameter = ({ below = 0, minorUnits, ...terms }: PaymentTerms): z.ZodType<number> =>
  z.number().check(
    z.gt(0),
    z.lt(below),
    z.refine((amount) => hasAtMostDecimals(amount, minorUnits), `must have at most ${minorUnits} decimals`),
    z.describe(amountDescription(terms)),
  );

const amountDescription = ({ currency, unit }: Pick<PaymentTerms, 'currency' | 'unit'>): string => {
  const money = currency?.toUpperCase() ?? 'the currency of the invoice';
  if (unit === 'minor') {
    const example = currency ? `: 1250 is ${inMajor(1250, currency)}` : '';
    return `In the smallest unit of ${money}${example}.`;
  }
  return currency && decimalsOf(currency) === 0 ? `In ${money}, whole numbers.` : `In ${money}: 12.5 is 12.50.`;
};
