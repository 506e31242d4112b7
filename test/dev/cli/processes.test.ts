import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startCli } from '../../support/cli-process.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

const seeded = 'seeded-secret-4f9c2ab7';

const environmentOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

describe('the sandbox as a process', () => {
  test('serves the doctor, and ends cleanly at Ctrl-C', async () => {
    await using sandbox = startCli(['sandbox', '--crm', 'salesforce']);
    await sandbox.hasPrinted(/^BILLING_PAYMENTS_BELOW=.+\n/m);
    const env = environmentOf(sandbox.printed());

    const doctor = await startCli(['doctor'], { env }).end;
    sandbox.interrupt();

    expect(doctor).toMatchObject({ exitCode: 0, noted: '', printed: expect.stringContaining('No problems') });
    expect(await sandbox.end).toMatchObject({ exitCode: 0, noted: 'The sandbox is running. Ctrl-C ends it.\n' });
  });
});

test('no output holds a secret, whatever goes wrong', async () => {
  await using sandbox = startCli(['sandbox', '--json']);
  await sandbox.hasPrinted(/\n/);
  const env: Readonly<Record<string, string>> = {
    ...(JSON.parse(sandbox.printed()) as Record<string, string>),
    MESSAGING_TOKEN: seeded,
    CRM_TOKEN: seeded,
    BILLING_API_KEY: seeded,
    WEBHOOK_SECRET: seeded,
    DEBUG: '1',
  };
  const url = env['CRM_BASE_URL'] ?? '';
  const runs = [
    ['doctor'],
    ['doctor', '--json'],
    ['tools', 'print', '--target', 'openai-realtime'],
    ['webhooks', 'sign'],
    ['webhooks', 'verify', '--header', 'x-signature: sha256=00'],
    ['webhooks', 'send', url],
    ['webhooks', 'send', `http://user:${seeded}@127.0.0.1/`],
    ['webhooks', 'sign', `--secret=${seeded}`],
  ].map((words) => startCli(words, { env, input: '{}' }).end);

  const ends = await Promise.all(runs);

  expect(ends.map(({ exitCode }) => exitCode)).toEqual([1, 1, 0, 0, 1, 1, 2, 2]);
  expect(ends.filter(({ printed, noted }) => `${printed}${noted}`.includes(seeded))).toEqual([]);
});

test('what is not a terminal gets no colours and no progress', async () => {
  const { printed, noted, exitCode } = await startCli(['demo']).end;

  expect(exitCode).toBe(0);
  expect(printed).toContain('✔ invoice inv_101 was charged 120.5, once');
  expect(`${printed}${noted}`).not.toContain('\u001b');
});

test('colours can be turned on and off', async () => {
  const verify = ['webhooks', 'verify'];
  const env = { WEBHOOK_SECRET: 'x' };
  const [coloured, plain] = await Promise.all([
    startCli(verify, { env: { ...env, FORCE_COLOR: '1' } }).end,
    startCli(verify, { env: { ...env, NO_COLOR: '1' } }).end,
  ]);

  expect(coloured.printed).toContain('\u001b[31mnot valid');
  expect(plain.printed).toMatch(/^not valid: missing/);
});

test('a reader that goes away ends the output, and nothing else', async () => {
  const { exitCode, noted } = await startCli(['tools', 'print', '--target', 'openai-chat', '--json'], { unread: true })
    .end;

  expect({ exitCode, noted }).toEqual({ exitCode: 0, noted: '' });
});

test('Ctrl-C ends a command that waits for an API', async () => {
  const asked = Promise.withResolvers<void>();
  const silent = createServer(() => asked.resolve());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { readonly port: number };
  await using doctor = startCli(['doctor'], {
    env: { CRM_BASE_URL: `http://127.0.0.1:${port}`, CRM_TOKEN: 'token', CRM_VERSION: '60.0' },
  });
  await asked.promise;

  doctor.interrupt();

  expect(await doctor.end).toMatchObject({ exitCode: 130, noted: '' });
  silent.closeAllConnections();
  silent.close();
});

test('the console opens with its address alone, and ends cleanly at Ctrl-C', async () => {
  await using folder = await makeScratchFolder();
  await using local = startCli(['console', '--json'], { cwd: folder.path });
  await local.hasPrinted(/\n/);
  const { url } = JSON.parse(local.printed()) as { readonly url: string };

  const entered = await fetch(url, { redirect: 'manual' });
  const strangers = await fetch(new URL('/', url), { redirect: 'manual' });
  local.interrupt();

  expect([entered.status, strangers.status]).toEqual([303, 401]);
  expect(await local.end).toMatchObject({ exitCode: 0 });
});

test.each([
  [['doctor', '--unknown'], 2],
  [['doctor', '--config', 'gone.js'], 3],
  [['dead-letters', 'list', '--sqlite', 'gone.db'], 3],
])('%j ends with %d and one line', async (words, exitCode) => {
  const ended = await startCli(words).end;

  expect({ exitCode: ended.exitCode, printed: ended.printed }).toEqual({ exitCode, printed: '' });
  expect(ended.noted).toMatch(/^voice-agent-integrations: [^\n]+\n$/);
});
