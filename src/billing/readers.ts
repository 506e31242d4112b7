import { listWithin, type MeaningOfTotal, readList, readWithin, recordWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, type RecordList, readId, readRecord } from '../core/schema.ts';
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

/** Everyone who is meant. No one: the answer is 404, 204, `null`, `{}` or `[]`, or one of them is in an envelope. */
export const foundCustomers =
  (by: CustomerSearch): Reader<RecordList<Customer>> =>
  (json, context) => {
    const list = listWithin(json, ['customers', 'customer']);
    const found = (list?.items ?? [json]).flatMap((item) => {
      const record = recordWithin(item, ['customer', 'customers']);
      return isAbsent(record) ? [] : [customer(record, context)];
    });
    const data = found.filter((one) => !isOtherPerson(one, by));
    const unread = Math.max(0, (list?.count ?? list?.total ?? 0) - (list?.items.length ?? 0));
    return { data, total: data.length + unread, hasMore: list?.hasMore };
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
