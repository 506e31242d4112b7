import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { subpaths } from '../../scripts/subpaths.js';
import { runCommand } from '../support/run-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const fromSource = ['--import', './scripts/from-source.js'];

test('every subpath runs from its source, without a build', async () => {
  const script = `
    const names = async (from) => Object.keys(await import(from));
    const all = ${JSON.stringify(subpaths.map(({ specifier, source }) => [specifier, source.href]))};
    const found = all.map(async ([specifier, file]) => [specifier, await names(specifier), await names(file)]);
    console.log(JSON.stringify(await Promise.all(found)));`;

  const printed = await runCommand(process.execPath, [...fromSource, '--input-type=module', '--eval', script], {
    cwd: root,
  });
  const found = JSON.parse(printed) as [string, string[], string[]][];

  expect(found).toHaveLength(subpaths.length);
  expect(found.filter(([, byName, byFile]) => byName.length === 0 || byName.join() !== byFile.join())).toEqual([]);
});

test('an example that does not exist is answered with the names of those that do', async () => {
  const running = runCommand(process.execPath, [...fromSource, 'scripts/example.ts', 'no-such'], { cwd: root });

  await expect(running).rejects.toThrow(/ended with 2\nThere is no example "no-such". There are:/);
});
