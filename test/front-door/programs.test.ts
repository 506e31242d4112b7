import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  assertOn,
  createFakePlatform,
  createScriptedModel,
  type ScriptedMoment,
  testCredentials,
} from '../../src/dev/testing/index.ts';
import { startLedger } from '../support/ledger.ts';
import { runCommand } from '../support/run-command.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { runProgram, startProgram } from './run-program.ts';

/** Reads out what the tool asks for. */
const question = ({ results }: ScriptedMoment): string =>
  (JSON.parse(results.at(-1) ?? '{}') as { summary?: string }).summary ?? `No question: ${results.join()}`;

test('01: the README’s agent asks the caller, and pays', async () => {
  await using platform = createFakePlatform({ billing: 'stripe' });
  platform.billing.addCustomer({ id: 'cus_1', phone: '+14155550100', default_payment_method: 'pm_card_visa' });
  platform.billing.addInvoice({ id: 'in_1', customer_id: 'cus_1', amount: 120.5, currency: 'EUR' });
  const { billing } = await platform.listen();
  const payment = { call: 'create_payment', args: { invoice_id: 'in_1', amount: 120.5 } };
  await using model = createScriptedModel([
    { call: 'lookup_customer_invoices' },
    payment,
    question,
    { ...payment, confirmed: true },
    'That is paid.',
  ]);

  const run = await runProgram('01-readme-agent.ts', {
    env: {
      STRIPE_KEY: testCredentials.billing,
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: `${await model.listen()}/v1`,
    },
    vendors: { 'api.stripe.com': billing },
  });

  expect(run).toMatchObject({
    printed: 'Shall I charge 120 euros and 50 cents to the card on file?\nThat is paid.\n',
    end: 0,
  });
  expect(run.complained).toMatch(
    /^.*VoiceAgentWarning: a model makes a payment that only the memory of this process keeps: .*\n.*\n$/,
  );
  assertOn(platform).paidOnce({ invoiceId: 'in_1' });
});

test('02: an own billing API is looked up through its three functions', async () => {
  await using ledger = await startLedger();

  const run = await runProgram('02-own-billing.ts', { env: { LEDGER_URL: ledger.origin, LEDGER_KEY: 'ledger-key' } });

  expect(run).toMatchObject({ end: 0, complained: '' });
  expect(JSON.parse(run.printed)).toMatchObject({ customer_name: 'Jane', invoice_count: 2, total_outstanding: 129.5 });
  expect(ledger.requests.map(({ path }) => path)).toEqual(['/accounts', '/accounts/A-1/bills']);
});

test('06: a test of an agent passes by node:test', async () => {
  const { end, printed } = await runProgram('06-agent-test.ts', { flags: ['--test-reporter=tap'] });

  expect(printed).toContain('ok 1 - a lost answer charges once, after the caller has agreed');
  expect(end).toBe(0);
});

test('07: tools of an MCP server and of the AI SDK’s kind are added to the CRM’s', async () => {
  const server = new URL('shop-mcp-server.ts', import.meta.url);
  await using program = await startProgram('07-mcp-tools.ts', {
    env: { HUBSPOT_KEY: testCredentials.crm },
    prepare: async (folder) => {
      // Where `npx` finds a command that is installed.
      const bin = join(folder, 'node_modules', '.bin');
      await mkdir(bin, { recursive: true });
      const file = join(bin, 'shop-mcp-server');
      await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${server.pathname}'\n`, { mode: 0o755 });
    },
  });

  await program.hasPrinted(']\n');

  const names = ['qualify_lead', 'log_call', 'find_orders', 'cancel_order', 'refund_order', 'weather'];
  expect(program.printed().match(/\w+/g)).toEqual(names);
});

test('08: a tenant’s phone call is stricter', async () => {
  const run = await runProgram('08-tenants.ts', { env: { STRIPE_KEY: testCredentials.billing } });

  expect(run).toEqual({ end: 0, printed: '2\n', complained: '' });
});

test('09: a call is written from a queue, and by an engine', async () => {
  await using platform = createFakePlatform({ crm: 'hubspot' });
  const { crm } = await platform.listen();

  const run = await runProgram('09-finish-later.ts', {
    env: { HUBSPOT_KEY: testCredentials.crm },
    vendors: { 'api.hubapi.com': crm },
  });

  expect(run).toEqual({ end: 0, printed: 'true\ntrue undefined\n', complained: '' });
  const tasks = platform.hubspot.records('tasks').map(({ properties }) => properties);
  expect(tasks).toMatchObject([
    { hs_task_body: 'Wants a call back.<br><br>Caller: Please call me back.<br>Agent: We will.' },
    { hs_task_subject: 'Inbound call: resolved' },
  ]);
  expect(tasks[1]).not.toHaveProperty('hs_task_body');
});

test.each([
  ['a package that is missing', 'module', "import 'bullmq';"],
  ['a package.json of CommonJS', 'commonjs', "import 'node:fs';"],
])('the FAQ has what Node says of %s', async (_, type, program) => {
  const faq = await readFile(new URL('../../docs/faq.md', import.meta.url), 'utf8');
  const messages = [...faq.matchAll(/^\*\*`(.+)`\*\*$/gm)].map(([, message = '']) => message);
  await using folder = await makeScratchFolder();
  await writeFile(folder.file('package.json'), JSON.stringify({ type }));
  await writeFile(folder.file('agent.js'), program);

  const said = await runCommand(process.execPath, ['agent.js'], { cwd: folder.path }).catch(String);

  expect(messages.filter((message) => said.includes(message))).toHaveLength(1);
});
