import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createScriptedModel } from '../src/dev/testing/index.ts';
import { runPage } from './support/run-page.ts';
import { freePort } from './support/server-process.ts';
import { startSandbox } from './support/start-sandbox.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const textOf = (page: string) => readFileSync(`${root}${page}`, 'utf8');

const needsRedis = 'docs/recipes/run-on-many-machines.md';
const recipes = globSync('docs/recipes/*.md', { cwd: root })
  .filter((page) => !page.endsWith('README.md') && page !== needsRedis)
  .toSorted();

/** Results of tools say which day it is. The page says the day it was written. A confirmation is another one each time. */
const anyDay = (text: string): string =>
  text
    .replaceAll(/"today":"\d{4}-\d{2}-\d{2}"/g, '"today":"…"')
    .replaceAll(/"confirmation_token":"[^"]+"/g, '"confirmation_token":"…"');

test.each(['docs/getting-started.md', 'docs/web-frameworks/express.md', ...recipes])(
  '%s does and prints what it says',
  async (page) => {
    const ran = await runPage(textOf(page), { replace: { 3000: String(await freePort()) } });

    expect(ran.length).toBeGreaterThan(0);
    for (const { commands, printed, shown } of ran)
      expect({ commands, printed: anyDay(shown ?? printed) }).toEqual({ commands, printed: anyDay(printed) });
  },
);

test('the agent of getting started runs with a model behind HTTP, on systems from the environment', async () => {
  const payment = { call: 'create_payment', args: { invoice_id: 'inv_101', amount: 120.5 } };
  await using model = createScriptedModel([
    { call: 'lookup_customer_invoices' },
    payment,
    'Shall I charge the older invoice?',
    { ...payment, confirmed: true },
    'Goodbye.',
  ]);
  await using sandbox = await startSandbox();

  const ran = await runPage(textOf('docs/getting-started.md'), {
    env: { ...sandbox.env, OPENAI_BASE_URL: `${await model.listen()}/v1`, OPENAI_API_KEY: 'sk-test' },
    followedBy: ['node agent.ts'],
  });

  expect(ran.at(-1)?.printed.split('\n')).toEqual([
    'caller: Please pay what I owe you.',
    expect.stringContaining('"invoice_count":2,"total_outstanding":200.5'),
    expect.stringContaining('"summary":"Shall I charge 120 euros and 50 cents to the card on file?"'),
    'agent: Shall I charge the older invoice?',
    'caller: Yes, please.',
    '  tool: {"success":true,"confirmation_number":"CONF-1"}',
    'agent: Goodbye.',
    'Written down: true',
    '',
  ]);
});
