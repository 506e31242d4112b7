import { toOperation } from '../../api/entry.ts';
import { readList } from '../../core/envelope.ts';
import { readPages } from '../../http/read-pages.ts';
import type { LocalClock } from '../../core/local-clock.ts';
import * as z from '../../core/schema.ts';
import { type Reader, readId, readRecord } from '../../core/schema.ts';
import type { BillingContext, BillingMethods } from '../dialect.ts';
import type { Invoice } from '../invoices.ts';
import { toMajor } from './amounts.ts';

/** An invoice as Stripe writes it, as far as it's looked at. Amounts are in the currency's smallest unit. */
export interface StripeInvoice {
  readonly id: string;
  readonly status: string;
  /** A code in lower case. */
  readonly currency: string;
  readonly amount_remaining: number;
  readonly amount_paid: number;
  /** An id, or the whole customer where it was expanded. */
  readonly customer?: string | { readonly id: string } | null | undefined;
  /** The owner in Stripe's Accounts v2; there's no customer then. */
  readonly customer_account?: string | null | undefined;
  /** Seconds since 1970. */
  readonly due_date?: number | null | undefined;
  /** The number that people know, such as `8A2F3B1C-0001`. */
  readonly number?: string | null | undefined;
  /** The page on which the customer can pay it. */
  readonly hosted_invoice_url?: string | null | undefined;
}

/** The fields of invoices and of payments. */
export const sharedFields = () => ({
  status: z.string(),
  currency: z.string().check(z.regex(/^[a-z]{3}$/)),
  customer: z.nullish(z.union([z.string(), z.object({ id: z.string() })])),
});

const schema = z.lazily<StripeInvoice>(() =>
  z.object({
    ...sharedFields(),
    id: readId(),
    amount_remaining: z.int(),
    amount_paid: z.int(),
    customer_account: z.nullish(z.string()),
    due_date: z.nullish(z.number()),
    number: z.nullish(z.string()),
    hosted_invoice_url: z.nullish(z.string()),
  }),
);

export const readInvoice: Reader<StripeInvoice> = readRecord(schema, [
  'id',
  'status',
  'currency',
  'amount_remaining',
  'amount_paid',
]);

/** The record that clients and tools work with: `amount` is what is left to pay, in euros rather than cents. */
export const toInvoice = (invoice: StripeInvoice, clock: LocalClock): Invoice => {
  const { amount_remaining, currency, due_date, hosted_invoice_url } = invoice;
  const amount = toMajor(amount_remaining, currency);
  return {
    ...invoice,
    amount,
    amount_due: amount,
    currency: currency.toUpperCase(),
    customer_id: customerOf(invoice),
    payment_page_url: hosted_invoice_url,
    // The Dashboard shows times in the account's zone: support.stripe.com, "Time zone customization", read 2026-11-27.
    due_date: due_date ? clock.dayOf(due_date * 1000) : undefined,
  };
};

/** The id of the customer, who may be expanded. */
export const customerOf = ({ customer }: Pick<StripeInvoice, 'customer'>): string | undefined =>
  (typeof customer === 'object' ? customer?.id : customer) ?? undefined;

/** Lists all open invoices of a customer, however many pages they fill. */
export const createListOpen =
  ({ http, entries, clock }: BillingContext): BillingMethods['listOpen'] =>
  async (customerId, call) => {
    const readInvoicePage = invoicePage(clock);
    const readPage = (after: string | undefined) => {
      const query = () => ({ starting_after: after });
      return http.request(
        toOperation(operation, { ...entries.invoices.listOpen, query, returns: readInvoicePage }, [customerId]),
        call,
      );
    };
    const data: Invoice[] = [];
    for await (const { invoices } of readPages(operation, readPage)) data.push(...invoices);
    return { data, total: data.length };
  };

const operation = 'billing.invoices.listOpen';

const readInvoices = readList(readInvoice);

interface InvoicePage {
  readonly invoices: readonly Invoice[];
  /** The last id of this page, where Stripe says that there are more. */
  readonly next: string | undefined;
}

const invoicePage =
  (clock: LocalClock): Reader<InvoicePage> =>
  (json, context) => {
    const { data } = readInvoices(json, context);
    const { has_more: hasMore } = Object(json);
    return {
      invoices: data.map((invoice) => toInvoice(invoice, clock)),
      next: hasMore === true ? data.at(-1)?.id : undefined,
    };
  };
