import { toOperation } from '../../api/entry.ts';
import { ClientError, completeError, IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import type { RequestOptions, Settled } from '../../http/operation.ts';
import { checkArgument } from '../../core/schema.ts';
import type { BillingContext, BillingMethods } from '../dialect.ts';
import type { NewPayment, Payment } from '../records.ts';
import { toMajor, toMinor } from './amounts.ts';
import { hasPendingPayment, tookNothing } from './attached-payments.ts';
import { declinedPayment } from './declines.ts';
import { customerOf, readInvoice, type StripeInvoice } from './invoices.ts';
import { parseStripeError } from './stripe-error.ts';

/**
 * Pays an invoice with a saved payment method. Stripe charges all that is left of it and takes no amount, so the invoice
 * is read first, and another amount is refused before anything is charged. While another payment of it may still take
 * money, nothing is charged. An invoice that is paid already goes on to
 * Stripe: under the key that paid it, Stripe repeats its answer, and under any other one it refuses.
 */
export const createPay = (
  { http, entries }: BillingContext,
  { currency }: { readonly currency: string },
): BillingMethods['pay'] => {
  const { create } = entries.payments;

  /** Nothing has been charged yet, however this ends. */
  const before = async <T>(call: RequestOptions, read: (call: RequestOptions) => Promise<T>): Promise<T> => {
    const { deadline, signal, attemptTimeoutMs, lane, callId } = call;
    try {
      return await read({ deadline, signal, attemptTimeoutMs, lane, callId });
    } catch (error) {
      throw error instanceof IntegrationError ? completeError(error, { outcome: 'not_sent' }) : error;
    }
  };

  return async (given, call) => {
    const payment = create.takes ? checkArgument(operation, create.takes, given) : given;
    const invoice = await before(call, (own) =>
      http.request(toOperation('billing.invoices.get', invoiceEntry, [payment.invoice_id]), own),
    );
    assertPayable(payment, invoice, currency);
    if (invoice.status === 'open' && (await before(call, (own) => hasPendingPayment(http, invoice, own))))
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

/** How a payment is, where Stripe says so with an error. */
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
  if (code !== 'payment_intent_unexpected_state' || tookNothing.includes(intent)) return undefined;
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
