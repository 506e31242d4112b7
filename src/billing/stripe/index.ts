/**
 * The preset that makes the billing client speak to Stripe, and Stripe's webhooks.
 *
 * @module
 */
export {
  stripeEvents,
  type StripeEventName,
  type StripeEvents,
  type StripeEventsOptions,
  type StripeEventsPart,
  type StripeInvoiceEvent,
  type StripePaymentEvent,
  stripeSignature,
} from './events.ts';
export { cardOnFile, stripe, type StripeCustomer, type StripeOptions, type StripePreset } from './stripe.ts';
