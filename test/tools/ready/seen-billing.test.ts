import { expect, test } from 'vitest';
import type { Customer, Invoice } from '../../../src/billing/index.ts';
import { startSeenBilling } from '../../../src/tools/ready/seen-billing.ts';

// Only their ids and amounts are read.
const customer = (id: string) => ({ id }) as Customer;
const invoice = (id: string, amount: number) => ({ id, amount }) as Invoice;
const payment = (fields: { customer_id?: string; invoice_id?: string; amount?: number } = {}) => ({
  customer_id: 'ann',
  invoice_id: 'inv_1',
  amount: 50,
  payment_method_id: 'pm_1',
  ...fields,
});

/** Ann with an invoice of 120.5, Bob with one of 30. */
const seen = () => {
  const billing = startSeenBilling();
  billing.addLookUp(customer('ann'), [invoice('inv_1', 120.5)]);
  billing.addLookUp(customer('bob'), [invoice('inv_2', 30)]);
  return billing;
};
const tooMuch = { field: 'amount', problem: 'must not be above what is outstanding' };

test.each([
  ['what was looked up', payment(), undefined],
  ['all of an invoice', payment({ amount: 120.5 }), undefined],
  ['more than an invoice', payment({ amount: 120.51 }), tooMuch],
  [
    'an invoice that was not looked up',
    payment({ invoice_id: 'inv_3' }),
    { field: 'invoice_id', problem: 'is not one of the invoices that were looked up' },
  ],
  [
    'the invoice of another customer',
    payment({ invoice_id: 'inv_2' }),
    { field: 'customer_id', problem: 'is not the customer of the invoice' },
  ],
])('a payment of %s is judged by the look-up', (_what, asked, problem) => {
  expect(seen().problemWith(asked)).toEqual(problem);
});

test('an invoice that a later look-up of its customer does not list can not be paid', () => {
  const billing = seen();
  billing.addLookUp(customer('ann'), [invoice('inv_9', 10)]);

  expect(billing.problemWith(payment())).toEqual({
    field: 'invoice_id',
    problem: 'is not one of the invoices that were looked up',
  });
  expect(billing.problemWith(payment({ invoice_id: 'inv_9', amount: 10 }))).toBeUndefined();
  expect(billing.problemWith(payment({ customer_id: 'bob', invoice_id: 'inv_2', amount: 30 }))).toBeUndefined();
});

test('before a look-up a payment is refused only where one is always needed', () => {
  const billing = startSeenBilling();

  expect(billing.problemWith(payment())).toEqual({
    field: 'invoice_id',
    problem: 'is not known yet: look the invoices up first',
  });
});

test('parts add up; one that was not made gives its room back, and one that may have been is not judged again', () => {
  const billing = seen();
  const [first, second] = [payment({ amount: 100 }), payment({ amount: 20.5 })];

  expect([billing.addAttempt('k1', first), billing.addAttempt('k1', first)]).toEqual([true, false]);
  expect(billing.problemWith(first)).toBeUndefined();
  expect(billing.problemWith(second)).toBeUndefined();
  expect(billing.problemWith(payment({ amount: 20.51 }))).toEqual(tooMuch);
  expect(billing.problemWith(first, 'k1')).toBeUndefined();
  expect(billing.problemWith(first, 'k2')).toEqual(tooMuch);
  billing.removeAttempt('k1');
  expect(billing.problemWith(payment({ amount: 20.51 }))).toBeUndefined();
});

test('a payment of one invoice takes nothing from another', () => {
  const billing = seen();
  billing.addAttempt('k1', payment({ amount: 120.5 }));

  expect(billing.problemWith(payment({ customer_id: 'bob', invoice_id: 'inv_2', amount: 30 }))).toBeUndefined();
});

test('a new look-up knows what was paid before, and not what may have been', () => {
  const billing = seen();
  const [paid, open] = [payment({ amount: 100 }), payment({ amount: 10 })];
  billing.addAttempt('k1', paid);
  billing.addPaid('k1');
  billing.addAttempt('k2', open);
  billing.addPaid('k3');

  billing.addLookUp(customer('bob'), [invoice('inv_2', 30)]);
  expect(billing.problemWith(payment({ amount: 10.51 }))).toEqual(tooMuch);
  billing.addLookUp(customer('ann'), [invoice('inv_1', 20.5)]);
  expect(billing.problemWith(payment({ amount: 10.5 }))).toBeUndefined();
  expect(billing.problemWith(payment({ amount: 10.51 }))).toEqual(tooMuch);
});

test('a payment counts until a look-up shows that the invoice holds less', () => {
  const billing = seen();
  billing.addAttempt('k1', payment({ amount: 60.25 }));
  billing.addPaid('k1');

  billing.addLookUp(customer('ann'), [invoice('inv_1', 120.5)]);
  expect(billing.problemWith(payment({ amount: 60.26 }))).toEqual(tooMuch);
  billing.addLookUp(customer('ann'), [invoice('inv_1', 60.25)]);
  expect(billing.problemWith(payment({ amount: 60.26 }))).toEqual(tooMuch);
  expect(billing.problemWith(payment({ amount: 60.25 }), 'k2')).toBeUndefined();
});

test('the customer is the one of the invoice, or the only one', () => {
  const one = startSeenBilling();
  expect(one.customerFor('inv_1')).toBeUndefined();
  one.addLookUp(customer('ann'), []);

  expect([one.customerFor('inv_1'), one.customerFor(undefined)]).toEqual([customer('ann'), customer('ann')]);
  expect(['inv_1', 'inv_2', 'inv_3', 7].map((id) => seen().customerFor(id))).toEqual([
    customer('ann'),
    customer('bob'),
    undefined,
    undefined,
  ]);
});

test.each([10, 500])('a look-up of %i invoices reads the currency of each a few times', (count) => {
  let reads = 0;
  const found = Array.from({ length: count }, (_, index) => ({
    ...invoice(`inv_${index}`, 10),
    get currency() {
      reads += 1;
      return 'EUR';
    },
  }));
  startSeenBilling().addLookUp(customer('ann'), found);

  expect(reads / count).toBeLessThanOrEqual(6);
});
