import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { choices } from '../../../src/dev/cli/create/choices.ts';
import { platforms } from '../../../src/dev/cli/platforms/platforms.ts';
import { blocksOf } from '../../support/page-blocks.ts';
import { runCli } from '../../support/run-cli.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

/** Runs it with --json. Returns the files, and what package.json has. */
const create = async (words: readonly string[], scratch: { readonly path: string; file(name: string): string }) => {
  const { printed } = await runCli(words, { cwd: scratch.path });
  const { files, folder } = JSON.parse(printed) as { readonly files: readonly string[]; readonly folder: string };
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies: object;
    readonly scripts: object;
  };
  return { files, ...manifest };
};

const fromOf = (line: string): string => line.replace(/^.+ from /, '');

/** Options with each choice once. */
const everyChoice = (): string[][] =>
  Object.entries(choices).flatMap(([name, known]) => Object.keys(known).map((word) => [`--${name}`, word]));

// test/starters builds and runs what is written.
describe('create', () => {
  test('writes a starter with what was chosen, and says how to start it', async () => {
    await using scratch = await makeScratchFolder();
    const { exitCode, printed } = await runCli(
      ['create', 'my-agent', '--framework', 'hono', '--model', 'anthropic', '--crm', 'hubspot', '--billing', 'stripe'],
      { cwd: scratch.path },
    );
    const read = (file: string) => readFileSync(join(scratch.file('my-agent'), file), 'utf8');

    expect(exitCode).toBe(0);
    expect(printed).toContain('cd my-agent');
    expect(printed).toContain('ANTHROPIC_API_KEY in .env');
    expect(read('src/server.ts')).toContain("from 'hono'");
    expect(read('src/model.ts')).toContain("from '@anthropic-ai/sdk'");
    expect(read('voice-agent.config.ts')).toMatch(
      / {2}crm: hubspot\(\{\n {4}key: .+\n {4}baseUrl: .+\n {2}\}\),\n {2}billing: stripe/,
    );
    expect(read('voice-agent.config.ts').match(/from 'voice-agent-integrations\/auth'/g)).toHaveLength(1);
    expect(read('.gitignore')).toContain('.env');
    expect(JSON.parse(read('package.json'))).toMatchObject({
      name: 'my-agent',
      scripts: { systems: expect.stringContaining('--messaging default --crm hubspot --billing stripe') },
      dependencies: { hono: expect.any(String), '@anthropic-ai/sdk': expect.any(String), zod: expect.any(String) },
    });
  });

  test('asks a person at the keyboard for what no option says, by name or number, with what a platform needs', async () => {
    await using scratch = await makeScratchFolder();
    const { noted, printed } = await runCli(['create', 'agent', '--framework', 'hono', '--json'], {
      cwd: scratch.path,
      answers: ['2'],
    });
    expect({ noted, printed: JSON.parse(printed) as object }).toMatchObject({
      noted: '',
      printed: { model: 'openai' },
    });

    const asked = await runCli(['create', 'asked', '--framework', 'hono'], {
      cwd: scratch.path,
      answers: ['anthropic', '3', 'sugar', 'hubspot', ''],
    });

    const config = readFileSync(scratch.file('asked/voice-agent.config.ts'), 'utf8');
    expect([...config.matchAll(/(?:zendesk|hubspot)\(\{|v1/g)].map(String)).toEqual(['zendesk({', 'hubspot({', 'v1']);
    expect(readFileSync(scratch.file('asked/src/model.ts'), 'utf8')).toContain('new Anthropic');
    expect(asked.noted).toContain(`HubSpot ${platforms.hubspot.version}. It needs: the service key`);
    expect(asked.noted).toContain('Type default, salesforce or hubspot, or a number.');
  });

  test('writes an agent on LiveKit, without a server and without questions about the model', async () => {
    await using scratch = await makeScratchFolder();
    const livekit = ['create', 'agent', '--framework', 'livekit'];
    const { files, dependencies } = await create([...livekit, '--json'], scratch);

    expect(files).toEqual([
      '.env',
      '.gitignore',
      'README.md',
      'call.ts',
      'package.json',
      'src/agent.ts',
      'src/explain.ts',
      'tsconfig.json',
      'voice-agent.config.ts',
    ]);
    expect(dependencies).toHaveProperty('@livekit/agents');
    expect(dependencies).not.toHaveProperty('openai');
    const refused = await runCli(['create', 'other', '--framework', 'livekit', '--model', 'gemini'], {
      cwd: scratch.path,
    });
    expect({ ...refused, there: readdirSync(scratch.path) }).toMatchObject({ exitCode: 2, there: ['agent'] });
    expect(refused.noted).toContain('--framework livekit speaks with openai');
  });

  test.each(everyChoice())('has at most 12 files, and each command of its README is a script: %s', async (...words) => {
    await using scratch = await makeScratchFolder();
    const { files, scripts } = await create(['create', 'agent', ...words, '--json'], scratch);
    const [block] = blocksOf(readFileSync(scratch.file('agent/README.md'), 'utf8'));
    const commands = (block?.code ?? '')
      .trim()
      .split('\n')
      .map((line) => line.replace(/ *#.*/, ''));

    expect(files.length).toBeLessThanOrEqual(12);
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands.slice(1))
      expect(scripts).toHaveProperty(command === 'npm start' ? 'start' : command.replace('npm run ', ''));
    const config = readFileSync(scratch.file('agent/voice-agent.config.ts'), 'utf8');
    // No part is left to import, and no module is imported twice.
    expect(config).not.toMatch(/from '\.|^ {2}(?:messaging|crm|billing|payments),$/m);
    const modules = [...config.matchAll(/^import (?:type )?\{.+/gm)].map(([line]) => line);
    expect(modules).toEqual([...new Set(modules)].toSorted((one, other) => (fromOf(one) < fromOf(other) ? -1 : 1)));
    const code = files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(scratch.file(`agent/${file}`), 'utf8'));
    for (const [, from = ''] of code.join('\n').matchAll(/ from '\.\.?\/(.+)'|^import '\.\/(.+)'/gm))
      expect(files.some((file) => file.endsWith(from.replace(/^.*\//, '')))).toBe(true);
  });

  test('makes up the secrets, for the person alone', async () => {
    await using scratch = await makeScratchFolder();
    for (const name of ['one', 'other']) await runCli(['create', name], { cwd: scratch.path });
    const [one, other] = ['one', 'other'].map((name) => parseEnv(readFileSync(scratch.file(`${name}/.env`), 'utf8')));

    expect(one?.['AGENT_SECRET']).toMatch(/^[\w-]{32}$/);
    expect(one?.['WEBHOOK_SECRET']).not.toBe(one?.['AGENT_SECRET']);
    expect(other?.['AGENT_SECRET']).not.toBe(one?.['AGENT_SECRET']);
    expect(statSync(scratch.file('one/.env')).mode & 0o077).toBe(0);
  });

  test('writes the same with --json, and names the files', async () => {
    await using scratch = await makeScratchFolder();
    const { printed } = await runCli(['create', 'Mein Agent!', '--framework', 'hono', '--json'], {
      cwd: scratch.path,
    });
    const { files, framework, model } = JSON.parse(printed) as Record<string, string | string[]>;

    expect({ framework, model }).toEqual({ framework: 'hono', model: 'openai' });
    expect(files).toContain('src/server.ts');
    expect(JSON.parse(readFileSync(scratch.file('Mein Agent!/package.json'), 'utf8'))).toHaveProperty(
      'name',
      'mein-agent',
    );
  });

  test('leaves a folder alone that holds something', async () => {
    await using scratch = await makeScratchFolder();
    writeFileSync(scratch.file('mine.txt'), 'mine');
    const { exitCode, noted } = await runCli(['create', '.'], { cwd: scratch.path });

    expect(exitCode).toBe(2);
    expect(noted).toContain('. is not empty');
    expect(readdirSync(scratch.path)).toEqual(['mine.txt']);
  });

  test('an option takes what there is, and says so', async () => {
    await using scratch = await makeScratchFolder();
    const { exitCode, noted } = await runCli(['create', 'agent', '--framework', 'cobol'], { cwd: scratch.path });

    expect(exitCode).toBe(2);
    for (const choice of Object.keys(choices.framework)) expect(noted).toContain(choice);
    expect(readdirSync(scratch.path)).toEqual([]);
  });
});

test.each([
  ["throw new TypeError('a defect')", /TypeError: a defect\n {4}at /],
  [
    "throw Object.assign(new Error('listen EACCES'), { code: 'EACCES', syscall: 'listen' })",
    /^Port 3000 can't be used: .+\n$/,
  ],
  ["throw Object.assign(new Error('open EACCES'), { code: 'EACCES', syscall: 'open' })", /Error: open EACCES\n {4}at /],
  ["fromEnv('KEY')()", /^KEY must be set in the environment.+ Put it into \.env, or run "npm run systems" first\.\n$/],
  [
    "sqlite({ file: '/no/such/folder/x.db' }).idempotencyStore().claim('key', { leaseMs: 1, retainMs: 1 })",
    /^[^\n]+\n$/,
  ],
])('what a person has to fix is a sentence, and a defect keeps its stack: %s', async (code, said) => {
  const program = `
    import '${new URL('../../../templates/shared/src/explain.ts', import.meta.url)}';
    import { fromEnv } from 'voice-agent-integrations/auth';
    import { sqlite } from 'voice-agent-integrations/stores/sqlite';
    ${code};`;
  const fromSource = new URL('../../../scripts/from-source.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', fromSource, '--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);

  expect(printed).toMatch(said);
  expect(exitCode).toBe(1);
});
