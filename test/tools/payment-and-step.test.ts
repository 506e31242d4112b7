import { afterEach, expect, test } from 'vitest';
import { takePayment } from '../../src/phone-call/steps/take-payment.ts';
import { createIntegration } from '../../src/integration.ts';
import { connectPlatform } from '../support/connected-platform.ts';

let connected: Awaited<ReturnType<typeof connectPlatform>> | undefined;
afterEach(() => connected?.[Symbol.asyncDispose]());

/** An invoice of 99, a phone call with a tool for payments, and half of it paid by a step. */
const start = async (callId = 'CA1') => {
  const { platform, clientOptions } = (connected = await connectPlatform());
  const phone = '+14155550100';
  const customer = platform.billing.addCustomer({ name: 'Jane', phone });
  const invoice = platform.billing.addInvoice({ customer_id: customer.id, amount: 99, due_date: '2026-08-01' });
  const options = {
    billing: clientOptions.billing,
    payments: { card: () => 'pm_card', below: 5000, confirm: false },
  } as const;
  const integration = createIntegration(options);
  const call = (id = callId, tenant?: string) =>
    (tenant === undefined ? integration : createIntegration({ ...options, tenant })).startPhoneCall({
      callId: id,
      direction: 'inbound',
      phone,
    });
  const given = { invoice_id: invoice.id, amount: 49.5 };
  const payment = { customerId: customer.id, invoiceId: invoice.id, amount: 49.5, paymentMethodId: 'pm_card' };
  const byTool = async (tools = call().tools, before?: () => Promise<unknown>) => {
    await tools.run('lookup_customer_invoices', {});
    await before?.();
    return tools.run('create_payment', given);
  };
  const keys = () => platform.requests.map(({ headers }) => headers['idempotency-key']).filter(Boolean);
  const charged = () => platform.billing.payments.length;
  return { billing: integration.billing, call, payment, byTool, keys, charged };
};

test('the tool after the step of one phone call charges nothing', async () => {
  const { call, payment, byTool, charged } = await start();
  const phoneCall = call();

  const step = async () => expect(await phoneCall.takePayment(payment)).toMatchObject({ success: true });
  expect(await byTool(phoneCall.tools, step)).toMatchObject({ status: 'done', value: { success: true } });
  expect(charged()).toBe(1);
});

test('the step after the tool, in another process, charges nothing', async () => {
  const { call, payment, byTool, charged } = await start();

  expect(await byTool()).toMatchObject({ status: 'done' });
  expect(await call().takePayment(payment)).toMatchObject({ success: true });
  expect(charged()).toBe(1);
});

test('both at once charge once', async () => {
  const { call, payment, byTool, charged } = await start();
  const phoneCall = call();

  let step: Promise<unknown> | undefined;
  const tool = await byTool(phoneCall.tools, async () => void (step = phoneCall.takePayment(payment)));
  expect([tool, await step]).toMatchObject([{ status: 'done' }, { success: true }]);
  expect(charged()).toBe(1);
});

test('takePayment without a phone call has the key too', async () => {
  const { billing, payment, byTool, charged } = await start();

  await byTool();
  expect(await takePayment({ billing }, { ...payment, callId: 'CA1' })).toMatchObject({ success: true });
  expect(charged()).toBe(1);
});

test.each([
  ['another phone call', 'CA2', {}],
  ['a second try on purpose', 'CA1', { ordinal: 2 }],
  ['another payment method', 'CA1', { paymentMethodId: 'pm_other' }],
])('%s is another payment of the step', async (_what, callId, more) => {
  const { call, payment, byTool, keys } = await start();

  await byTool();
  await call(callId).takePayment({ ...payment, ...more });
  expect(new Set(keys()).size).toBe(2);
});

test('two tenants of one API pay with keys of their own, in tool and step', async () => {
  const { call, payment, byTool, keys } = await start();
  const [north, south] = [call('CA1', 'north'), call('CA1', 'south')];

  await byTool(north.tools);
  await north.takePayment(payment);
  await byTool(south.tools);
  await south.takePayment(payment);
  expect(new Set(keys()).size).toBe(2);
});
