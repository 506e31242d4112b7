import { toOperation } from '../../api/entry.ts';
import { readList } from '../../core/envelope.ts';
import { ClientError, InvalidArgumentError } from '../../core/errors.ts';
import * as z from '../../core/schema.ts';
import { checkArgument, readRecord } from '../../core/schema.ts';
import type { HttpClient, RequestOptions, Settled } from '../../http/operation.ts';
import type { BillingContext, BillingMethods } from '../dialect.ts';
import type { NewPayment, Payment } from '../payments.ts';
import { beforeSending } from '../refunds.ts';
import { toMajor, toMinor } from './amounts.ts';
import { parseStripeError } from './http-dialect.ts';
import { customerOf, readInvoice, type StripeInvoice } from './invoices.ts';

/**
 * Pays an invoice with a saved payment method. Stripe charges all that is left of it and takes no amount. So the invoice is
 * read first, and another amount is refused before anything is charged. While another payment of it may still take
 * money, nothing is charged. An invoice that is paid already goes on to Stripe. Under the key that paid it, Stripe
 * repeats its answer; under any other one it refuses.
 */
export const createPay = (
  { http, entries }: BillingContext,
  { currency }: { readonly currency: string },
): BillingMethods['pay'] => {
  const { create } = entries.payments;

  return async (asked, call) => {
    const payment = create.takes ? checkArgument(operation, create.takes, asked) : asked;
    const { deadline, signal, attemptTimeoutMs, lane, callId } = call;
    const reading = { deadline, signal, attemptTimeoutMs, lane, callId };
    const invoice = await beforeSending(() => readInvoiceOf(http, payment.invoice_id, reading));
    assertPayable(payment, invoice, currency);
    if (invoice.status === 'open' && (await beforeSending(() => hasPendingPayment(http, invoice, reading))))
      return inProgress(invoice);
    const { onSettled } = call;
    const request = toOperation(
      operation,
      { ...create, path: 'invoices/{invoiceId}/pay', answer: (json) => paymentOf(json, invoice) },
      [payment.invoice_id, payment],
    );
    try {
      return await http.request(request, {
        ...call,
        onSettled: onSettled && ((settled) => onSettled(withPayment(settled, invoice))),
      });
    } catch (error) {
      const payment = paymentIn(error, invoice);
      if (payment) return payment;
      throw error;
    }
  };
};

const operation = 'billing.payments.create';

/** Reads one invoice. */
export const readInvoiceOf = (http: HttpClient, invoiceId: string, call: RequestOptions): Promise<StripeInvoice> =>
  http.request(toOperation('billing.invoices.get', invoiceEntry, [invoiceId]), call);

const invoiceEntry = { method: 'GET', path: 'invoices/{invoiceId}', returns: readInvoice } as const;

const assertPayable = (payment: NewPayment, invoice: StripeInvoice, currency: string): void => {
  const refuse = (field: string, problem: string) => {
    throw new InvalidArgumentError(field, problem, { operation });
  };
  const { status, amount_remaining: left } = invoice;
  if (customerOf(invoice) === undefined && invoice.customer_account)
    refuse('invoice_id', "is an Account's (customer_account): only invoices of Customers can be paid");
  if (customerOf(invoice) !== payment.customer_id) refuse('invoice_id', 'is not an invoice of this customer');
  if (status === 'paid') return;
  if (status !== 'open')
    refuse('invoice_id', `is ${/^[a-z]{1,20}$/.test(status) ? status : 'not open'}: it can't be paid`);
  if (invoice.currency !== currency.toLowerCase())
    refuse('invoice_id', `is in ${invoice.currency.toUpperCase()}, and payments are in ${currency.toUpperCase()}`);
  if (toMinor(payment.amount, invoice.currency) !== left)
    refuse('amount', `must be ${toMajor(left, invoice.currency)}: all that is left of the invoice is charged`);
};

/** The paid invoice as a payment. `amount` is what this payment has charged, where the invoice was open before. */
const paymentOf = (json: unknown, before: StripeInvoice): Payment => {
  const { id, status, currency, amount_paid, number } = readInvoice(json, { drift: () => undefined });
  return {
    // It stays open while a bank works on the payment. Under the same key Stripe says so again, also once it's paid.
    status: status === 'paid' || before.status === 'paid' ? 'completed' : 'processing',
    confirmation_number: number ?? id,
    invoice_id: id,
    amount:
      before.status === 'open' && status === 'paid' ? toMajor(amount_paid - before.amount_paid, currency) : undefined,
  };
};

/** The payment that an error of Stripe describes. */
const paymentIn = (error: unknown, invoice: StripeInvoice): Payment | undefined =>
  declinedPayment(error, invoice) ?? earlierPayment(error, invoice);

/** The end of a payment that wasn't waited for. */
const withPayment = (settled: Settled, invoice: StripeInvoice): Settled => {
  const result = settled.ok ? undefined : paymentIn(settled.error, invoice);
  return result ? { operation, idempotencyKey: settled.idempotencyKey, ok: true, result } : settled;
};

/**
 * The payment because of which Stripe refuses to charge the invoice now, `undefined` for every other error. It may be
 * the one that is asked for: Stripe forgets its key after a day.
 */
const earlierPayment = (error: unknown, invoice: StripeInvoice): Payment | undefined => {
  if (!(error instanceof ClientError) || error.status !== 400) return undefined;
  const { code, message = '', intent } = parseStripeError(error.details);
  const { id, status, number } = invoice;
  // It has no code, and the invoice may have been paid since it was read.
  if (status === 'paid' || /already paid/i.test(message))
    return { status: 'already_paid', error_message: alreadyPaid, confirmation_number: number ?? id, invoice_id: id };
  if (code !== 'payment_intent_unexpected_state' || unchargedStatuses.includes(intent)) return undefined;
  return { ...inProgress(invoice), code };
};

/** Another payment of the invoice may still take money. */
const inProgress = ({ id, hosted_invoice_url }: StripeInvoice): Payment => ({
  status: 'processing',
  error_message: beingProcessed,
  invoice_id: id,
  hosted_invoice_url,
});

const alreadyPaid = 'The invoice is already paid: nothing was charged now.';
const beingProcessed = 'A payment of this invoice is being processed: nothing more was charged. Offer no other card.';

/**
 * Returns whether a payment that was attached to an invoice, such as in the Dashboard, may still take money. Paying the
 * invoice would then take too much. Stripe keeps the default payment in step with what is left, so that one is left out.
 * Sources, read 2026-11-27: docs.stripe.com/api/invoice-payment/list, its /object, docs.stripe.com/invoicing/partial-payments.
 */
const hasPendingPayment = async (
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
    return !unchargedStatuses.includes(status);
  };
  return hasMore === true || (await Promise.all(attached.map(mayPay))).includes(true);
};

/** The states of a PaymentIntent in which it has taken nothing. In every other one it may still, or has. */
const unchargedStatuses: readonly unknown[] = ['canceled', 'requires_payment_method'];

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

/**
 * The payment that a 402 means, `undefined` for every other error: Stripe has run it, and the money has not moved.
 * `error_message` is Stripe's sentence for customers and what the agent can do about it.
 */
const declinedPayment = (error: unknown, invoice: StripeInvoice): Payment | undefined => {
  if (!(error instanceof ClientError) || error.status !== 402) return undefined;
  const { code, decline_code, message: sentence } = parseStripeError(error.details);
  if (code === undefined) return undefined;
  // What Stripe says with this code is for developers, and has an address of its documentation.
  const message = code === invoiceNeedsAction ? undefined : sentence;
  const needsCustomer = [code, decline_code].some((word) => word !== undefined && confirmations.has(word));
  const advice = needsCustomer ? askToConfirm : (adviceFor[decline_code ?? code] ?? otherCard);
  return {
    status: needsCustomer ? 'requires_action' : 'declined',
    error_message: `${message ?? 'The payment was declined.'} ${advice}`,
    invoice_id: invoice.id,
    code,
    decline_code,
    hosted_invoice_url: invoice.hosted_invoice_url,
  };
};

const invoiceNeedsAction = 'invoice_payment_intent_requires_action';

/** The bank wants the cardholder to confirm the payment (3-D Secure), which takes a screen. */
const confirmations: ReadonlySet<string> = new Set([
  'authentication_required',
  invoiceNeedsAction,
  'offline_pin_required',
  'online_or_offline_pin_required',
]);

const askToConfirm =
  'Their bank wants them to confirm it, which the phone cannot do: offer to hand over to a colleague.';
const otherCard = 'Offer to hand over to a colleague, who can take it in another way.';
const replaceCard = 'The saved card cannot be used: offer to hand over to a colleague.';
const tryLater = 'The same card may work in a few minutes.';
const lessMoney = 'Offer to pay later, or to hand over to a colleague.';

/** The advice for a `decline_code`. A lost or stolen card isn't mentioned, as Stripe asks. */
const adviceFor: Readonly<Record<string, string>> = {
  insufficient_funds: lessMoney,
  card_velocity_exceeded: lessMoney,
  withdrawal_count_limit_exceeded: lessMoney,
  expired_card: replaceCard,
  incorrect_number: replaceCard,
  invalid_number: replaceCard,
  incorrect_cvc: replaceCard,
  invalid_cvc: replaceCard,
  invalid_expiry_month: replaceCard,
  invalid_expiry_year: replaceCard,
  issuer_not_available: tryLater,
  processing_error: tryLater,
  reenter_transaction: tryLater,
  try_again_later: tryLater,
};
