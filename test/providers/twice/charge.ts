/** The charge as a developer writes it, without this package. */
import { hash, randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import * as z from 'zod';
import type { Shop } from './shop.ts';

export const chargeParameters = z.object({
  invoice_id: z.string(),
  amount: z.number(),
  idempotency_key: z.string().nullable().describe('A new unique key'),
});

export type ChargeArguments = z.infer<typeof chargeParameters>;

/** The arguments of the row, as a model writes them. */
export const chargeArguments = ({ key }: { readonly key?: string }): ChargeArguments => ({
  invoice_id: 'inv_1',
  amount: 40,
  idempotency_key: key ?? null,
});

export type Charge = (args: ChargeArguments, options: { readonly signal?: AbortSignal | undefined }) => Promise<object>;

/** A request, with the key that the model gives. */
export const byRequest =
  ({ origin }: Shop): Charge =>
  async ({ idempotency_key: key, ...charge }, { signal }) => {
    const response = await fetch(`${origin}/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== null && { 'idempotency-key': key }) },
      body: JSON.stringify(charge),
      ...(signal && { signal }),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await response.json()) as object;
  };

/** Stripe's own client, which repeats a request under a key of its own. */
export const byStripe =
  (shop: Shop): Charge =>
  async ({ amount, idempotency_key: key }) =>
    stripeAt(shop).paymentIntents.create(intentOf(amount), { idempotencyKey: key ?? randomUUID() });

/** The same with the key that its documentation recommends: one of the charge itself. */
export const byStripeWithKey =
  (shop: Shop): Charge =>
  async ({ invoice_id, amount }) => {
    const idempotencyKey = hash('sha256', JSON.stringify([invoice_id, amount]), 'hex');
    return stripeAt(shop).paymentIntents.create(intentOf(amount), { idempotencyKey });
  };

const intentOf = (amount: number) => ({ amount: amount * 100, currency: 'usd', customer: 'cus_1', confirm: true });

const stripeAt = ({ origin }: Shop): Stripe => {
  const { hostname, port } = new URL(origin);
  return new Stripe('sk_test_none', { host: hostname, port, protocol: 'http', telemetry: false });
};
