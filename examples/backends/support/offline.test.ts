import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { blocksOf } from '../../../test/support/page-blocks.ts';
import { runCommand } from '../../../test/support/run-command.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const names = globSync('examples/backends/*/offline.ts', { cwd: root })
  .map((file) => file.replaceAll('\\', '/').replace(/^examples\/(.+)\/offline\.ts$/, '$1'))
  .filter((name) => name !== 'backends/support')
  .toSorted();

/** The guides that show what one of them prints. */
const guides: Readonly<Record<string, string>> = {
  'backends/livekit-agents': 'livekit.md',
};

test.each(names)('npm run example %s plays a phone call', async (name) => {
  const printed = await runCommand(
    process.execPath,
    ['--import', './scripts/from-source.js', 'scripts/example.ts', name],
    {
      cwd: root,
    },
  );

  expect(printed).toContain('Caller: Yes, please pay it.\nAgent:  That is paid.');
  expect(printed.match(/^Payment: 120.5 for inv_1$/gm)).toHaveLength(1);
  expect(printed.match(/^Task: /gm)).toHaveLength(1);
  expect(printed).toContain('The server was stopped and ended with 0.');
  expect(printed).toContain(shownIn(guides[name]));
});

/** What the guide shows below its commands, if there is one. */
const shownIn = (guide: string | undefined): string => {
  if (guide === undefined) return '';
  const blocks = blocksOf(readFileSync(`${root}docs/voice-platforms/${guide}`, 'utf8'));
  return blocks.find(({ language }) => language === 'text')?.code ?? 'no output is shown';
};
