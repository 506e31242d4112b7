import { existsSync, statSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../support/run-cli.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

const billing = (id: string) =>
  `BILLING_BASE_URL=https://${id}.example\nBILLING_API_KEY=k\nBILLING_VERSION=v1\nBILLING_PAYMENTS_BELOW=5\n`;
const toolsIn = (cwd: string, words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  runCli(['tools', 'print', '--target', 'openai-chat', ...words], { cwd, env: { ...env } });

describe('a command reads', () => {
  test.each([
    ['.env', ['.env'], []],
    ['.env.sandbox, without another', ['.env.sandbox'], []],
    ['the file that is named', ['mine'], ['--env-file', 'mine']],
  ])('%s', async (_, files, words) => {
    await using folder = await makeScratchFolder();
    for (const file of files) await writeFile(folder.file(file), billing('a'));

    const { exitCode, printed } = await toolsIn(folder.path, words);

    expect(exitCode).toBe(0);
    expect(printed).toContain('lookup_customer_invoices');
  });

  test('no API of .env.sandbox if .env has one', async () => {
    await using folder = await makeScratchFolder();
    await writeFile(folder.file('.env'), billing('a'));
    await writeFile(folder.file('.env.sandbox'), 'CRM_BASE_URL=https://c.example\nCRM_TOKEN=t\nCRM_VERSION=60.0\n');

    expect((await toolsIn(folder.path)).printed).not.toContain('qualify_lead');
  });

  test('what the environment has rather than what a file says', async () => {
    await using folder = await makeScratchFolder();
    await writeFile(folder.file('.env'), billing('a'));

    expect(await toolsIn(folder.path, [], { BILLING_PAYMENTS_BELOW: 'many' })).toMatchObject({ exitCode: 3 });
  });
});

test('a file that is not there ends with 3', async () => {
  expect(await toolsIn('/', ['--env-file', 'mine'])).toEqual({
    exitCode: 3,
    printed: '',
    noted: 'voice-agent-integrations: mine does not exist',
  });
});

describe('the sandbox', () => {
  const startIn = (cwd: string) => {
    const ctrlC = new AbortController();
    const started = Promise.withResolvers<void>();
    const running = runCli(['sandbox', '--json', '--write', '.env.sandbox'], {
      cwd,
      signal: ctrlC.signal,
      onPrint: () => started.resolve(),
    });
    return { started: started.promise, end: () => (ctrlC.abort(), running) };
  };

  test('writes its variables to a file and removes it when it ends', async () => {
    await using folder = await makeScratchFolder();
    const { started, end } = startIn(folder.path);
    await started;

    expect(await readFile(folder.file('.env.sandbox'), 'utf8')).toMatch(
      /^BILLING_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/m,
    );
    expect((await toolsIn(folder.path)).printed).toContain('qualify_lead');
    expect(await end()).toMatchObject({
      exitCode: 0,
      noted: 'The sandbox is running. Its variables are in .env.sandbox. Ctrl-C ends it.',
    });
    expect(existsSync(folder.file('.env.sandbox'))).toBe(false);
  });

  test.each([0o644, 0o666, 0o400, 0o777])(
    'keeps its credentials from others, even in a file of mode %o',
    async (mode) => {
      await using folder = await makeScratchFolder();
      const first = startIn(folder.path);
      await first.started;
      expect(modeOf(folder.file('.env.sandbox'))).toBe('600');
      await chmod(folder.file('.env.sandbox'), mode);
      const second = startIn(folder.path);
      await second.started;

      expect(modeOf(folder.file('.env.sandbox'))).toBe('600');
      await Promise.all([first.end(), second.end()]);
    },
  );

  test('takes over the file of an earlier sandbox, which then leaves it', async () => {
    await using folder = await makeScratchFolder();
    const first = startIn(folder.path);
    await first.started;
    const second = startIn(folder.path);
    await second.started;
    await first.end();

    expect(existsSync(folder.file('.env.sandbox'))).toBe(true);
    await second.end();
    expect(existsSync(folder.file('.env.sandbox'))).toBe(false);
  });

  test('never overwrites a file of yours', async () => {
    await using folder = await makeScratchFolder();
    await writeFile(folder.file('.env'), 'MINE=1\n');

    const { exitCode, noted } = await runCli(['sandbox', '--write', '.env'], { cwd: folder.path });

    expect({ exitCode, noted }).toEqual({
      exitCode: 2,
      noted:
        'voice-agent-integrations: .env is there already, and no sandbox wrote it (name another file, such as .env.sandbox)',
    });
    expect(await readFile(folder.file('.env'), 'utf8')).toBe('MINE=1\n');
  });
});

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
