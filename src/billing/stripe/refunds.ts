import { toOperation } from '../../api/entry.ts';
import { readList } from '../../core/envelope.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import * as z from '../../core/schema.ts';
import { isWhole, type Reader, readId, readRecord, type RecordList } from '../../core/schema.ts';
import type { HttpClient, RequestOptions } from '../../http/operation.ts';
import type { BillingContext, BillingMethods } from '../dialect.ts';
import type { MadePayment, Refund } from '../made-payments.ts';
import { toMajor, toMinor } from './amounts.ts';
import { customerOf, readInvoice, type StripeInvoice } from './invoices.ts';
import { readInvoiceOf } from './payments.ts';

/**
 * Lists the payments of an invoice, or of the customer's latest invoices, with all refunds of each.
 * Sources, read 2026-11-27: docs.stripe.com/api/invoice-payment/list, docs.stripe.com/api/refunds/list.
 */
export const createListPayments =
  ({ http }: BillingContext): BillingMethods['listPayments'] =>
  async ({ customer_id, invoice_id }, { idempotencyKey: _none, ...call }) => {
    const invoices =
      invoice_id === undefined
        ? await latestInvoices(http, customer_id, call)
        : { data: [await readInvoiceOf(http, invoice_id, call)], total: 1 };
    const own = invoices.data.filter((invoice) => customerOf(invoice) === customer_id);
    const lists = await Promise.all(own.map((invoice) => paymentsOf(http, invoice, call)));
    const data = lists.flatMap((list) => list.data);
    const hasMore = !isWhole(invoices) || lists.some((list) => !isWhole(list));
    return { data, total: data.length, hasMore };
  };

const latestInvoices = (http: HttpClient, customer: string, call: RequestOptions): Promise<RecordList<StripeInvoice>> =>
  http.request(
    { operation, method: 'GET', path: 'invoices', query: { customer, limit: mostInvoices }, returns: readInvoices },
    call,
  );

const operation = 'billing.payments.list';

const mostInvoices = 5;

const readInvoices = readList(readInvoice);

const paymentsOf = async (
  http: HttpClient,
  invoice: StripeInvoice,
  call: RequestOptions,
): Promise<RecordList<MadePayment>> => {
  const query = { invoice: invoice.id, 'expand[]': 'data.payment.payment_intent', limit: 100 };
  const { data, hasMore } = await http.request(
    { operation, method: 'GET', path: 'invoice_payments', query, returns: readInvoicePayments },
    call,
  );
  const payments = await Promise.all(data.map((one) => toMadePayment(http, { one, invoice, call })));
  // Stripe's own payment of what is left is there before anyone has paid.
  const made = payments.filter(({ status }) => status !== 'requires_payment_method');
  return { data: made, total: made.length, hasMore };
};

const toMadePayment = async (
  http: HttpClient,
  {
    one,
    invoice,
    call,
  }: { readonly one: InvoicePayment; readonly invoice: StripeInvoice; readonly call: RequestOptions },
): Promise<MadePayment> => {
  const { payment_intent: intent, charge } = one.payment;
  const { id: intentId, status: intentStatus } =
    typeof intent === 'object' && intent !== null ? intent : { id: intent, status: undefined };
  const { currency, id: invoice_id } = invoice;
  const isPaid = one.status === 'paid';
  const source = intentId ? { payment_intent: intentId } : charge ? { charge } : undefined;
  return {
    id: intentId ?? charge ?? one.id,
    customer_id: customerOf(invoice) ?? '',
    invoice_id,
    invoice_number: invoice.number,
    amount: toMajor(isPaid ? (one.amount_paid ?? 0) : one.amount_requested, currency),
    currency: currency.toUpperCase(),
    status: isPaid ? 'completed' : (intentStatus ?? one.status),
    created_at: new Date((one.status_transitions?.paid_at ?? one.created) * 1000).toISOString(),
    refunds: source && isPaid ? await refundsOf(http, source, call) : [],
    source,
  };
};

/** The parameter that names a payment when it's given back. */
type Source = { readonly payment_intent: string } | { readonly charge: string };

const refundsOf = async (http: HttpClient, source: Source, call: RequestOptions): Promise<readonly Refund[]> => {
  const query = { ...source, limit: 100 };
  const list = await http.request({ operation, method: 'GET', path: 'refunds', query, returns: readRefunds }, call);
  // Of a part of them, no one knows what is left.
  if (!isWhole(list))
    throw new InvalidArgumentError('payment_id', 'has more than 100 refunds: a colleague has to look', { operation });
  return list.data.map(toRefund);
};

/**
 * Gives a payment back. Stripe gets no reason but the customer's request: `fraudulent` would block the customer's card
 * and e-mail address. The key is in the metadata, so that a refund whose answer was lost is found for longer than Stripe keeps keys.
 * Source, read 2026-11-27: docs.stripe.com/api/refunds/create.
 */
export const createRefundAt =
  ({ http, entries }: BillingContext, { currency }: { readonly currency: string }): BillingMethods['refund'] =>
  async (asked, payment, call) => {
    const { source } = payment as { readonly source?: Source | undefined };
    if (!source)
      throw new InvalidArgumentError('payment_id', "was not made through Stripe, so Stripe can't give it back", {
        operation: refundOperation,
      });
    const body = (_asked: object, key: string | undefined) => ({
      ...source,
      amount: toMinor(asked.amount, currency),
      reason: 'requested_by_customer',
      metadata: { reference: key },
    });
    const entry = { ...entries.payments.refund, body, returns: readRefundOf };
    return http.request(toOperation(refundOperation, entry, [asked]), call);
  };

const refundOperation = 'billing.payments.refund';

interface InvoicePayment {
  readonly id: string;
  readonly status: string;
  readonly amount_paid?: number | null | undefined;
  readonly amount_requested: number;
  /** Seconds since 1970. */
  readonly created: number;
  readonly status_transitions?: { readonly paid_at?: number | null | undefined } | null | undefined;
  readonly payment: {
    readonly payment_intent?: string | { readonly id: string; readonly status: string } | null | undefined;
    readonly charge?: string | null | undefined;
  };
}

const invoicePaymentSchema = z.lazily<InvoicePayment>(() =>
  z.object({
    id: readId(),
    status: z.string(),
    amount_paid: z.nullish(z.int()),
    amount_requested: z.int(),
    created: z.int(),
    status_transitions: z.nullish(z.object({ paid_at: z.nullish(z.int()) })),
    payment: z.object({
      payment_intent: z.nullish(z.union([z.string(), z.object({ id: z.string(), status: z.string() })])),
      charge: z.nullish(z.string()),
    }),
  }),
);

const readInvoicePayments = readList(
  readRecord(invoicePaymentSchema, ['id', 'status', 'amount_paid', 'amount_requested', 'created', 'payment']),
);

/** A refund as Stripe writes it, as far as it's looked at. */
interface StripeRefund {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  /** `pending`, `requires_action`, `succeeded`, `failed` or `canceled`. */
  readonly status?: string | null | undefined;
  readonly payment_intent?: string | null | undefined;
  readonly charge?: string | null | undefined;
  readonly metadata?: { readonly reference?: string | undefined } | null | undefined;
  /** A word, such as `expired_or_canceled_card`. */
  readonly failure_reason?: string | null | undefined;
}

const refundSchema = z.lazily<StripeRefund>(() =>
  z.object({
    id: readId(),
    amount: z.int(),
    currency: z.string().check(z.regex(/^[a-z]{3}$/)),
    status: z.nullish(z.string()),
    payment_intent: z.nullish(z.string()),
    charge: z.nullish(z.string()),
    metadata: z.nullish(z.object({ reference: z.optional(z.string()) })),
    failure_reason: z.nullish(z.string()),
  }),
);

const readRefund = readRecord(refundSchema, ['id', 'amount', 'currency', 'status']);

const readRefunds = readList(readRefund);

const toRefund = ({ metadata, payment_intent, charge, ...refund }: StripeRefund): Refund => {
  const { id, amount, currency, status, failure_reason } = refund;
  return {
    id,
    amount: toMajor(amount, currency),
    currency: currency.toUpperCase(),
    // Stripe has given it to the bank, which may still send it back.
    status: status === 'succeeded' ? 'completed' : (status ?? 'pending'),
    payment_id: payment_intent ?? charge,
    idempotency_key: metadata?.reference,
    error_message: failure_reason?.replaceAll('_', ' '),
  };
};

const readRefundOf: Reader<Refund> = (json, context) => toRefund(readRefund(json, context));
