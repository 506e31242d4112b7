import { expect, test } from 'vitest';
import { createBillingClient, type BillingConnection } from '../../src/billing/index.ts';
import { apiKey } from '../../src/auth/index.ts';
import { invoiceEndpoints } from '../../src/billing/invoices.ts';

const read = (amounts: readonly number[], total: number) => {
  const listed = amounts.map((amount, index) => ({ id: `inv_${index}`, amount }));
  const { total: count, hasMore } = invoiceEndpoints.listOpen.returns(
    { invoices: listed, total },
    { drift: () => undefined },
  );
  return { count, hasMore };
};

test.each<[what: string, amounts: readonly number[], total: number, count: number, hasMore?: boolean]>([
  ['what they come to', [20, 30], 50, 2],
  ['what they come to in cents', [20, 30], 5_000, 2],
  ['what they come to in euros, of cents', [2_000, 3_000], 50, 2],
  ['what they come to, with cents', [0.1, 0.2], 0.3, 2],
  ['how many there are', [20, 30], 9, 9],
  ['how many there are, one of them for nothing', [0, 50], 9, 9],
  ['how many are here', [20, 30], 2, 2],
  ['neither: above the sum', [20, 30], 60, 2, true],
  ['neither: just above the sum', [20, 30], 51, 2, true],
  ['neither: no whole number', [20, 30], 9.5, 2, true],
  ['neither: one amount is a credit', [-10, 60], 9, 2, true],
])('a total next to invoices is %s', (_what, amounts, total, count, hasMore) => {
  expect(read(amounts, total)).toEqual({ count, hasMore });
});

test.each(['EU', 'EURO', '1EUR', 'EUR1', ' EUR', '€', ''])('%j is no currency', (currency) => {
  const options: BillingConnection = {
    baseUrl: 'https://billing.example.com',
    authenticate: apiKey('X-Api-Key', () => 'key'),
    version: { path: 'v1' },
  };

  expect(() => createBillingClient({ ...options, currency })).toThrow(
    /^billing.currency must be a code of three letters/,
  );
  expect(createBillingClient({ ...options, currency: 'EUR' }).paymentTerms().currency).toBe('EUR');
});
