import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { subpaths } from '../../scripts/subpaths.js';
import { runCommand } from '../support/run-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const fromSource = ['--import', './scripts/from-source.js'];

test.each(subpaths)('$specifier runs from its source, without a build', async ({ specifier, source }) => {
  const script = `
    const names = async (from) => Object.keys(await import(from));
    console.log(JSON.stringify([await names('${specifier}'), await names('${source.href}')]));`;

  const printed = await runCommand(process.execPath, [...fromSource, '--input-type=module', '--eval', script], {
    cwd: root,
  });
  const [byName, byFile]: unknown[] = JSON.parse(printed) as unknown[];

  expect(byName).not.toEqual([]);
  expect(byName).toEqual(byFile);
});

test('an example that does not exist is answered with the names of those that do', async () => {
  const running = runCommand(process.execPath, [...fromSource, 'scripts/example.ts', 'no-such'], { cwd: root });

  await expect(running).rejects.toThrow(/ended with 2\nThere is no example "no-such". There are:/);
});
