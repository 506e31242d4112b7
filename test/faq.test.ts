import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { apiKey, bearer, fromEnv } from '../src/auth/index.ts';
import { createIntegration } from '../src/index.ts';
import { createOutbox } from '../src/outbox/index.ts';
import { sqlite } from '../src/stores/sqlite/index.ts';
import { createFakePlatform, testCredentials } from '../src/dev/testing/index.ts';
import { createWebhookReceiver } from '../src/webhooks/index.ts';
import { runCli } from './support/run-cli.ts';

const page = await readFile(new URL('../docs/faq.md', import.meta.url), 'utf8');
const platform = createFakePlatform({});
platform.billing.addCustomer({ name: 'Ada', phone: '+14155550100' });
const urls = await platform.listen();
afterAll(() => platform.close());
afterEach(() => void vi.restoreAllMocks());

const billing = {
  baseUrl: urls.billing,
  authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
  version: { path: 'v1' },
} as const;
const payments = { below: 500 };
const find = (own: object, phone = '+14155550100') =>
  createIntegration({ billing: { ...billing, ...own } }).billing.customers.find({ phone });
const messaging = {
  baseUrl: urls.messaging,
  authenticate: bearer(() => 'x'),
  platform: 'Acme',
  version: '2.11',
  adminId: '',
};

// Types refuse some of these; JavaScript doesn't.
const mistakes: Readonly<Record<string, () => unknown>> = {
  'a secret as text': () => apiKey('X-Api-Key', 'sk_test' as never),
  'a missing variable': () => find({ authenticate: apiKey('X-Api-Key', fromEnv('BILLING_API_KEY')) }),
  'an empty option': () => createIntegration({ messaging }),
  'a misspelt option': () => createIntegration({ billing, payments: { bellow: 500 } as never }),
  'a client that is not configured': () => Reflect.get(createIntegration({ billing }), 'crm').leads.search({}),
  'an outbox without a queue': () => createOutbox({ destinations: [] } as never),
  'a wrong key': () => find({ authenticate: apiKey('X-Api-Key', () => 'wrong') }),
  'a wrong port': () => find({ baseUrl: 'http://127.0.0.1:1', backoff: { minimumMs: 1, maximumMs: 1 } }),
  'a number as people write it': () => find({}, '(415) 555-0100'),
  'an amount above the maximum': () =>
    createIntegration({ billing, payments }).billing.payments.create({
      customer_id: 'cus_1',
      invoice_id: 'inv_1',
      amount: 5000,
      payment_method_id: 'pm_1',
    }),
  'a mapping with a slip': () => {
    const answer = () => {
      throw new TypeError('no');
    };
    // A mapping isn't asked about a 404.
    platform.billing.addCustomer({ phone: '+14155550111' });
    return find({ dialect: { endpoints: { customers: { find: { answer } } } } }, '+14155550111');
  },
  'a store in a folder that is missing': () =>
    createIntegration({
      billing,
      store: sqlite({ file: '/no/such/folder/calls.db' }).idempotencyStore(),
    }),
  'a tool without its variable': async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const authenticate = apiKey('X-Api-Key', fromEnv('BILLING_API_KEY'));
    const { startPhoneCall } = createIntegration({ billing: { ...billing, authenticate } });
    const { tools } = startPhoneCall({ callId: 'CA1', direction: 'inbound', phone: '+14155550100' });
    await tools.run('lookup_customer_invoices', {});
    throw new Error(String(warned.mock.lastCall?.[0]));
  },
  'a receiver that believes everyone': () => createWebhookReceiver({ name: 'billing' } as never),
};

const messages = [...page.matchAll(/^\*\*`(.+)`\*\*$/gm)].map(([, message = '']) => message);

test.each(Object.entries(mistakes))('the FAQ has the message of %s', async (_mistake, make) => {
  const message = await Promise.resolve()
    .then(make)
    .then(
      () => 'nothing was wrong',
      (error: Error) => error.message,
    );

  expect(
    messages.find((shown) => message.includes(shown)),
    message,
  ).toBeDefined();
});

const typed: Readonly<Record<string, () => ReturnType<typeof runCli>>> = {
  'a misspelt command': () => runCli(['docter']),
  'an incomplete configuration': () =>
    runCli(['doctor'], { env: { BILLING_BASE_URL: urls.billing, BILLING_API_KEY: 'a-key-of-a-test' } }),
  'a port in use': () => runCli(['sandbox', '--billing-port', new URL(urls.billing).port]),
  'another secret': () =>
    runCli(['webhooks', 'verify', '--header', `X-Signature: sha256=${'0'.repeat(64)}`], {
      env: { WEBHOOK_SECRET: 'a-secret-of-a-test' },
      input: '{}',
    }),
};

test.each(Object.entries(typed))('the FAQ has what the command line says of %s', async (_mistake, run) => {
  const { printed, noted } = await run();

  expect(messages.filter((message) => `${printed}${noted}`.includes(message))).toEqual([expect.any(String)]);
});
