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
const [clone = '', demo = '', install = '', sandbox = ''] = blocks.flatMap(({ language, code }) =>
  language === 'sh' ? [code] : [],
);
const shown = blocks.find(({ language }) => language === 'text')?.code;
const agent = blocks.find(({ file }) => file === 'agent.ts')?.code ?? '';
const [connect = ''] = /realtime\.connect\(.*?\)(?=`)/.exec(readme) ?? [];
const start = 'node --env-file=.env.sandbox agent.ts';
const [question, answer] = ['Shall I charge 120 euros and 50 cents to the card on file?', 'That is paid.'];
const runExample = 'node node_modules/voice-agent-integrations/dist/examples/tools/vapi.js';

/** The agent's phone call; the session of a scripted model is the socket, which needs no account. */
const onTheLine = [
  agent.slice(0, agent.indexOf('const openai')),
  "import { createScriptedModel } from 'voice-agent-integrations/testing';",
  "import { realtime } from 'voice-agent-integrations/tools/openai';",
  "const model = createScriptedModel([{ call: 'lookup_customer_invoices' }, ({ results }) => `You owe ${results.join()}`]);",
  'const socket = model.realtime();',
  connect,
  "console.log(await socket.say('What do I owe?'));",
  'socket.close();',
].join('\n');

test('who follows the README from an empty folder sees the demo, has an agent that pays, and runs an example', async () => {
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
  await writeFile(folder.file('realtime.ts'), onTheLine);
  const printed = await shell(...nextToSandbox(sandbox, [`${start} 2>&1`, 'node --env-file=.env.sandbox realtime.ts']));

  const example = await shell(runExample);

  const excerpt = linesOf(shown).filter((line) => line !== '…');
  expect(excerpt).toHaveLength(7);
  expect(linesOf(played)).toEqual(expect.arrayContaining(excerpt));
  for (const words of [start, question, answer]) expect(readme).toContain(`\`${words}\``);
  // Nothing else, such as a warning about payments that only this process keeps.
  expect(printed.split('\n')).toEqual([question, answer, expect.stringContaining('You owe {"customer_name"'), '']);
  expect(readme).toContain(`\`${runExample}\``);
  expect(example).toContain('Payments made: 1');
});

test('its agent is twenty lines long, and the whole page 130 with its table', () => {
  expect(clone).toMatch(/^npm ci && npm run demo\nnpm ci && npm test/);
  const isCode = (line: string) => line.trim() !== '' && !line.startsWith('//');

  expect(agent.split('\n').filter(isCode).length).toBeLessThanOrEqual(20);
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

/** Without what differs in each run: how long something took. */
const linesOf = (text = '') =>
  text
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/[\d.]+ ms/g, '… ms')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);
