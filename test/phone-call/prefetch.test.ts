import { describe, expect, test } from 'vitest';
import { createIntegration } from '../../src/integration.ts';
import type { PhoneCallOptions } from '../../src/phone-call/start-phone-call.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { connectPlatform, operationsOf } from '../support/connected-platform.ts';
import { until } from '../support/until.ts';

const phone = '+14155550100';

const start = async (options: Partial<PhoneCallOptions> = {}) => {
  const { platform, clientOptions, ...rest } = await connectPlatform();
  const contact = platform.messaging.addContact({ phone, name: 'Jane' });
  const customer = platform.billing.addCustomer({ name: 'Jane', phone });
  const invoice = platform.billing.addInvoice({ customer_id: customer.id, amount: 49.5 });
  const clock = createVirtualClock();
  const integration = createIntegration({ ...clientOptions });
  const begin = () =>
    integration.startPhoneCall({
      callId: 'CA1',
      direction: 'Inbound',
      phone,
      prefetch: ['callerContext', 'invoices'],
      ...options,
    });
  return { platform, contact, customer, invoice, clock, integration, begin, ...rest };
};

const readAhead = [
  'messaging.contacts.search',
  'messaging.companies.listForContact',
  'billing.customers.find',
  'billing.invoices.listOpen',
];

const sorted = (names: readonly (string | undefined)[]) => names.map(String).toSorted((a, b) => a.localeCompare(b));

describe('what a phone call read ahead', () => {
  test('answers the first tools without a request', async () => {
    await using started = await start();
    const { platform, begin } = started;
    const { tools } = begin();
    await until(() => operationsOf(platform).length === readAhead.length);
    expect(await tools.run('identify_caller', '{}')).toMatchObject({ status: 'done', value: { name: 'Jane' } });
    expect(await tools.run('get_caller_context', '{}')).toMatchObject({ status: 'done' });
    expect(await tools.run('lookup_customer_invoices', '{}')).toMatchObject({ value: { total_outstanding: 49.5 } });
    expect(sorted(operationsOf(platform))).toEqual(sorted(readAhead));
  });

  test('is found by the e-mail where the number is withheld as an empty text', async () => {
    await using started = await start({ phone: '', email: 'jane@example.com', prefetch: ['callerContext'] });
    const { platform, begin } = started;
    platform.messaging.addContact({ email: 'jane@example.com' });
    const phoneCall = begin();
    await until(() => operationsOf(platform).length === 2);
    const { created } = await phoneCall.identifyCaller();
    expect(created).toBe(false);
    expect(operationsOf(platform)).toEqual(['messaging.contacts.search', 'messaging.companies.listForContact']);
  });

  test('is waited for while it is on its way', async () => {
    await using started = await start();
    const { platform, begin } = started;
    const { tools } = begin();
    expect(await tools.run('lookup_customer_invoices', '{}')).toMatchObject({ value: { total_outstanding: 49.5 } });
    expect(await tools.run('identify_caller', '{}')).toMatchObject({ value: { name: 'Jane' } });
    expect(await tools.run('get_caller_context', '{}')).toMatchObject({ status: 'done' });
    expect(sorted(operationsOf(platform))).toEqual(sorted(readAhead));
  });

  test('is given once: the second look-up asks again, so that a payment made elsewhere is seen', async () => {
    await using started = await start();
    const { platform, begin, customer } = started;
    const { tools } = begin();
    await tools.run('lookup_customer_invoices', '{}');
    platform.billing.addInvoice({ customer_id: customer.id, amount: 10 });
    expect(await tools.run('lookup_customer_invoices', '{}')).toMatchObject({ value: { total_outstanding: 59.5 } });
  });

  test('is not given after a payment of the phone call', async () => {
    await using started = await start();
    const { platform, begin, customer, invoice } = started;
    const phoneCall = begin();
    await until(() => operationsOf(platform).includes('billing.invoices.listOpen'));
    const paid = { customerId: customer.id, invoiceId: invoice.id, amount: 49.5, paymentMethodId: 'pm_card' };
    expect(await phoneCall.takePayment(paid)).toMatchObject({ success: true });
    await phoneCall.tools.run('lookup_customer_invoices', '{}');
    expect(operationsOf(platform).filter((name) => name === 'billing.invoices.listOpen')).toHaveLength(2);
  });

  test('is not given half a minute later', async () => {
    const clock = createVirtualClock();
    await using started = await start({});
    const { platform, begin } = started;
    const { tools } = begin();
    await until(() => operationsOf(platform).length === readAhead.length);
    await clock.advance(30_001);
    await tools.run('lookup_customer_invoices', '{}');
    expect(operationsOf(platform).filter((name) => name === 'billing.invoices.listOpen')).toHaveLength(2);
  });

  test('is asked for again when it failed', async () => {
    await using started = await start();
    const { platform, begin } = started;
    platform.fault('billing.customers.find', [{ status: 400 }]);
    const { tools } = begin();
    expect(await tools.run('lookup_customer_invoices', '{}')).toMatchObject({ value: { total_outstanding: 49.5 } });
  });

  test('writes nothing: an unknown caller becomes a contact when a step asks for one', async () => {
    await using started = await start({ phone: '+14155550199' });
    const { platform, begin } = started;
    const phoneCall = begin();
    await until(() => operationsOf(platform).includes('messaging.contacts.search'));
    expect(operationsOf(platform)).not.toContain('messaging.contacts.create');
    expect(await phoneCall.identifyCaller()).toMatchObject({ created: true });
  });

  test('is not used for another person', async () => {
    await using started = await start({ verified: 'strong' });
    const { platform, begin } = started;
    const other = platform.billing.addCustomer({ name: 'Ada', phone: '+14155550101' });
    platform.billing.addInvoice({ customer_id: other.id, amount: 7 });
    const { tools } = begin();
    const asked = JSON.stringify({ phone: '+14155550101' });
    expect(await tools.run('lookup_customer_invoices', asked)).toMatchObject({ value: { customer_name: 'Ada' } });
  });
});

test('nothing is read ahead unless it is asked for', async () => {
  await using started = await start({ prefetch: [] });
  const { platform, begin } = started;
  const { tools } = begin();
  await tools.run('lookup_customer_invoices', '{}');
  expect(operationsOf(platform)).toEqual(['billing.customers.find', 'billing.invoices.listOpen']);
});

test.each<[string, unknown, string, string]>([
  ['an object', { invoices: true }, 'prefetch', "must be a list of 'callerContext' or 'invoices'"],
  [
    'a part that is unknown',
    ['invoice'],
    'prefetch.0',
    "must be 'callerContext' or 'invoices': did you mean 'invoices'?",
  ],
])('what is read ahead cannot be %s', async (_, prefetch, field, problem) => {
  await using started = await start({ prefetch: prefetch as PhoneCallOptions['prefetch'] });

  expect(() => started.begin()).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      field,
      problem,
    }),
  );
});
