import { expect, test } from 'vitest';
import { type PaymentFacts, paymentIntent, tryKey } from '../../../src/tools/payments/payment-tries.ts';

const facts: PaymentFacts = {
  tenant: 'acme',
  tool: 'create_payment',
  what: { amount: 50, invoice_id: 'inv_1', lines: [{ a: 1, b: 2 }] },
  by: 'pm_1',
  intent: undefined,
};

test('a payment is the same however its arguments are ordered', () => {
  const what = { lines: [{ b: 2, a: 1 }], invoice_id: 'inv_1', amount: 50 };

  expect(paymentIntent({ ...facts, what })).toBe(paymentIntent(facts));
  expect(paymentIntent(facts)).toMatch(/^[0-9a-f]{64}$/);
});

test.each<[what: string, change: Partial<PaymentFacts>]>([
  ['tenant', { tenant: 'other' }],
  ['tenant, which is none', { tenant: undefined }],
  ['tool', { tool: 'pay' }],
  ['amount', { what: { amount: 51, invoice_id: 'inv_1' } }],
  ['order of what is a list', { what: { amount: 50, invoice_id: 'inv_1', lines: [{ a: 1 }, { b: 2 }] } }],
  ['purpose', { intent: 'order-2' }],
])('another %s makes it another payment', (_what, change) => {
  expect(paymentIntent({ ...facts, ...change })).not.toBe(paymentIntent(facts));
});

test('another card makes it another try of the same payment', () => {
  const intent = paymentIntent(facts);

  expect(paymentIntent({ ...facts, by: 'pm_2' })).toBe(intent);
  expect(tryKey(intent, 'pm_2', 'CA1', 1)).not.toBe(tryKey(intent, 'pm_1', 'CA1', 1));
});

test('each try of each phone call has a key of its own, the same every time', () => {
  const intent = paymentIntent(facts);
  const keys = [tryKey(intent, 'pm_1', 'CA1', 1), tryKey(intent, 'pm_1', 'CA1', 2), tryKey(intent, 'pm_1', 'CA2', 1)];

  expect(new Set(keys).size).toBe(3);
  expect(tryKey(intent, 'pm_1', 'CA1', 1)).toBe(keys[0]);
  expect(tryKey(paymentIntent({ ...facts, intent: 'b' }), 'pm_1', 'CA1', 1)).not.toBe(keys[0]);
});
