import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { runCli, type TypedOptions } from '../../support/run-cli.ts';

const secret = 'c2VjcmV0LW9mLXRoZS13ZWJob29r';
const env = { WEBHOOK_SECRET: secret };
const body = '{"event":"call.completed"}\n';
const schemes = ['x-signature', 'timestamped', 'standard-webhooks', 'retell'];

const signed = async (words: readonly string[] = [], options: TypedOptions = {}) => {
  const { printed } = await runCli(['webhooks', 'sign', '--json', ...words], { env, input: body, ...options });
  return (JSON.parse(printed) as { readonly headers: Readonly<Record<string, string>> }).headers;
};

const asOptions = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);

describe('webhooks sign and verify', () => {
  test.each(schemes)('agree on %s, and neither prints the secret', async (scheme) => {
    const headers = await signed(['--scheme', scheme]);
    const lines = await runCli(['webhooks', 'sign', '--scheme', scheme], { env, input: body });

    const verified = await runCli(['webhooks', 'verify', '--scheme', scheme, ...asOptions(headers)], {
      env,
      input: body,
    });

    expect(verified).toEqual({ exitCode: 0, printed: 'valid', noted: '' });
    expect(lines.printed.split('\n').map((line) => line.split(':')[0])).toEqual(Object.keys(headers));
    expect(JSON.stringify([lines, verified, headers])).not.toContain(secret);
  });

  test('the header is the one that the interface document asks for', async () => {
    const { exitCode, printed } = await runCli(['webhooks', 'sign'], { env: { WEBHOOK_SECRET: 'key' }, input: 'text' });

    // printf text | openssl dgst -sha256 -hmac key
    const signature = '6afa9046a9579cad143a384c1b564b9a250d27d6f6a63f9f20bf3a7594c9e2c6';
    expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: `x-signature: sha256=${signature}` });
  });

  test.each([
    ['other bytes', { input: body.trim() }, 'mismatch'],
    ['another secret', { env: { WEBHOOK_SECRET: 'another' } }, 'mismatch'],
  ])('%s are not valid, and it ends with 1', async (_, options, reason) => {
    const headers = await signed();

    const { exitCode, printed } = await runCli(['webhooks', 'verify', '--json', ...asOptions(headers)], {
      env,
      input: body,
      ...options,
    });

    expect({ exitCode, verdict: JSON.parse(printed) as unknown }).toEqual({
      exitCode: 1,
      verdict: { valid: false, reason },
    });
  });

  test('an old delivery is valid only as long as is asked for', async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString();
    const headers = await signed(['--scheme', 'timestamped', '--at', at]);
    const verify = (...words: readonly string[]) =>
      runCli(['webhooks', 'verify', '--scheme', 'timestamped', ...asOptions(headers), ...words], { env, input: body });

    expect(await verify()).toMatchObject({ exitCode: 1, printed: expect.stringContaining('not valid: too_old') });
    expect(await verify('--tolerance-seconds', '7200')).toMatchObject({ exitCode: 0, printed: 'valid' });
  });

  test('a header that is missing is named', async () => {
    const { exitCode, printed } = await runCli(['webhooks', 'verify'], { env, input: body });

    expect(exitCode).toBe(1);
    expect(printed).toBe('not valid: missing: no header x-signature: give it with --header');

    const standard = await runCli(
      ['webhooks', 'verify', '--scheme', 'standard-webhooks', '--header', 'webhook-id: msg_1'],
      {
        env,
        input: body,
      },
    );
    expect(standard.printed).toBe(
      'not valid: missing: no header webhook-signature, webhook-timestamp: give it with --header',
    );
  });
});

describe('the secret', () => {
  test('comes from the variable that is named, or from the standard input', async () => {
    await using folder = await makeScratchFolder();
    await writeFile(folder.file('body.json'), body);

    const named = await signed(['--secret-env', 'OTHER'], { env: { OTHER: secret } });
    const piped = await signed(['--secret-stdin', '--body', 'body.json'], {
      env: {},
      input: `${secret}\n`,
      cwd: folder.path,
    });

    expect([named, piped]).toEqual([await signed(), await signed()]);
  });

  test.each([
    ['is nowhere', {}, [], 'WEBHOOK_SECRET is not set'],
    ['would share the standard input with the body', {}, ['--secret-stdin'], 'cannot hold both'],
    ['ends with a line break', { WEBHOOK_SECRET: 'abcdef\n' }, [], 'must not begin or end with white space'],
  ])('that %s is wrong usage', async (_, given, words, message) => {
    const { exitCode, noted } = await runCli(['webhooks', 'sign', ...words], { env: given, input: body });

    expect(exitCode).toBe(2);
    expect(noted).toContain(message);
    expect(noted).not.toContain('abcdef');
  });

  test('a missing body is wrong usage', async () => {
    expect(await runCli(['webhooks', 'sign'], { env })).toMatchObject({
      exitCode: 2,
      noted: expect.stringContaining('there is no body'),
    });
  });
});

describe('webhooks send', () => {
  test('delivers the body with its signature, once', async () => {
    await using server = await startRecordingServer();
    server.answer({ status: 202, json: { got: 'it' } });

    const { exitCode, printed } = await runCli(['webhooks', 'send', `${server.baseUrl}/hook`, '--json'], {
      env,
      input: body,
    });

    expect(exitCode).toBe(0);
    expect(JSON.parse(printed)).toEqual({
      ok: true,
      status: 202,
      durationMs: expect.any(Number),
      body: '{"got":"it"}',
    });
    expect(server.requests).toMatchObject([
      { line: 'POST /hook', headers: await signed(), body: { event: 'call.completed' } },
    ]);
  });

  test('a refusal ends with 1, and what the receiver repeats of the secret is masked', async () => {
    await using server = await startRecordingServer();
    server.answer({ status: 401, json: { expected: secret, phone: '+14155550100' } });

    const { exitCode, printed } = await runCli(['webhooks', 'send', server.baseUrl], { env, input: body });

    expect(exitCode).toBe(1);
    expect(printed).toMatch(/^401 in \d+ ms\n\{"expected":"\[secret\]","phone":"\[phone\]"\}$/);
  });

  test('goes over https, or http on this machine, and nowhere else', async () => {
    const { exitCode, noted } = await runCli(['webhooks', 'send', 'http://hooks.example/in'], { env, input: body });

    expect(exitCode).toBe(2);
    expect(noted).toContain('URL must be an https URL, unless it is on loopback');
  });

  test('a receiver that is not there is one line', async () => {
    const { baseUrl, [Symbol.asyncDispose]: close } = await startRecordingServer();
    await close();

    const { exitCode, noted } = await runCli(['webhooks', 'send', baseUrl], { env, input: body });

    expect({ exitCode, noted }).toEqual({
      exitCode: 1,
      noted:
        'voice-agent-integrations: the receiver could not be reached: ECONNREFUSED (is it running, and is the address right?)',
    });
  });

  test('a receiver that is silent is waited for as long as is said', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { readonly port: number };

    const { exitCode, noted } = await runCli(
      ['webhooks', 'send', `http://127.0.0.1:${port}`, '--timeout-seconds', '0'],
      { env, input: body },
    );
    silent.closeAllConnections();
    silent.close();

    expect(exitCode).toBe(1);
    expect(noted).toContain('did not answer in time (see --timeout-seconds)');
  });
});
