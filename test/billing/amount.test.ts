import { describe, expect, test } from 'vitest';
import { readAmount } from '../../src/billing/amount.ts';
import type { PaymentTerms } from '../../src/billing/index.ts';
import { isAnswerTo } from '../../src/billing/payment-outcome.ts';

test.each<[unknown, number, string?]>([
  [20, 20],
  [-20.5, -20.5],
  ['20', 20],
  ['20.00', 20],
  [' 20.00 ', 20],
  ['20,00', 20],
  ['20,5', 20.5],
  ['1,250.00', 1250],
  ['1,250', 1250],
  ['1.250,50', 1250.5],
  ['1 250,50', 1250.5],
  ["1'250.50", 1250.5],
  ['1.234.567,8', 1234567.8],
  ['0.500', 0.5],
  ['20.00 EUR', 20, 'EUR'],
  ['eur 20', 20, 'EUR'],
  ['USD20.00', 20, 'USD'],
  ['€20.00', 20],
  ['20 €', 20],
  ['-20.00', -20],
  [{ value: '20.00', currency: 'eur' }, 20, 'EUR'],
  [{ amount: 20, currency: 'USD' }, 20, 'USD'],
])('%j is %d', (written, amount, currency) => {
  expect(readAmount(written)).toEqual({ amount, currency });
});

test.each([
  Number.NaN,
  Number.POSITIVE_INFINITY,
  'NaN',
  '',
  ' ',
  'twenty',
  '20.00.00',
  '20,',
  ',5',
  '(20.00)',
  '20.00-',
  '1,25,000',
  '2e1',
  '0x14',
  '20 apples',
  'EUR 20 EUR',
  '--20',
  null,
  undefined,
  true,
  [[]],
  [[20]],
  {},
  { value: { value: 20 } },
])('%j cannot be read', (written) => {
  expect(readAmount(written)).toBeUndefined();
});

describe('the answer to a payment of 20', () => {
  const asked = { customer_id: 'c', invoice_id: 'i', amount: 20, payment_method_id: 'p' };
  const terms = (currency?: string): PaymentTerms => ({
    baseUrl: '',
    below: 5_000,
    minorUnits: 2,
    currency,
    unit: 'major',
    statuses: undefined,
    canPay: true,
    knowsKeys: true,
  });

  test.each<[object, string?]>([
    [{}],
    [{ amount: 20 }],
    [{ amount: '20.00' }],
    [{ amount: '20,00' }],
    [{ amount: '20.00 EUR' }, 'eur'],
    [{ amount: { value: '20.00', currency: 'EUR' } }, 'EUR'],
    [{ amount: 20, currency: 'eur' }, 'EUR'],
    [{ amount: 20, currency: 'USD' }],
    [{ amount: null }],
    [{ amount: '' }],
    [{ invoice_id: 'i' }],
  ])('may be %j', (own, currency) => {
    expect(isAnswerTo(asked, { status: 'completed', ...own }, terms(currency))).toBe(true);
  });

  test.each<[object, string?]>([
    [{ amount: 9999 }],
    [{ amount: '9999.00' }],
    [{ amount: '2000' }],
    [{ amount: -20 }],
    [{ amount: '-20.00' }],
    [{ amount: 'NaN' }],
    [{ amount: 'n/a' }],
    [{ amount: { value: '200.00' } }],
    [{ amount: { total: 20 } }],
    [{ amount: true }],
    [{ amount: '20.00 USD' }, 'EUR'],
    [{ amount: { value: 20, currency: 'USD' } }, 'EUR'],
    [{ amount: 20, currency: 'USD' }, 'EUR'],
    [{ currency: 'USD' }, 'EUR'],
    [{ invoice_id: 'other' }],
  ])('is not %j', (own, currency) => {
    expect(isAnswerTo(asked, { status: 'completed', ...own }, terms(currency))).toBe(false);
  });

  test('counts in the unit of the API: 2000 cents are 2000', () => {
    const inCents = { ...asked, amount: 2000 };
    const answers = [2000, '2000', '20.00'].map((amount) =>
      isAnswerTo(inCents, { status: 'completed', amount }, terms()),
    );
    expect(answers).toEqual([true, true, false]);
  });
});
