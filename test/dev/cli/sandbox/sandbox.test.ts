import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { apiKey } from '../../../../src/auth/index.ts';
import { createIntegration } from '../../../../src/index.ts';
import { chat } from '../../../../src/tools/providers/openai.ts';
import { runCli } from '../../../support/run-cli.ts';
import { startSandbox } from '../../../support/start-sandbox.ts';

test('the sandbox prints what an environment needs, and ends with 0 at Ctrl-C', async () => {
  const { env, end } = await startSandbox('--messaging', 'intercom');

  expect(env).toEqual({
    MESSAGING_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    MESSAGING_TOKEN: 'test-messaging-token',
    MESSAGING_ADMIN_ID: 'admin_1',
    MESSAGING_DIALECT: 'intercom',
    MESSAGING_VERSION: '2.16',
    CRM_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    CRM_TOKEN: 'test-crm-token',
    CRM_DIALECT: 'default',
    CRM_VERSION: '60.0',
    BILLING_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    BILLING_API_KEY: 'test-billing-key',
    BILLING_VERSION: 'v1',
    BILLING_PAYMENTS_BELOW: '5000',
  });
  expect(await end()).toMatchObject({ exitCode: 0, noted: 'The sandbox is running. Ctrl-C ends it.' });
  await expect(fetch(env['CRM_BASE_URL'] ?? '')).rejects.toThrow('fetch failed');
});

test.each([
  ['Salesforce', ['--crm', 'salesforce']],
  ['Zendesk', ['--messaging', 'zendesk']],
])('a doctor of %s writes nothing there, tokens aside', async (_, words) => {
  const { env, end } = await startSandbox(...words);
  const { exitCode } = await runCli(['doctor'], { env });

  expect(exitCode).toBe(0);
  expect(await end()).toMatchObject({ noted: 'The sandbox is running. Ctrl-C ends it.' });
});

test('it has people to ring up, faults that were asked for, and no people with --empty', async () => {
  await using sandbox = await startSandbox('--fault', 'billing.customers.find=503');
  await using empty = await startSandbox('--empty');
  const search = async ({ env }: typeof sandbox) => {
    const response = await fetch(`${env['BILLING_BASE_URL']}/v1/customers/search?phone=%2B14155550100`, {
      headers: { 'x-api-key': env['BILLING_API_KEY'] ?? '' },
    });
    return [response.status, (await response.text()).includes('Ada Park')];
  };

  expect([await search(sandbox), await search(sandbox), await search(empty)]).toEqual([
    [503, false],
    [200, true],
    [404, false],
  ]);
});

test('its APIs differ from the usual as --mode says', async () => {
  await using sandbox = await startSandbox('--mode', 'billing=every-invoice,documented', '--mode', 'crm=documented');
  const { env } = sandbox;

  const listed = await fetch(`${env['BILLING_BASE_URL']}/v1/invoices?customer_id=cus_ada&status=paid`, {
    headers: { 'x-api-key': env['BILLING_API_KEY'] ?? '' },
  });
  const search = await fetch(`${env['CRM_BASE_URL']}/services/data/v60.0/sobjects/Contact/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env['CRM_TOKEN']}`, 'content-type': 'application/json' },
    body: JSON.stringify({ q: 'SELECT Id FROM Contact' }),
  });

  expect([await listed.json(), search.status]).toEqual([
    { data: [expect.objectContaining({ id: 'inv_101' }), expect.objectContaining({ id: 'inv_102' })], total: 2 },
    404,
  ]);
});

test('it listens on --port, and a port that is taken is one line', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { readonly port: number };
  await expect(startSandbox('--crm-port', String(port))).rejects.toThrow(
    /can't listen on the port: .*EADDRINUSE.*leave it out, or name another one/,
  );
  await new Promise((resolve) => taken.close(resolve));

  await using sandbox = await startSandbox('--crm-port', String(port));

  expect(sandbox.env['CRM_BASE_URL']).toBe(`http://127.0.0.1:${port}`);
});

test('with --model, an agent without a key says what is owed and pays what the caller agrees to', async () => {
  await using sandbox = await startSandbox('--model');
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, BILLING_BASE_URL: baseUrl = '', BILLING_API_KEY } = sandbox.env;
  const { startPhoneCall } = createIntegration({
    billing: {
      baseUrl,
      authenticate: apiKey('X-Api-Key', () => BILLING_API_KEY ?? ''),
      version: { path: 'v1' },
    },
    payments: { card: () => 'pm_on_file', below: 5000, confirm: false },
  });
  const { tools } = startPhoneCall({
    callId: 'CA1',
    direction: 'inbound',
    phone: '+14155550100',
  });
  const messages: object[] = [];
  const answer = async (): Promise<unknown> => {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ messages, tools: chat.tools(tools) }),
    });
    const { choices } = (await response.json()) as {
      choices: [Extract<Parameters<typeof chat.runAll>[1], { readonly message: object }>];
    };
    const [choice] = choices;
    const { message } = choice;
    messages.push(message);
    if (!message.tool_calls) return message.content;
    messages.push(...(await chat.runAll(tools, choice)));
    return answer();
  };
  const say = (content: string) => {
    messages.push({ role: 'user', content });
    return answer();
  };

  expect([await say('What do I owe?'), await say('Yes, please.'), await say('And 80 for the second one?')]).toEqual([
    'Your oldest invoice is inv_101, over 120.5. Shall I charge your card?',
    'That is paid. Goodbye.',
    'That is paid. Goodbye.',
  ]);
  expect((await sandbox.end()).noted.split('\n').slice(1)).toEqual([
    'billing.payments.create  201  inv_101  120.5',
    'billing.payments.create  201  inv_102  80',
  ]);
});
