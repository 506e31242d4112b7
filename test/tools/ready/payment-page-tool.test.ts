import { expect, test } from 'vitest';
import { billingTools, createToolbox, type PaymentPage, type ToolCaller } from '../../../src/tools/index.ts';
import { connectDebtor } from '../../support/connected-stripe.ts';

const ada: ToolCaller = { phone: '+14155550100', verified: 'caller-id' };

const connect = async (caller: ToolCaller = ada) => {
  const connected = await connectDebtor();
  const { platform, billing } = connected;
  platform.billing.addCustomer({ id: 'cus_2', phone: '+14155550111', email: 'bob@example.com' });
  platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_2', amount: 10, currency: 'EUR' });
  const pages: PaymentPage[] = [];
  const sendPaymentPage = async (page: PaymentPage) => pages.push(page);
  const toolbox = createToolbox({
    tools: billingTools({ billing, payments: false, sendPaymentPage }),
    context: { callId: 'CA1', caller },
  });
  const send = async (invoice_id: string) => (await toolbox.run('send_payment_page', { invoice_id })).value;
  return { ...connected, send, pages };
};

test('the caller is sent the page of their own open invoice, once', async () => {
  await using account = await connect();

  expect([await account.send('in_1'), await account.send('in_1')]).toEqual([{ sent: true }, { sent: true }]);

  const url = expect.stringMatching(/^https:\/\/invoice\.stripe\.com\//);
  expect(account.pages).toEqual([{ url, invoiceId: 'in_1', phone: '+14155550100', email: undefined }]);
});

test.each([
  ['in_2', 'of another customer'],
  ['in_9', 'that does not exist'],
])('no page is sent of %s, an invoice %s', async (id) => {
  await using account = await connect();

  expect(await account.send(id)).toMatchObject({ sent: false });
  expect(account.pages).toEqual([]);
});

test('a paid invoice has no page to send', async () => {
  await using account = await connect();
  await account.billing.payments.create(account.payment);

  expect(await account.send('in_1')).toMatchObject({ sent: false });
  expect(account.pages).toEqual([]);
});

test.each<[string, ToolCaller]>([
  ['who isn’t known', { verified: 'no' }],
  ['whose number isn’t certain', { ...ada, verified: 'no' }],
  ['who has only said the number', { ...ada, claimed: ['phone'] }],
])('a caller %s gets no page', async (_, caller) => {
  await using account = await connect(caller);

  expect(await account.send('in_1')).toMatchObject({ error: 'not_allowed' });
  expect(account.pages).toEqual([]);
});

test.each<[string, ToolCaller]>([
  ['with a number', { ...ada, customerId: 'cus_2' }],
  ['without one', { verified: 'strong', customerId: 'cus_2' }],
])('the customer whom the application named gets a page, %s, and no one else', async (_, caller) => {
  await using account = await connect(caller);

  expect([await account.send('in_1'), await account.send('in_2')]).toMatchObject([{ sent: false }, { sent: true }]);
  expect(account.pages).toMatchObject([{ invoiceId: 'in_2', phone: caller.phone }]);
});

test('the customer whom the application named gets none while the caller is not certain', async () => {
  await using account = await connect({ verified: 'no', customerId: 'cus_2' });

  expect(await account.send('in_2')).toMatchObject({ error: 'not_allowed' });
  expect(account.pages).toEqual([]);
});

test('there is no such tool without a way to send', async () => {
  await using account = await connect();
  const names = billingTools({ billing: account.billing, payments: false }).map(({ name }) => name);

  expect(names).toEqual(['lookup_customer_invoices']);
});
