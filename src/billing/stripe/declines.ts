import { ClientError } from '../../core/errors.ts';
import { parseStripeError } from './stripe-error.ts';
import type { Payment } from '../records.ts';
import type { StripeInvoice } from './invoices.ts';

/**
 * The payment that a 402 means, `undefined` for every other error: Stripe has run it, and the money has not moved.
 * `error_message` is Stripe's sentence for customers and what the agent can do about it.
 */
export const declinedPayment = (error: unknown, invoice: StripeInvoice): Payment | undefined => {
  if (!(error instanceof ClientError) || error.status !== 402) return undefined;
  const { code, decline_code, ...said } = parseStripeError(error.details);
  if (code === undefined) return undefined;
  // What Stripe says with this code is for developers, and has an address of its documentation.
  const message = code === invoiceNeedsAction ? undefined : said.message;
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

/** By `decline_code`. A lost or stolen card is not spoken of: Stripe asks for the same words as for any other decline. */
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
