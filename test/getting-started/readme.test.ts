import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, inject, test } from 'vitest';
import { readManifest } from '../support/pack-package.ts';
import { blocksOf } from '../support/page-blocks.ts';
import { runCommand } from '../support/run-command.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { nextToSandbox } from './next-to-sandbox.ts';

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const blocks = blocksOf(readme);
const [demo = '', clone = '', install = '', sandbox = ''] = blocks.flatMap(({ language, code }) =>
  language === 'sh' ? [code] : [],
);
const agent = blocks.find(({ file }) => file === 'agent.ts')?.code ?? '';
const start = 'node --env-file=.env.sandbox agent.ts';
const [question, answer] = ['Shall I charge 120 euros and 50 cents to the card on file?', 'That is paid.'];

test('who follows the README from an empty folder sees the demo, and has an agent that pays', async () => {
  await using folder = await makeScratchFolder();
  const { devDependencies } = await readManifest();
  const packages = `--prefer-offline --no-audit ${inject('tarball')} openai@${devDependencies['openai']}`;
  const shell = (...commands: readonly string[]) =>
    runCommand('sh', ['-e', '-c', commands.join('\n')], {
      cwd: folder.path,
      timeoutMs: 300_000,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        // The file of the sandbox has both.
        OPENAI_API_KEY: undefined,
        OPENAI_BASE_URL: undefined,
      },
    });

  await shell(install.replace('voice-agent-integrations openai', packages));
  const [play = '', create = ''] = demo.split('\n');
  const played = await shell(play);
  await shell(create);
  await writeFile(folder.file('agent.ts'), agent);
  const printed = await shell(...nextToSandbox(sandbox, [`${start} 2>&1`]));

  expect(played).toContain('invoice inv_101 was charged 120.5, once');
  for (const words of [start, question, answer]) expect(readme).toContain(`\`${words}\``);
  // Nothing else, such as a warning about payments that only this process keeps.
  expect(printed.split('\n')).toEqual([question, answer, '']);
});

test('its agent is twenty lines long, the page 110, and no line of code over a hundred characters', () => {
  expect(clone).toMatch(/^npm ci && npm run demo\nnpm ci && npm test/);
  const isCode = (line: string) => line.trim() !== '' && !line.startsWith('//');

  expect(agent.split('\n').filter(isCode).length).toBeLessThanOrEqual(20);
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
  expect(blocks.flatMap(({ code }) => code.split('\n')).filter((line) => line.length > 100)).toEqual([]);
});
