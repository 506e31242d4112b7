import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { apiKey, fromEnv } from '../../src/auth/index.ts';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { sqlite } from '../../src/stores/sqlite/index.ts';
import { defineTool } from '../../src/tools/index.ts';
import { createWebhookReceiver, hmac } from '../../src/webhooks/index.ts';
import { connectPlatform } from '../support/connected-platform.ts';

/** The slips of people who see the package for the first time, in JavaScript. Each says what, where, and what to do. */

const phone = '+14155550100';

let platform: Awaited<ReturnType<typeof connectPlatform>>;
beforeEach(async () => {
  platform = await connectPlatform();
  platform.platform.billing.addCustomer({ phone, name: 'Ada' });
});
afterEach(() => platform[Symbol.asyncDispose]());
afterEach(() => void vi.restoreAllMocks());

const withBilling = (change: object, more: object = {}): IntegrationOptions => {
  const billing = { ...platform.clientOptions.billing, backoff: { minimumMs: 1, maximumMs: 1 }, ...change };
  return { billing, ...more } as IntegrationOptions;
};
const create = (change: object, more?: object) => createIntegration(withBilling(change, more));
const find = (change: object) => create(change).billing.customers.find({ phone });
const wrongKey = { authenticate: apiKey('X-Api-Key', () => 'wrong') };

const messageOf = async (mistake: () => unknown): Promise<string> => {
  try {
    await mistake();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was wrong';
};

const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const receiver = (change: object) => () =>
  createWebhookReceiver({
    name: 'shop',
    authentication: [hmac({ secrets: () => 'secret' })],
    store: createMemoryIdempotencyStore(),
    events: { 'a.b': z.object({}) },
    on: {},
    ...change,
  } as never);

test.each<[string, () => unknown, string]>([
  [
    'a wrong key',
    () => find(wrongKey),
    'billing.customers.find was refused by the API with status 401: it does not take the credential in x-api-key',
  ],
  [
    'an address without https://',
    () => find({ baseUrl: 'billing.example.com' }),
    'billing.baseUrl must be an absolute URL such as https://api.example.com',
  ],
  [
    'an address with http://',
    () => find({ baseUrl: 'http://billing.example.com' }),
    'billing.baseUrl must be an https URL, unless it is on loopback or allowInsecure is set',
  ],
  [
    'a port where nothing listens',
    async () => find({ baseUrl: `http://127.0.0.1:${await closedPort()}` }),
    'billing.customers.find had no answer after 3 attempts: the network failed (ECONNREFUSED): nothing listens there, check host and port in billing.baseUrl',
  ],
  [
    'an address whose variable is missing',
    () => create({ baseUrl: fromEnv('BILLING_BASE_URLL') }),
    "billing.baseUrl can't be read: BILLING_BASE_URLL must be set in the environment, such as with node --env-file=.env: it is missing or empty",
  ],
  [
    'a secret whose variable is missing',
    () => find({ authenticate: apiKey('X-Api-Key', fromEnv('NO_SUCH_KEY')) }),
    'billing.customers.find was not sent: NO_SUCH_KEY must be set in the environment, such as with node --env-file=.env: it is missing or empty',
  ],
  [
    'a misspelt option',
    () => create({ rateLimits: false }),
    'billing.rateLimits is not an option: did you mean rateLimit?',
  ],
  [
    'two misspelt options at once',
    () => create({ rateLimits: false }, { paymnts: { below: 5 } }),
    'billing.rateLimits is not an option: did you mean rateLimit?; paymnts is not an option: did you mean payments?',
  ],
  [
    'a misspelt word of requires',
    () => create({}, { payments: { below: 5, requires: 'Strong' } }),
    "payments.requires must be 'caller-id' or 'strong': did you mean 'strong'?",
  ],
  [
    'a misspelt effect',
    () =>
      defineTool({
        name: 'refund',
        description: '',
        parameters: z.object({}),
        effect: 'paymnt',
        run: () => 1,
      } as never),
    "refund.effect must be 'read', 'write' or 'payment': did you mean 'payment'?",
  ],
  [
    'a misspelt option of a store',
    () => sqlite({ path: 'calls.db' } as never),
    'sqlite.path is not an option: did you mean file?',
  ],
  [
    'a receiver without a store',
    receiver({ store: undefined }),
    'store must be given, such as createMemoryIdempotencyStore()',
  ],
  [
    'a receiver that believes everyone',
    receiver({ authentication: undefined }),
    'authentication must hold at least one method, such as hmac({ secrets }): without one, anyone could send events',
  ],
  [
    'a handler of a misspelt event',
    receiver({ on: { 'a.c': () => {} } }),
    'on.a.c is not listed in events: did you mean a.b?',
  ],
  [
    'a handler of an event that is not listed',
    receiver({ on: { 'invoice.paid': () => {} } }),
    'on.invoice.paid is not listed in events: give its schema there, or leave it out here',
  ],
])('%s', async (_, mistake, sentence) => {
  expect(await messageOf(mistake)).toBe(sentence);
});

test('a wrong key, through a tool, is one warning', async () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const { tools } = create(wrongKey).startPhoneCall({ callId: 'CA1', phone });

  await tools.run('lookup_customer_invoices', {});

  expect(emit.mock.calls.map(([message]) => message)).toEqual([
    'lookup_customer_invoices failed in call CA1: billing.customers.find was refused by the API with status 401: it does not take the credential in x-api-key',
  ]);
});

test('a wrong path of the address is found before anyone calls', async () => {
  const said = await messageOf(() =>
    create({ baseUrl: `${String(platform.clientOptions.billing.baseUrl)}/api` }).check(),
  );

  expect(said).toBe(
    "billing: the API answers 404 to everything: compare billing.baseUrl and billing.version with the API's",
  );
});

test('two phone calls with one id are no two calls', async () => {
  const errors: string[] = [];
  const { crm } = platform.clientOptions;
  const { startPhoneCall } = createIntegration({ crm, onError: (error) => errors.push((error as Error).message) });

  await startPhoneCall({ callId: 'CA1', phone }).finish({ outcome: 'resolved' });
  await startPhoneCall({ callId: 'CA1', phone: '+14155550111' }).finish({ outcome: 'call back' });

  expect(errors).toEqual([
    'crm.tasks.create: idempotencyKey was already used with other parameters in call CA1: use one key for one piece of work, and one id for one phone call',
  ]);
});
