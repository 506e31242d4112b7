/**
 * Counts the files and functions of `src` that run for one payment: by the client, and by the tool. A process of its own,
 * since the inspector counts from its start. Prints JSON for `npm run measure`.
 */
import { Session } from 'node:inspector/promises';
import { apiKey } from 'voice-agent-integrations/auth';
import { createBillingClient } from 'voice-agent-integrations/billing';
import { billingTools, createToolbox } from 'voice-agent-integrations/tools';
import { realtime } from 'voice-agent-integrations/tools/openai';

export interface Way {
  readonly files: number;
  readonly functions: number;
}

export type Ways = Readonly<Record<'payment' | 'paymentTool', Way>>;

/** The first calls load what is loaded late and fill caches; the last one is counted. */
const calls = 6;

const invoices = Array.from({ length: calls }, (_, index) => ({
  id: `inv_${index}`,
  customer_id: 'cus_1',
  amount: 10,
  status: 'open',
}));

const answers: Readonly<Record<string, object>> = {
  '/v1/customers/search': { id: 'cus_1', name: 'Ada' },
  '/v1/invoices': { data: invoices },
  '/v1/payments': { status: 'completed', confirmation_number: 'C-1' },
};

const answer = async (url: string): Promise<Response> => {
  const { pathname } = new URL(url);
  const body = answers[pathname];
  return body ? Response.json(body) : Response.json({ error: `no answer for ${pathname}` }, { status: 404 });
};

const createBilling = () =>
  createBillingClient({
    baseUrl: 'https://billing.test',
    authenticate: apiKey('X-Api-Key', () => 'test'),
    version: { path: 'v1' },
    payments: { below: 5000 },
    fetch: (input) => answer(input instanceof Request ? input.url : String(input)),
  });

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** What ran since the last time this was called; taking the counts resets them. */
const ranSince = async (): Promise<Way> => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const source = new URL('../../src/', import.meta.url).href;
  const ran = result
    .filter(({ url }) => url.startsWith(source))
    .map(({ url, functions }) => ({ url, count: functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length }))
    .filter(({ count }) => count > 0);
  if (process.argv.includes('--files')) console.error(ran.map(({ url, count }) => `${count} ${url}`).join('\n'), '\n');
  return { files: ran.length, functions: ran.reduce((sum, { count }) => sum + count, 0) };
};

const countPayment = async (): Promise<Way> => {
  const billing = createBilling();
  let way: Way | undefined;
  for (const { id } of invoices) {
    await ranSince();
    const { status } = await billing.payments.create(
      { customer_id: 'cus_1', invoice_id: id, amount: 10, payment_method_id: 'pm_1' },
      { idempotencyKey: id },
    );
    if (status !== 'completed') throw new Error(`the payment ended as ${status}`);
    way = await ranSince();
  }
  if (!way) throw new Error('no payment was made');
  return way;
};

const countPaymentTool = async (): Promise<Way> => {
  const toolbox = createToolbox({
    tools: billingTools({ billing: createBilling(), payments: { card: () => 'pm_1', confirm: false } }),
    context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
  });
  const run = async (name: string, id: string, args: object): Promise<string> => {
    const call = {
      type: 'function_call',
      call_id: `${name} ${id}`,
      name,
      arguments: JSON.stringify(args),
      status: 'completed',
    };
    return JSON.stringify(await realtime.runAll(toolbox, { response: { status: 'completed', output: [call] } }));
  };

  await run('lookup_customer_invoices', '', {});
  let way: Way | undefined;
  for (const { id } of invoices) {
    await ranSince();
    const said = await run('create_payment', id, { invoice_id: id, amount: 10 });
    if (!said.includes('C-1')) throw new Error(`the tool answered ${said}`);
    way = await ranSince();
  }
  if (!way) throw new Error('no payment was made');
  return way;
};

const ways: Ways = { payment: await countPayment(), paymentTool: await countPaymentTool() };
console.log(JSON.stringify(ways));
