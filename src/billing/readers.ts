import { listWithin, type MeaningOfTotal, readList, readWithin, recordWithin } from '../envelope.ts';
import * as z from '../schema.ts';
import { type Reader, type RecordList, readId, readRecord, ShapeError } from '../schema.ts';
import { isOtherPerson } from '../phone/same-person.ts';
import type { Customer, CustomerSearch, Invoice, Payment } from './records.ts';
import { outstandingOf, sumOf } from './sums.ts';

const text = z.lazily(() => z.nullish(z.string()));

const customerSchema = z.lazily<Customer>(() => z.object({ id: readId(), name: text() }));

const invoiceSchema = z.lazily<Invoice>(() =>
  z.object({
    id: readId(),
    amount: z.number(),
    due_date: text(),
    customer_id: z.nullish(readId()),
    status: text(),
  }),
);

const paymentSchema = z.lazily<Payment>(() =>
  z.object({
    status: z.string().check(z.minLength(1)),
    confirmation_number: z.nullish(readId()),
    error_message: text(),
  }),
);

export const customer: Reader<Customer> = readWithin('customer', readRecord(customerSchema, ['id']));

/** No customer: the answer is 404, 204, `null`, `{}` or `[]`, or one of them is in an envelope. */
export const foundCustomer =
  (by: CustomerSearch): Reader<Customer | undefined> =>
  (json, context) => {
    const { items = [json] } = listWithin(json, ['customers', 'customer']) ?? {};
    const found = items.flatMap((item) => {
      const record = recordWithin(item, ['customer', 'customers']);
      return isAbsent(record) ? [] : [customer(record, context)];
    });
    return onlyCustomer(found.filter((one) => !isOtherPerson(one, by)));
  };

/** Charging one of several customers at random is worse than charging no one. */
export const onlyCustomer = (found: readonly Customer[]): Customer | undefined => {
  const matches = new Set(found.map(({ id }) => id)).size;
  if (matches > 1) throw new ShapeError('', `must be one customer, and ${matches} match`, { matches });
  return found[0];
};

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

export const invoices: Reader<RecordList<Invoice>> = readList(invoice, { under: ['invoices'], meaningOfTotal });

export const payment: Reader<Payment> = readWithin('payment', readRecord(paymentSchema, ['status']), ['status']);

const isAbsent = (json: unknown): boolean =>
  json === undefined || json === null || (typeof json === 'object' && Object.keys(json).length === 0);
