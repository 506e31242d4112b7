import * as z from '../schema.ts';
import { type Reader, type RecordList, readId, readList, readRecord, ShapeError, unwrapList } from '../schema.ts';
import type { Customer, Invoice, Payment } from './records.ts';

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

export const customer: Reader<Customer> = readRecord(customerSchema, ['id']);

/** No customer: the answer is 404, 204, `null`, `{}` or `[]`. */
export const foundCustomer: Reader<Customer | undefined> = (json, context) => {
  const { items = [json] } = unwrapList(json, ['data']);
  // Charging one of several customers at random is worse than charging no one.
  if (items.length > 1) throw new ShapeError('', 'must be one customer');
  return isAbsent(items[0]) ? undefined : customer(items[0], context);
};

export const invoice: Reader<Invoice> = readRecord(invoiceSchema, ['id', 'amount']);
export const invoices: Reader<RecordList<Invoice>> = readList(invoice);

export const payment: Reader<Payment> = readRecord(paymentSchema, ['status']);

const isAbsent = (json: unknown): boolean =>
  json === undefined || json === null || (typeof json === 'object' && Object.keys(json).length === 0);
