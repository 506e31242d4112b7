import { hasAtMostDecimals } from '../../core/arguments.ts';
import { wrongWord } from '../../core/option-checks.ts';
import { type Issue, wordsFor } from '../../core/problem-words.ts';
import * as z from '../../core/schema.ts';
import { fieldOf, readId, type RecordList } from '../../core/schema.ts';
import { currencyCode, decimalsOf } from '../amount.ts';
import type { BillingFunctions, OwnCustomer, OwnInvoice, OwnMadePayment, OwnPayment } from '../billing-from.ts';
import type { Customer } from '../customers.ts';
import type { Invoice } from '../invoices.ts';
import type { MadePayment, PaymentSearch } from '../made-payments.ts';
import { type OwnFunction, functionFailure } from './own-failure.ts';

/** The currency and unit in which amounts are read. */
export type Money = Required<Pick<BillingFunctions<unknown>, 'currency'>> & { readonly unit: 'major' | 'minor' };

/** Reads what `findByPhone` or `findByEmail` returned. Throws an error that names the function and the wrong field. */
export const readCustomers = (own: OwnFunction, returned: unknown): readonly Customer[] => {
  if (!Array.isArray(returned)) throw functionFailure(own, ' must return a list: [] where there is no one');
  return Array.from(returned, (one: unknown, index) => readCustomer(own, one, `[${index}]`));
};

/** Reads what `findById` returned. A record with another id isn't the customer's. */
export const readCustomerOf = (own: OwnFunction, returned: unknown, id: string): Customer | undefined => {
  if (returned === undefined || returned === null) return undefined;
  const customer = readCustomer(own, returned, '');
  if (customer.id !== id) throw functionFailure(own, '.id must be the one that was asked for');
  return customer;
};

const readCustomer = (own: OwnFunction, returned: unknown, place: string): Customer => {
  const customer = readFields(own, customerSchema(), returned, place);
  // A store keeps who was looked up.
  if (!isJson(customer)) throw functionFailure(own, `${place} must be something that JSON can hold`);
  return customer;
};

const isJson = (value: object): boolean => {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
};

/** Reads what `listOpen` returned: a list, or `{ data, total }`. */
export const readInvoices = (own: OwnFunction, returned: unknown, money: Money): RecordList<Invoice> =>
  readListOf(own, returned, (one, place) => readInvoice(own, one, { place, money }));

/** Reads what `listPayments` returned, which is about the customer who was asked for. */
export const readMadePayments = (
  own: OwnFunction,
  returned: unknown,
  { by: { customer_id }, money }: { readonly by: PaymentSearch; readonly money: Money },
): RecordList<MadePayment> =>
  readListOf(own, returned, (one, place) => {
    const { customer_id: owner, ...made } = readFields(own, madePaymentSchema(), one, place);
    const currency = made.currency ?? money.currency;
    const exact = (field: string, sum: number) =>
      checkedAmount(own, sum, { place: `${place}.${field}`, money, currency });
    return {
      ...made,
      customer_id: owner ?? customer_id,
      currency,
      amount: exact('amount', made.amount),
      amount_refunded: made.amount_refunded && exact('amount_refunded', made.amount_refunded),
      refunds: made.refunds?.map((refund) => ({ ...refund })),
    };
  });

const readListOf = <Item>(
  own: OwnFunction,
  returned: unknown,
  readItem: (one: unknown, place: string) => Item,
): RecordList<Item> => {
  const list: unknown = Array.isArray(returned) ? { data: returned, total: returned.length } : returned;
  const { data, total, hasMore }: Partial<RecordList<unknown>> = Object(list);
  if (!Array.isArray(data)) throw functionFailure(own, ' must return a list, or { data, total } of one');
  const items = Array.from(data, (one: unknown, index) => readItem(one, `[${index}]`));
  if (!Number.isSafeInteger(total) || Number(total) < 0) throw functionFailure(own, '.total must be a whole number');
  if (hasMore !== undefined && typeof hasMore !== 'boolean')
    throw functionFailure(own, '.hasMore must be true or false');
  return { data: items, total: Math.max(items.length, Number(total)), hasMore };
};

const readInvoice = (
  own: OwnFunction,
  returned: unknown,
  { place, money }: { readonly place: string; readonly money: Money },
): Invoice => {
  // `amount` is what is left, whatever the API calls so besides.
  const { amount_due: _other, ...invoice } = readFields(own, invoiceSchema(), returned, place);
  const currency = invoice.currency ?? money.currency;
  if (currencyCode(currency) === undefined)
    throw functionFailure(own, `${place}.currency must be a code of three letters, such as EUR`);
  return { ...invoice, amount: checkedAmount(own, invoice.amount, { place: `${place}.amount`, money, currency }) };
};

const checkedAmount = (
  own: OwnFunction,
  sum: number,
  { place, money, currency }: { readonly place: string; readonly money: Money; readonly currency: string },
): number => {
  const decimals = money.unit === 'minor' ? 0 : decimalsOf(currency);
  const amount = withoutNoise(sum, decimals);
  if (amount !== undefined) return amount;
  const most = decimals === 0 ? 'be a whole number' : `have at most ${decimals} decimals`;
  throw functionFailure(own, `${place} must ${most}${money.unit === 'minor' ? ": unit is 'minor'" : ''}`);
};

/** An amount as it was meant: 0.1 and 0.2 are 0.30000000000000004. `undefined`: it has more decimals. */
const withoutNoise = (amount: number, decimals: number): number | undefined => {
  if (hasAtMostDecimals(amount, decimals)) return amount;
  const rounded = Number(amount.toFixed(decimals));
  return Math.abs(amount - rounded) <= Math.abs(amount) * 1e-12 ? rounded : undefined;
};

/** Reads what `pay` returned. */
export const readPayment = (own: OwnFunction, returned: unknown): OwnPayment => {
  if (typeof returned !== 'object' || returned === null)
    throw functionFailure(own, " must return an object with a status, such as { status: 'completed' }");
  const { status }: { readonly status?: unknown } = returned;
  if (!statuses.includes(status as OwnPayment['status']))
    throw functionFailure(own, `.status ${wrongWord(status, 'status', statuses).problem}`);
  return readFields(own, paymentSchema(), returned, '');
};

const statuses: readonly OwnPayment['status'][] = ['completed', 'already_paid', 'declined', 'pending'];

/** A copy where a field is spelt in another way: what the application gave stays as it is. */
const readFields = <Fields extends object>(
  own: OwnFunction,
  schema: z.ZodType<Fields>,
  returned: unknown,
  place: string,
): Fields & Readonly<Record<string, unknown>> => {
  const result = schema.safeParse(returned);
  const [issue] = result.error?.issues ?? [];
  // What passed is an object.
  if (result.success) return { ...(returned as Readonly<Record<string, unknown>>), ...result.data };
  const field = fieldOf(issue?.path);
  throw functionFailure(own, `${place}${field && `.${field}`} ${issue ? wordsOf(issue) : 'is not valid'}`);
};

/** The only union is an id, which may be a number too. */
const wordsOf = (issue: Issue): string =>
  issue.code === 'invalid_union' ? 'must be a text that is not empty' : wordsFor(issue);

const customerSchema = z.lazily<OwnCustomer>(() =>
  z.object({
    id: readId(),
    name: z.nullish(z.string()),
    phone: z.nullish(z.string()),
    email: z.nullish(z.string()),
  }),
);

const invoiceSchema = z.lazily<OwnInvoice>(() =>
  z.object({
    id: readId(),
    amount: z.number().check(z.minimum(0)),
    due_date: z.nullish(z.string()),
    currency: z.nullish(z.string()),
    payment_page_url: z.nullish(z.string()),
  }),
);

const statusOfMade = () => z.enum(['completed', 'pending', 'declined']);

const madePaymentSchema = z.lazily<OwnMadePayment & { readonly customer_id?: string | undefined }>(() =>
  z.object({
    id: readId(),
    customer_id: z.optional(readId()),
    invoice_id: readId(),
    amount: z.number().check(z.minimum(0)),
    status: statusOfMade(),
    created_at: z.nullish(z.string()),
    currency: z.nullish(z.string().check(z.regex(/^[A-Za-z]{3}$/))),
    amount_refunded: z.nullish(z.number().check(z.minimum(0))),
    refunds: z.nullish(
      z.array(
        z.object({
          id: readId(),
          amount: z.number().check(z.minimum(0)),
          status: statusOfMade(),
          idempotency_key: z.nullish(z.string()),
        }),
      ),
    ),
  }),
);

const paymentSchema = z.lazily<OwnPayment>(() =>
  z.object({
    status: z.enum(['completed', 'already_paid', 'declined', 'pending']),
    confirmation_number: z.nullish(readId()),
    error_message: z.nullish(z.string()),
  }),
);
