import { expect, test } from 'vitest';
import { connectDebtor, connectStripe, linesTo } from '../../support/connected-stripe.ts';

test('open invoices are listed with what is left to pay, in the main unit of their currency', async () => {
  await using connected = await connectDebtor();
  const { billing, platform } = connected;
  platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_1', amount: 500, currency: 'JPY' });
  platform.billing.addInvoice({ id: 'in_3', customer_id: 'cus_1', amount: 5.12, currency: 'KWD' });
  platform.billing.addInvoice({ customer_id: 'cus_1', amount: 7, status: 'paid' });

  const { data, total } = await billing.invoices.listOpen('cus_1');

  expect(data.map(({ id, amount, amount_due, currency }) => [id, amount, amount_due, currency])).toEqual([
    ['in_1', 120.5, 120.5, 'EUR'],
    ['in_2', 500, 500, 'JPY'],
    ['in_3', 5.12, 5.12, 'KWD'],
  ]);
  expect(total).toBe(3);
  expect(data[0]).toMatchObject({
    customer_id: 'cus_1',
    due_date: '2026-01-31',
    status: 'open',
    amount_remaining: 12050,
    hosted_invoice_url: expect.stringMatching(/^https:/),
  });
  expect(linesTo(connected)).toEqual(['GET /v1/invoices?customer=cus_1&status=open&limit=100']);
});

test.each([
  ['2027-02-01T07:59:59Z', 'America/Los_Angeles', '2027-01-31'],
  ['2027-01-30T23:00:00Z', 'Europe/Berlin', '2027-01-31'],
  ['2027-01-31T18:30:00Z', 'Asia/Kolkata', '2027-02-01'],
  ['2027-01-31T00:00:00Z', 'America/Los_Angeles', '2027-01-31'],
  ['2027-02-01T07:59:59Z', undefined, '2027-02-01'],
])('an invoice that is due at %s is due on the day there: in %s', async (due_date, timeZone, day) => {
  await using connected = await connectStripe({ client: { timeZone } });
  connected.platform.billing.addCustomer({ id: 'cus_1' });
  connected.platform.billing.addInvoice({ customer_id: 'cus_1', amount: 1, due_date });

  expect((await connected.billing.invoices.listOpen('cus_1')).data).toMatchObject([{ due_date: day }]);
});

test('a list of several pages is read to its end', async () => {
  await using connected = await connectStripe({ fake: { pageSize: 2 } });
  connected.platform.billing.addCustomer({ id: 'cus_1' });
  for (const amount of [1, 2, 3, 4, 5]) connected.platform.billing.addInvoice({ customer_id: 'cus_1', amount });

  const { data, total } = await connected.billing.invoices.listOpen('cus_1');

  expect([data.map(({ amount }) => amount), total]).toEqual([[1, 2, 3, 4, 5], 5]);
});
