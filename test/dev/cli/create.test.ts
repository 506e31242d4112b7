import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { choices } from '../../../src/dev/cli/create/choices.ts';
import { runCli } from '../../support/run-cli.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

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
    expect(read('src/crm.ts')).toContain('hubspot()');
    expect(read('src/billing.ts')).toContain('stripe({');
    expect(read('.gitignore')).toContain('.env');
    expect(JSON.parse(read('package.json'))).toMatchObject({
      name: 'my-agent',
      scripts: { systems: expect.stringContaining('--messaging default --crm hubspot --billing stripe') },
      dependencies: { hono: expect.any(String), '@anthropic-ai/sdk': expect.any(String), zod: expect.any(String) },
    });
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
