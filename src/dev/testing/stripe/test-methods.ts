import type { PaymentRule } from '../store/billing.ts';

/**
 * Ends a payment as its test payment method of Stripe says. A declined one holds its `decline_code` as its status.
 * Every other one is a card that works. Source: docs.stripe.com/testing.
 */
export const payByTestMethod: PaymentRule = ({ payment_method_id }) => {
  const status = declines[payment_method_id];
  if (status !== undefined) return { declined: words[status] ?? 'Your card was declined.', status };
  return payment_method_id.startsWith('pm_usBankAccount') ? 'pending' : 'completed';
};

/** The usual cards that work, and those of a country such as `pm_card_de`. */
export const isTestMethod = (id: string): boolean =>
  Object.hasOwn(declines, id) ||
  /^pm_card_(?:(?:visa|mastercard)(?:_debit|_prepaid)?|amex|discover|diners|jcb|unionpay|[a-z]{2})$/.test(id) ||
  /^pm_usBankAccount(?:_\w+)?$/.test(id);

const declines: Readonly<Record<string, string>> = {
  pm_card_chargeDeclined: 'generic_decline',
  pm_card_visa_chargeDeclined: 'generic_decline',
  pm_card_chargeCustomerFail: 'generic_decline',
  pm_card_chargeDeclinedInsufficientFunds: 'insufficient_funds',
  pm_card_visa_chargeDeclinedInsufficientFunds: 'insufficient_funds',
  pm_card_chargeDeclinedLostCard: 'lost_card',
  pm_card_visa_chargeDeclinedLostCard: 'lost_card',
  pm_card_chargeDeclinedStolenCard: 'stolen_card',
  pm_card_visa_chargeDeclinedStolenCard: 'stolen_card',
  pm_card_chargeDeclinedExpiredCard: 'expired_card',
  pm_card_chargeDeclinedProcessingError: 'processing_error',
  pm_card_authenticationRequired: 'authentication_required',
};

const words: Readonly<Record<string, string>> = {
  insufficient_funds: 'Your card has insufficient funds.',
  expired_card: 'Your card has expired.',
  processing_error: 'An error occurred while processing your card. Try again in a little bit.',
  authentication_required: 'Your card was declined. This transaction requires authentication.',
};
