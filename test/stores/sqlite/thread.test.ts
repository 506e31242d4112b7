import { expect, test } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

const store = new URL('../../../src/stores/sqlite/idempotency-store.ts', import.meta.url).href;

test('a store that is open and was never asked keeps no process alive', async () => {
  await using folder = await makeScratchFolder();
  const program = `
    const { createSqliteIdempotencyStore } = await import(${JSON.stringify(store)});
    createSqliteIdempotencyStore({ file: ${JSON.stringify(folder.file('claims.db'))} });
    console.log('open');
  `;

  const args = ['--input-type=module', '--eval', program];

  expect(await runCommand(process.execPath, args, { cwd: folder.path })).toBe('open\n');
});
