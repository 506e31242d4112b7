import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startLedger } from '../support/ledger.ts';
import { runCommand } from '../support/run-command.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const program = fileURLToPath(new URL('02-own-billing.ts', import.meta.url));
const fromSource = new URL('../../scripts/from-source.js', import.meta.url).href;

test('three functions over a client, and the caller learns what they owe', async () => {
  await using ledger = await startLedger();
  await using folder = await makeScratchFolder();

  const printed = await runCommand(process.execPath, ['--import', fromSource, program], {
    cwd: folder.path,
    env: { LEDGER_URL: ledger.origin, LEDGER_KEY: 'ledger-key' },
  });

  expect(JSON.parse(printed)).toMatchObject({ customer_name: 'Jane', invoice_count: 2, total_outstanding: 129.5 });
  expect(ledger.requests.map(({ path }) => path)).toEqual(['/accounts', '/accounts/A-1/bills']);
});
