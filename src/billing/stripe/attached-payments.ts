import { toOperation } from '../../api/entry.ts';
import { readList } from '../../core/envelope.ts';
import { ClientError } from '../../core/errors.ts';
import type { HttpClient, RequestOptions } from '../../http/operation.ts';
import * as z from '../../core/schema.ts';
import { readRecord } from '../../core/schema.ts';
import type { StripeInvoice } from './invoices.ts';

/**
 * Returns whether a payment that was attached to an invoice, such as in the Dashboard, may still take money. Paying the
 * invoice would then take too much. Stripe keeps the default payment in step with what is left, so that one is left out.
 * Sources, read 2026-11-27: docs.stripe.com/api/invoice-payment/list, its /object, docs.stripe.com/invoicing/partial-payments.
 */
export const hasPendingPayment = async (
  http: HttpClient,
  { id, amount_paid }: StripeInvoice,
  call: RequestOptions,
): Promise<boolean> => {
  const list = toOperation('billing.invoices.listPayments', { ...listEntry, returns: readPayments }, [id]);
  const { data, hasMore } = await http.request(list, call).catch((error: unknown) => {
    // Versions before 2025-03-31 have no list. A key that may not read it pays invoices that nothing was paid of.
    const mayPay =
      error instanceof ClientError && (error.status === 404 || (error.status === 403 && amount_paid === 0));
    if (mayPay) return { data: [], hasMore: false };
    throw error;
  });
  const attached = data.filter(({ is_default }) => is_default !== true);
  const mayPay = async ({ payment }: InvoicePayment): Promise<boolean> => {
    const intent = payment?.payment_intent;
    // What isn't paid by an intent has no state that can be read.
    if (!intent) return true;
    const { status } = await http.request(toOperation('billing.paymentIntents.get', intentEntry, [intent]), call);
    return !tookNothing.includes(status);
  };
  return hasMore === true || (await Promise.all(attached.map(mayPay))).includes(true);
};

/** The states of a PaymentIntent in which it has taken nothing. In every other one it may still, or has. */
export const tookNothing: readonly unknown[] = ['canceled', 'requires_payment_method'];

const listEntry = { method: 'GET', path: 'invoice_payments?invoice={invoiceId}&status=open&limit=100' } as const;

interface InvoicePayment {
  /** Stripe's own payment of all that is left. */
  readonly is_default?: boolean | null | undefined;
  readonly payment?: { readonly payment_intent?: string | null | undefined } | null | undefined;
}

const paymentSchema = z.lazily<InvoicePayment>(() =>
  z.object({
    is_default: z.nullish(z.boolean()),
    payment: z.nullish(z.object({ payment_intent: z.nullish(z.string()) })),
  }),
);

const readPayments = readList(readRecord(paymentSchema, []));

const intentSchema = z.lazily<{ readonly status: string }>(() => z.object({ status: z.string() }));

const intentEntry = {
  method: 'GET',
  path: 'payment_intents/{paymentIntentId}',
  returns: readRecord(intentSchema, ['status']),
} as const;
