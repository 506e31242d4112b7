import { ClientError } from '../../errors.ts';
import type { Payment } from '../records.ts';
import type { StripeInvoice } from './invoices.ts';
import { parseStripeError } from './stripe-error.ts';

/**
 * The payment because of which Stripe refuses to charge the invoice now, `undefined` for every other error. It may be
 * the one that is asked for: Stripe forgets its key after a day.
 */
export const earlierPayment = (error: unknown, invoice: StripeInvoice): Payment | undefined => {
  if (!(error instanceof ClientError) || error.status !== 400) return undefined;
  const { code, message = '', intent } = parseStripeError(error.details);
  const { id, status, number, hosted_invoice_url } = invoice;
  // It has no code, and the invoice may have been paid since it was read.
  if (status === 'paid' || /already paid/i.test(message))
    return { status: 'already_paid', error_message: alreadyPaid, confirmation_number: number ?? id, invoice_id: id };
  if (code !== 'payment_intent_unexpected_state' || tookNothing.includes(intent)) return undefined;
  return { status: 'processing', error_message: beingProcessed, invoice_id: id, code, hosted_invoice_url };
};

/** Every other status may still become a payment, or is one. */
const tookNothing: readonly unknown[] = ['canceled', 'requires_payment_method'];

const alreadyPaid = 'The invoice is already paid: nothing was charged now.';
const beingProcessed = 'A payment of this invoice is being processed: nothing more was charged. Offer no other card.';
