import { entry } from '../api/entry.ts';
import { type MeaningOfTotal, readList, readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, readId, readRecord } from '../core/schema.ts';
import { sumOf } from './amount.ts';

/**
 * A debt of a customer. Fields that aren't listed here are kept as they came. Tools read two of them: `amount_due`, the
 * amount left to pay, and `currency`.
 */
export interface Invoice {
  readonly id: string;
  /** The amount in the API's own unit. */
  readonly amount: number;
  /** The day in the API's spelling; usually YYYY-MM-DD. */
  readonly due_date?: string | null | undefined;
  readonly customer_id?: string | null | undefined;
  /** `open` until it is paid. */
  readonly status?: string | null | undefined;
  /** The page on which the customer can pay it. */
  readonly payment_page_url?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** The amount left to pay: `amount_due` where the API says it, otherwise the amount. */
export const outstandingOf = ({ amount, amount_due }: Invoice): number =>
  typeof amount_due === 'number' && Number.isFinite(amount_due) ? amount_due : amount;

const invoiceSchema = z.lazily<Invoice>(() =>
  z.object({
    id: readId(),
    amount: z.number(),
    due_date: z.nullish(z.string()),
    customer_id: z.nullish(readId()),
    status: z.nullish(z.string()),
  }),
);

export const invoice: Reader<Invoice> = readWithin('invoice', readRecord(invoiceSchema, ['id', 'amount']));

/** A `total` next to invoices may be what they come to: it's a count only where it can't be that. */
const meaningOfTotal = (total: number, invoices: readonly Invoice[]): MeaningOfTotal => {
  const amounts = [invoices.map(({ amount }) => amount), invoices.map(outstandingOf)];
  const sums = amounts.map(sumOf);
  // In the unit of the amounts, or the one in cents and the other in euros.
  if (sums.some((sum) => [1, 100, 0.01].some((factor) => sumOf([sum * factor]) === total))) return 'sum';
  const isBelow = sums.every((sum) => total < sum) && amounts.flat().every((amount) => amount >= 0);
  return isBelow && Number.isInteger(total) ? 'count' : 'more';
};

/** The operations on invoices, as the default API writes them. */
export const invoiceEndpoints = {
  listOpen: entry({
    method: 'GET',
    path: 'invoices?customer_id={customerId}&status=open',
    returns: readList(invoice, { under: ['invoices'], meaningOfTotal }),
  }),
};
