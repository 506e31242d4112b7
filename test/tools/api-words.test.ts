import { inspect } from 'node:util';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { apiKey } from '../../src/auth/index.ts';
import { createBillingClient } from '../../src/billing/index.ts';
import { ClientError } from '../../src/core/errors.ts';
import { logTo } from '../../src/observability/log-to.ts';
import { billingTools, createToolbox } from '../../src/tools/index.ts';
import { startMswServer } from '../support/msw-server.ts';

const secrets: readonly (readonly [words: string, leaks: readonly string[]])[] = [
  ['connect postgres://root:hunter2@localhost/x failed', ['hunter2', 'root']],
  ['Bearer eyJhbGciOiJI.eyJzdWIi.c2lnbmF0dXJl is expired', ['eyJ', 'c2lnbmF0']],
  ['no rights for sk_live_4eC39HqLyj', ['4eC39']],
  ['the password is hunter2', ['hunter2']],
  ['the taxpayer 078-05-1120 is unknown', ['078-05', '05-1120']],
  ['x is undefined\n    at pay (/srv/billing/pay.js:10:5)\n    at node:internal/run.js:1:1', ['/srv', 'pay.js']],
];

/** The bodies in which APIs write such words. */
const bodiesOf = (words: string): readonly unknown[] => [
  { message: words },
  { errors: [{ code: 'x', detail: words }] },
  { fault: words, hint: { why: words } },
  { [words]: 1 },
  { message: JSON.stringify({ inner: words }) },
  words,
];

test.each(secrets)('no model, log and error gets the secret of an API that says %j', async (words, leaks) => {
  await using server = await startMswServer();
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const billing = createBillingClient({
    baseUrl: server.baseUrl,
    authenticate: apiKey('X-Api-Key', () => 'k3y-of-ours'),
    version: { path: 'v1' },
    payments: { below: 5000 },
    onEvent: logTo(logger),
  });
  const toolbox = createToolbox({
    tools: billingTools({
      billing,
      lookup: 'anyone',
      payments: { card: 'from-model', confirm: false },
    }),
    context: { caller: { phone: '+14155550100', verified: 'strong' } },
    onEvent: logTo(logger),
  });
  const seen: string[] = [];
  for (const [index, json] of bodiesOf(words).entries()) {
    server.answer({ status: 400, json });
    const result = await toolbox.run('lookup_customer_invoices', {}, { callId: `CA${index}` });
    expect(result).toMatchObject({ status: 'refused', value: { error: 'client_error', details: expect.anything() } });

    const error = await billing.customers.find({ phone: '+14155550100' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClientError);
    if (error instanceof ClientError) seen.push(inspect([error.details, error.problems, error.codes], { depth: 9 }));
    seen.push(result.text, inspect(error), JSON.stringify(error));
  }
  const payment = { invoice_id: 'inv_1', amount: 5, payment_method_id: 'pm_1' };
  const pay = () => toolbox.run('create_payment', payment, { callId: 'CA-pay' });
  server.answer({ json: { id: 'cus_1' } }, { json: [{ id: 'inv_1', amount: 5 }] });
  await pay();
  server.answer({ status: 200, json: { status: 'declined', error_message: words } });
  const declined = await pay();

  expect(declined).toMatchObject({ status: 'refused', value: { success: false } });
  const everything = [...seen, declined.text, ...lines].join('\n');
  expect(everything).toContain('[');
  expect(leaks.filter((leak) => everything.includes(leak))).toEqual([]);
});
