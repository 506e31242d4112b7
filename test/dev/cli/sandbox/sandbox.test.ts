import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { cardOnFile, stripe } from '../../../../src/billing/stripe/index.ts';
import { createIntegration } from '../../../../src/index.ts';
import type { Toolbox } from '../../../../src/tools/index.ts';
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
    { data: ['inv_101', 'inv_102', 'inv_100'].map((id) => expect.objectContaining({ id })), total: 3 },
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

test.each([
  [
    'asks the caller, as the tool says',
    {},
    [
      ['What do I owe?', 'Your oldest invoice is inv_101, over 120.5. Would you like to pay it?'],
      ['Yes, please.', 'Shall I charge 120 euros and 50 cents to the card on file?'],
      ['Yes.', 'That is paid.'],
      ['Please pay the second one.', 'Shall I charge 80 euros to the card on file?'],
      ['Yes, please.', 'That is paid.'],
      ['Anything else?', 'You owe nothing. Goodbye.'],
      ['Yes?', 'You owe nothing. Goodbye.'],
    ],
  ],
  [
    'pays what the caller agrees to, where the tool asks no one',
    { confirm: false },
    [
      ['What do I owe?', 'Your oldest invoice is inv_101, over 120.5. Would you like to pay it?'],
      ['Yes, please.', 'That is paid.'],
      ['And 80 for the second one?', 'That is paid.'],
    ],
  ],
] as const)('with --model, an agent without a key %s', async (_what, own, conversation) => {
  await using sandbox = await startSandbox('--model', '--billing', 'stripe');
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY, BILLING_BASE_URL: baseUrl = '', BILLING_API_KEY } = sandbox.env;
  const { startPhoneCall } = createIntegration({
    billing: { ...stripe({ currency: 'EUR', key: () => BILLING_API_KEY ?? '' }), baseUrl },
    payments: { card: cardOnFile, below: 5000, ...own },
  });
  const phoneCall = startPhoneCall({ callId: 'CA1', phone: '+14155550100' });
  const messages: object[] = [];
  const answer = async (tools: Toolbox): Promise<unknown> => {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPENAI_API_KEY}` },
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
    return answer(tools);
  };

  const heard: unknown[] = [];
  for (const [words] of conversation) {
    messages.push({ role: 'user', content: words });
    heard.push([words, await answer(phoneCall.turn({ heard: words }).tools)]);
  }

  expect(heard).toEqual(conversation);
  expect((await sandbox.end()).noted.match(/payments\.create .*/g)).toEqual([
    'payments.create  200  inv_101',
    'payments.create  200  inv_102',
  ]);
});
