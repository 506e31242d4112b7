import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import type { PhoneCallOptions } from '../../src/phone-call/start-phone-call.ts';
import { defineTool, type ToolResult } from '../../src/tools/index.ts';
import { connectPlatform } from '../support/connected-platform.ts';

const phone = '+14155550100';

/** A server whose handler starts the phone call again for each request, with a store in memory. */
const start = async (options: Partial<IntegrationOptions> = {}) => {
  const { platform, clientOptions } = await connectPlatform();
  const ada = platform.billing.addCustomer({ id: 'cus_1', name: 'Ada', phone });
  for (const id of ['inv_1', 'inv_2', 'inv_3']) platform.billing.addInvoice({ id, customer_id: ada.id, amount: 40 });
  const noted = vi.fn((_note: { readonly text: string }) => ({ noted: true }));
  const note = defineTool({
    name: 'note',
    description: 'Notes.',
    parameters: z.object({ text: z.string() }),
    effect: 'write',
    run: noted,
  });
  const integration = createIntegration({
    billing: clientOptions.billing,
    payments: { below: 100, card: () => 'pm_1', confirm: false },
    store: 'memory',
    phoneCalls: { tools: { own: [note] } },
    ...options,
  });
  const request = (tool: string, args: object, call: Partial<PhoneCallOptions> = {}, toolCallId?: string) =>
    integration.startPhoneCall({ callId: 'CA1', phone, ...call }).tools.run(tool, args, { toolCallId });
  return {
    platform,
    request,
    noted,
    pay: (invoice_id: string, call?: Partial<PhoneCallOptions>) =>
      request('create_payment', { invoice_id, amount: 40 }, call),
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

const reasonIn = ({ value }: ToolResult) => (value as { readonly reason?: string }).reason;

test.each([{ store: 'memory' as const }, { store: undefined }])(
  'what a phone call has paid counts for the next request of it (%o)',
  async (options) => {
    await using server = await start(options);
    await server.request('lookup_customer_invoices', {});

    expect((await server.pay('inv_1')).status).toBe('done');
    expect((await server.pay('inv_2')).status).toBe('done');
    expect(reasonIn(await server.pay('inv_3'))).toBe('payment_limit_reached');
    expect(server.platform.effects('billing.payments.create')).toBe(2);
    // Another phone call has limits of its own.
    await server.request('lookup_customer_invoices', {}, { callId: 'CA2' });
    expect((await server.pay('inv_3', { callId: 'CA2' })).status).toBe('done');
  },
);

test('a request with stricter rules counts what was paid under looser ones', async () => {
  await using server = await start();
  await server.request('lookup_customer_invoices', {});
  await server.pay('inv_1');

  expect(reasonIn(await server.pay('inv_2', { payments: { perCall: 60 } }))).toBe('payment_limit_reached');
  expect((await server.pay('inv_2')).status).toBe('done');
});

test('tool calls and writes are counted in all requests of a phone call', async () => {
  await using server = await start({ phoneCalls: { tools: { limits: { toolCalls: 2 } } } });
  const reasons = [];
  for (let times = 0; times < 3; times += 1)
    reasons.push(reasonIn(await server.request('lookup_customer_invoices', {})));

  expect(reasons).toEqual([undefined, undefined, 'too_many_tool_calls']);
});

test('a write that a platform sends twice is done once', async () => {
  await using server = await start();
  const [first, again] = await Promise.all([
    server.request('note', { text: 'Rang.' }, {}, 'tc_1'),
    server.request('note', { text: 'Rang.' }, {}, 'tc_1'),
  ]);
  const later = await server.request('note', { text: 'Rang.' }, {}, 'tc_1');

  expect([first, again, later].map(({ status, replayed }) => [status, replayed])).toEqual([
    ['done', false],
    ['done', true],
    ['done', true],
  ]);
  expect(server.noted).toHaveBeenCalledTimes(1);
});

test('another person under the same id sees nothing of it', async () => {
  await using server = await start();
  await server.request('lookup_customer_invoices', {});

  const { value, status } = await server.pay('inv_1', { phone: '+14155550199' });

  expect([status, value]).toEqual(['refused', expect.objectContaining({ error: 'customer_not_found' })]);
  expect(server.platform.effects('billing.payments.create')).toBe(0);
});
