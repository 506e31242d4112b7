import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { runLive } from '../../scripts/live.ts';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import {
  createFakePlatform,
  type FakePlatform,
  signedWebhook,
  testConnectedApp,
  testCredentials,
} from '../../src/dev/testing/index.ts';
import { stripeSignature } from '../../src/billing/stripe/index.ts';

const run = async (env: Readonly<Record<string, string>>) => {
  const printed: string[] = [];
  const exitCode = await runLive(env, (line) => printed.push(line));
  const rows = printed.flatMap((line) => {
    const [, title, , , ...cells] = line.split('|').map((cell) => cell.trim());
    return line.startsWith('|') && title !== 'Platform' && !title?.startsWith('-') ? [[title, ...cells]] : [];
  });
  return {
    exitCode,
    printed: printed.join('\n'),
    rows: Object.fromEntries(rows.map(([title, ...cells]) => [title, cells])),
  };
};

const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
};

const email = 'ada@example.com';

/** Test accounts on this machine, with what each variable would say of a real one. */
const startAccounts = async () => {
  const first = createFakePlatform({ messaging: 'zendesk', crm: 'hubspot', billing: 'stripe' });
  const second = createFakePlatform({ messaging: { dialect: 'intercom' }, crm: 'salesforce' });
  const customer = first.billing.addCustomer({ email, default_payment_method: 'pm_card_visa' });
  first.billing.addInvoice({ customer_id: customer.id, amount: 120.5 });
  first.billing.addInvoice({ customer_id: customer.id, amount: 15 });
  second.messaging.addTicketType({ name: 'Question' });
  const [one, two] = [await first.listen(), await second.listen()];
  const env = {
    HUBSPOT_BASE_URL: one.crm,
    HUBSPOT_TOKEN: testCredentials.crm,
    ZENDESK_BASE_URL: `${one.messaging}/api/v2`,
    ZENDESK_CLIENT_ID: testConnectedApp.clientId,
    ZENDESK_CLIENT_SECRET: testConnectedApp.clientSecret ?? '',
    ZENDESK_ADMIN_ID: String(first.zendesk.ownAgentId),
    INTERCOM_BASE_URL: two.messaging,
    INTERCOM_TOKEN: testCredentials.messaging,
    INTERCOM_ADMIN_ID: 'admin_1',
    SALESFORCE_BASE_URL: two.crm,
    SALESFORCE_CLIENT_ID: testConnectedApp.clientId,
    SALESFORCE_CLIENT_SECRET: testConnectedApp.clientSecret ?? '',
    STRIPE_BASE_URL: `${one.billing}/v1`,
    STRIPE_API_KEY: testCredentials.billing,
    STRIPE_CURRENCY: 'EUR',
    STRIPE_PAYMENTS_BELOW: '500',
    STRIPE_CUSTOMER_EMAIL: email,
  };
  return {
    env,
    first,
    second,
    only: (name: string) => Object.fromEntries(Object.entries(env).filter(([key]) => key.startsWith(name))),
    [Symbol.asyncDispose]: async () => {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    },
  };
};

const deletions = (platform: FakePlatform) => platform.requests.filter(({ method }) => method === 'DELETE').length;

describe('npm run test:live', () => {
  test('without an account lists the variables of all five, and ends with 0', async () => {
    const { exitCode, printed } = await run({ PATH: '/bin' });

    expect(exitCode).toBe(0);
    for (const name of [
      'HUBSPOT_TOKEN',
      'ZENDESK_CLIENT_ID',
      'INTERCOM_TOKEN',
      'SALESFORCE_CLIENT_SECRET',
      'STRIPE_API_KEY',
    ])
      expect(printed).toContain(`  ${name}  `);
  });

  test('tries five accounts, deletes what it made, and prints the dated table', async () => {
    await using accounts = await startAccounts();
    const { exitCode, printed, rows } = await run(accounts.env);

    expect(rows).toEqual({
      HubSpot: ['yes', 'yes', '–', 'yes', 'yes', '–', '–', 'yes', ''],
      Zendesk: ['yes', 'yes', 'yes', 'yes', '–', '–', '–', 'yes', ''],
      Intercom: ['yes', 'yes', 'yes', 'yes', '–', '–', '–', 'yes', ''],
      Salesforce: ['yes', 'yes', '–', 'yes', 'yes', '–', '–', 'yes', ''],
      Stripe: ['yes', '–', '–', '–', '–', 'yes', '–', 'yes', ''],
    });
    expect(exitCode).toBe(0);
    expect(printed).not.toContain(': ');
    expect(printed).toContain(`| HubSpot | ${hubspot().version} | ${new Date().toISOString().slice(0, 10)} |`);
    expect(deletions(accounts.first)).toBe(5);
    expect(deletions(accounts.second)).toBe(5);
    expect(accounts.first.effects('billing.payments.create')).toBe(1);
  });

  test('takes any subset, and goes on after a failure, which ends it with 1', async () => {
    await using accounts = await startAccounts();
    accounts.first.fault('messaging.conversations.addNote', [{ status: 403, times: Infinity }]);
    const { exitCode, printed, rows } = await run(accounts.only('ZENDESK'));

    expect(rows).toEqual({ Zendesk: ['yes', 'yes', 'failed', 'yes', '–', '–', '–', 'yes', ''] });
    expect(printed).toContain('Zendesk, note: ');
    expect(exitCode).toBe(1);
  });

  test('names what is left when it cannot be deleted', async () => {
    await using accounts = await startAccounts();
    accounts.first.fault('crm.contacts.delete', [{ status: 403, times: Infinity }]);
    const { exitCode, printed } = await run(accounts.only('HUBSPOT'));

    expect(printed).toMatch(/HubSpot, cleaned up: delete by hand: .*contact \d+/);
    expect(exitCode).toBe(1);
  });

  test.each([
    [
      'half an account',
      { HUBSPOT_BASE_URL: 'https://x.example', STRIPE_API_KEY: 'rk_test_1' },
      'STRIPE_CURRENCY is not set',
    ],
    ['a key for real money', { STRIPE_API_KEY: 'rk_live_1' }, 'STRIPE_API_KEY is for real money'],
    ['a webhook without an address', { HUBSPOT_TOKEN: 'pat-1', HUBSPOT_WEBHOOK_SECRET: 's' }, 'needs WEBHOOK_PORT'],
  ])('refuses %s, and sends nothing', async (_, env, problem) => {
    const { exitCode, printed } = await run(env);

    expect(exitCode).toBe(2);
    expect(printed).toContain(problem);
  });

  test('takes one signed webhook where an address is given', async () => {
    await using accounts = await startAccounts();
    const port = await freePort();
    const secret = 'whsec_live';
    const running = run({
      ...accounts.only('STRIPE'),
      STRIPE_WEBHOOK_SECRET: secret,
      WEBHOOK_PORT: port,
      WEBHOOK_ORIGIN: 'https://agent.example.com',
    });
    const { headers, body } = signedWebhook({ secret, body: { id: 'evt_1' }, scheme: stripeSignature });
    let delivered = false;
    while (!delivered)
      delivered = await fetch(`http://127.0.0.1:${port}/stripe`, { method: 'POST', headers, body }).then(
        ({ status }) => status < 300,
        () => false,
      );

    expect((await running).rows).toEqual({ Stripe: ['yes', '–', '–', '–', '–', 'yes', 'yes', 'yes', ''] });
  });
});
