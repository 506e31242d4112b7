import type { Invoice } from './records.ts';

/** The sum of amounts, without the noise of floating point: 0.1 and 0.2 are 0.3. */
export const sumOf = (amounts: readonly number[]): number =>
  Number(amounts.reduce((total, amount) => total + amount, 0).toPrecision(15));

/** The amount left to pay: `amount_due` where the API says it, otherwise the amount. */
export const outstandingOf = ({ amount, amount_due }: Invoice): number =>
  typeof amount_due === 'number' && Number.isFinite(amount_due) ? amount_due : amount;
