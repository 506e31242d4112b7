/**
 * The preset that makes the billing client speak to Stripe.
 *
 * @module
 */
export { stripe, type StripeOptions, type StripePreset } from './stripe.ts';
