import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/dev/cli/command.ts';
import { commands } from '../../../src/dev/cli/commands.ts';
import { programName } from '../../../src/dev/cli/help.ts';
import { version } from '../../../src/core/version.ts';
import { runCli } from '../../support/run-cli.ts';

/** A command that does something else. */
const standIn = (run: Command['run']): readonly Command[] =>
  commands.filter(({ name }) => name === 'doctor').map((command) => ({ ...command, run }));

describe('the help', () => {
  test('lists every command, and is what is shown without one', async () => {
    const asked = await runCli(['--help']);
    const nothing = await runCli([]);

    expect(commands.filter(({ name }) => !asked.printed.includes(`  ${name}  `))).toEqual([]);
    expect(asked.exitCode).toBe(0);
    expect(nothing).toEqual({ exitCode: 2, printed: '', noted: asked.printed });
  });

  test.each(commands.map((command) => [command.name, command] as const))(
    'of %s names its options and shows examples that are typed like it',
    async (name, { options = {}, examples }) => {
      const { exitCode, printed } = await runCli([...name.split(' '), '--help']);

      expect(exitCode).toBe(0);
      expect(Object.keys({ ...options, json: 1, help: 1 }).filter((one) => !printed.includes(`--${one}`))).toEqual([]);
      expect(examples.length).toBeGreaterThan(0);
      for (const { command } of examples) expect(command).toContain(`npx ${programName} ${name}`);
      expect(printed.split('\n').filter((line) => line.length > 100 && !line.includes(`npx ${programName}`))).toEqual(
        [],
      );
    },
  );

  test('of several commands that begin alike lists these', async () => {
    const { exitCode, printed } = await runCli(['webhooks']);

    expect(exitCode).toBe(0);
    expect(printed.match(/webhooks \w+/g)).toEqual(
      expect.arrayContaining(['webhooks sign', 'webhooks verify', 'webhooks send']),
    );
    expect(printed).not.toContain('doctor');
  });

  test.each([[['-h']], [['help']]])('is also %j', async (words) => {
    expect(await runCli(words)).toEqual(await runCli(['--help']));
  });

  test.each([
    [
      ['help', 'doctor'],
      ['doctor', '--help'],
    ],
    [
      ['doctor', '-h'],
      ['doctor', '--help'],
    ],
    [
      ['help', 'webhooks', 'sign'],
      ['webhooks', 'sign', '--help'],
    ],
    [
      ['help', 'webhooks'],
      ['webhooks', '--help'],
    ],
  ])('of %j is that of %j', async (words, same) => {
    const { exitCode, printed } = await runCli(words);

    expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: (await runCli(same)).printed });
    expect(printed).not.toBe((await runCli(['--help'])).printed);
  });

  test.each([[['--version']], [['-v']]])('%j says the version', async (words) => {
    expect(await runCli(words)).toEqual({ exitCode: 0, printed: version, noted: '' });
  });
});

describe('what is typed wrongly is one line with a hint, and ends with 2', () => {
  test.each([
    [['webhook', 'sign'], 'there is no command "webhook sign" (did you mean webhooks sign?)'],
    [['-x'], 'there is no command "-x" (npx voice-agent-integrations --help lists them)'],
    [['help', 'docter'], 'there is no command "docter" (did you mean doctor?)'],
    [['xyzzy'], 'there is no command "xyzzy" (npx voice-agent-integrations --help lists them)'],
    [['doctor', '--strickt'], 'doctor has no option --strickt (did you mean --strict?)'],
    [['sandbox', '--modle'], 'sandbox has no option --modle (did you mean --model?)'],
    [['sandbox', '--mode', 'crm=documneted'], 'there is no mode "documneted" for crm (did you mean documented?)'],
    [['webhooks', 'sign', '--scheme', 'X-signature'], 'there is no scheme "X-signature" (did you mean x-signature?)'],
    [['create', 'agent', '--crm', 'hubsopt'], expect.stringContaining('(did you mean hubspot?)')],
    [['doctor', 'now'], 'doctor does not know what to do with "now"'],
    [
      ['tools', 'print', '--target', 'openai-realtim'],
      'there is no target "openai-realtim" (did you mean openai-realtime?)',
    ],
    [['sandbox', '--crm', 'sugar'], '--crm must be default or salesforce or hubspot'],
    [['console', '--port', '99999'], '--port must be at most 65535'],
    [
      ['webhooks', 'send', 'http://127.0.0.1:9', '--timeout-seconds', '9999999'],
      '--timeout-seconds must be at most 86400',
    ],
    [['dead-letters', 'list', '--group', ''], '--group is empty (is a variable not set?)'],
    [['sandbox', '--crm-port', 'high'], '--crm-port must be a whole number'],
    [['sandbox', '--fault', 'crm=burn'], expect.stringContaining('there is no fault "burn" (it is one of ok, 503')],
    [['sandbox', '--fault', 'crm.burn=503'], expect.stringContaining('There is no operation crm.burn')],
    [['webhooks', 'send'], 'webhooks send needs URL (Where the receiver listens: https, or http on this machine)'],
    [['dead-letters', 'redrive'], 'say which dead letters are meant (ids, or --all, or --since TIME)'],
  ])('%j', async (words, line) => {
    const { exitCode, printed, noted } = await runCli(words);

    expect({ exitCode, printed }).toEqual({ exitCode: 2, printed: '' });
    expect(noted.split('\n')).toHaveLength(1);
    expect(noted.slice('voice-agent-integrations: '.length)).toEqual(line);
  });

  test.each([['--secret=s3cr3t-value'], ['--secret'], ['--token=s3cr3t-value'], ['--api-key=s3cr3t-value']])(
    'a secret is not taken from the command line: %s',
    async (option) => {
      const { exitCode, noted } = await runCli(['webhooks', 'sign', option, 's3cr3t-value']);

      expect(exitCode).toBe(2);
      expect(noted).toContain('every process of this machine can read a command line');
      expect(noted).not.toContain('s3cr3t-value');
    },
  );
});

describe('an error', () => {
  test('is JSON for programs', async () => {
    const { exitCode, printed, noted } = await runCli(['dead-letters', 'redrive', '--json']);

    expect({ exitCode, printed }).toEqual({ exitCode: 2, printed: '' });
    expect(JSON.parse(noted)).toEqual({
      error: {
        exitCode: 2,
        message: 'say which dead letters are meant',
        hint: 'ids, or --all, or --since TIME',
      },
    });
  });

  const broken = standIn(() => Promise.reject(new Error('broken\nwith Bearer abcdefghijklmnop and hunter2-hunter2')));
  const env = { DB_PASSWORD: 'hunter2-hunter2' };

  test('that is a defect shows no stack and no secret', async () => {
    expect(await runCli(['doctor'], { commands: broken, env })).toEqual({
      exitCode: 70,
      printed: '',
      noted: 'voice-agent-integrations: broken with Bearer [secret] and [secret] (DEBUG=1 shows where)',
    });
  });

  test('shows its stack with DEBUG, without secrets too', async () => {
    const { noted } = await runCli(['doctor'], { commands: broken, env: { ...env, DEBUG: '1' } });

    expect(noted).toMatch(/\nError: broken\nwith Bearer \[secret\] and \[secret\]\n\s+at .+run\.test\.ts/);
  });
});

test('Ctrl-C ends a command that hangs, with 130', async () => {
  const hanging = standIn(() => new Promise<never>(() => {}));

  expect(await runCli(['doctor'], { commands: hanging, signal: AbortSignal.abort() })).toEqual({
    exitCode: 130,
    printed: '',
    noted: '',
  });
});
