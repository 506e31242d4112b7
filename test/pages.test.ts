import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startRealtimeServer } from './support/realtime-server.ts';
import { runPage } from './support/run-page.ts';
import { freePort } from './support/server-process.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const textOf = (page: string) => readFileSync(`${root}${page}`, 'utf8');

const needsRedis = 'docs/recipes/run-on-many-machines.md';
const recipes = globSync('docs/recipes/*.md', { cwd: root })
  .filter((page) => !page.endsWith('README.md') && page !== needsRedis)
  .toSorted();

test.each(['docs/getting-started.md', ...recipes])('%s does and prints what it says', async (page) => {
  const ran = await runPage(textOf(page), { replace: { 3000: String(await freePort()) } });

  expect(ran.length).toBeGreaterThan(0);
  for (const { commands, printed, shown } of ran)
    expect({ commands, printed: shown ?? printed }).toEqual({ commands, printed });
});

test('the three files of the README run as they stand', async () => {
  await using model = await startRealtimeServer();
  const readme = textOf('README.md');
  const port = String(await freePort());
  const commands = [
    'npx voice-agent-integrations sandbox > .env',
    'node --env-file=.env client.ts',
    'OPENAI_API_KEY=… node --env-file=.env realtime.ts',
    'WEBHOOK_SECRET=… node webhook.ts',
  ];
  const event = '{"type":"payment.confirmed","payment_id":"pay_1","invoice_id":"inv_7"}';
  const send = 'npx voice-agent-integrations webhooks send';
  const deliver = `echo '${event}' | WEBHOOK_SECRET=… ${send} http://127.0.0.1:${port}`;

  const ran = await runPage(readme, {
    replace: { 'wss://api.openai.com': model.url, '=…': '=try-me', 3000: port },
    followedBy: [...commands, deliver],
  });

  expect([...commands, send].filter((command) => !readme.includes(`\`${command}\``))).toEqual([]);
  expect(ran.map(({ printed }) => printed)).toEqual([
    expect.stringContaining('Ctrl-C'),
    'Ada Park completed CONF-1\n',
    expect.stringMatching(/^\{"customer_name":"Ada Park","invoice_count":1,"total_outstanding":80,/),
    expect.stringContaining('Ctrl-C'),
    expect.stringMatching(/^204 /),
  ]);
  expect(model.authorizations).toEqual(['Bearer try-me']);
});
