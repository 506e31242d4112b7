import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { npmInstall, readManifest } from '../support/pack-package.ts';
import { runCommand } from '../support/run-command.ts';
import { makeScratchFolder, type ScratchFolder } from '../support/scratch-folder.ts';
import { compilers, compilerOptions, compilersOf, moduleSettings } from './compilers.ts';
import { type Followed, follow } from './follow.ts';
import { nextToSandbox } from './next-to-sandbox.ts';

const page = await readFile(new URL('../../docs/getting-started.md', import.meta.url), 'utf8');

let folder: ScratchFolder;
let followed: Followed;
const { devDependencies } = await readManifest();
beforeAll(async () => {
  folder = await makeScratchFolder();
  followed = await follow(page, folder.path, `${inject('tarball')} openai@${devDependencies['openai']}`);
});
afterAll(() => folder.remove());

/** The same text on any day: the tools say today's date, and make tokens. */
const anyDay = (text: string) =>
  text
    .replace(/"today":"\d{4}-\d\d-\d\d"/g, '"today":"…"')
    .replace(/"confirmation_token":"[^"]+"/g, '"confirmation_token":"…"');

test('who follows the page from an empty folder sees what it shows', () => {
  expect(followed.runs.length).toBeGreaterThan(0);
  expect(followed.runs.map(({ printed }) => anyDay(printed))).toEqual(followed.runs.map(({ shown }) => anyDay(shown)));
});

test('the agent with systems of its own pays in the sandbox, and doctor reads the same options, as the page says', async () => {
  const [, sandbox = '', start = '', doctor = ''] =
    /run `(npx [^`]+)` in a second terminal, in\s[^`]+`([^`]+)`, or `npx ([^`]+)`/.exec(page) ?? [];
  const commands = [start, `node_modules/.bin/${doctor}`];

  const printed = await runCommand('sh', ['-e', '-c', nextToSandbox(sandbox, commands).join('\n')], {
    cwd: folder.file('voice-agent'),
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      // The file of the sandbox has both.
      OPENAI_API_KEY: undefined,
      OPENAI_BASE_URL: undefined,
    },
  });

  expect(printed).toContain('agent: That is paid.');
  expect(printed).toContain('Written down: true');
  // The shell stops at a command that fails.
  expect(printed).toContain('Checking voice-agent.config.ts');
  expect(printed).toMatch(/^No problems, \d warnings?\.$/m);
});

describe('what the page has its reader write', () => {
  beforeAll(async () => {
    // Next to the reader's folder, where everything compiled below it finds it.
    await writeFile(folder.file('package.json'), '{ "private": true }');
    await writeFile(folder.file('kept/package.json'), '{ "type": "module" }');
    const types = `@types/node@${devDependencies['@types/node']}`;
    const openai = `openai@${devDependencies['openai']}`;
    await npmInstall(folder.path, [inject('tarball'), types, openai, ...compilersOf(devDependencies)]);
    await cp(fileURLToPath(new URL('../consumer/agent.cts', import.meta.url)), folder.file('agent.cts'));
    // What was there at the last run, and what the page changes afterwards.
    await configure('modules', {
      files: [
        ...['agent', 'systems', 'trouble'].map((name) => `kept/${followed.runs.length}/${name}.ts`),
        'kept/end/agent.ts',
      ],
    });
    await configure('commonjs', { files: ['agent.cts'] });
  });

  const configure = (name: string, config: object) =>
    writeFile(folder.file(`tsconfig.${name}.json`), JSON.stringify({ ...config, compilerOptions }));

  const compile = (compiler: string, ...args: readonly string[]) =>
    runCommand(process.execPath, [folder.file(`node_modules/${compiler}/bin/tsc`), ...args], { cwd: folder.path });

  test.each(compilers.flatMap((compiler) => moduleSettings.map((setting) => [compiler, setting] as const)))(
    'is right for %s with module settings for %s',
    async (compiler, { name: _name, args }) => {
      expect(await compile(compiler, '-p', 'tsconfig.modules.json', '--noEmit', ...args)).toBe('');
    },
  );

  test.each(compilers)('does the same in a CommonJS project, compiled by %s', async (compiler) => {
    const out = `out-${compiler}`;
    await mkdir(folder.file(out));
    const printed = await compile(compiler, '-p', 'tsconfig.commonjs.json', '--module', 'nodenext', '--outDir', out);

    const said = await runCommand(process.execPath, [join(out, 'agent.cjs')], { cwd: folder.path });
    expect(printed).toBe('');
    expect(await readFile(folder.file(`${out}/agent.cjs`), 'utf8')).toContain('require("voice-agent-integrations")');
    expect(said).toMatch(/"confirmation_number":"CONF-1"/);
    expect(anyDay(page).split('\n')).toEqual(expect.arrayContaining(anyDay(said).trimEnd().split('\n')));
  });
});
