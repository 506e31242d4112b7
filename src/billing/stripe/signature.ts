import { type SignatureScheme, timestamped } from '../../signature/scheme.ts';

/**
 * The scheme of Stripe's webhooks: `Stripe-Signature: t=<seconds>,v1=<hex>`, with one `v1` per secret while a secret is
 * rolled, over the raw body. Deliveries older than 5 minutes are refused, as Stripe's own packages do.
 * Source: docs.stripe.com/webhooks/signature.
 *
 * @example
 * authentication: [hmac({ scheme: stripeSignature, secrets: () => secrets.read('stripe-endpoint') })],
 */
export const stripeSignature: SignatureScheme = { ...timestamped, header: 'stripe-signature' };
