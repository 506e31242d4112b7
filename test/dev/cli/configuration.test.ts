import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { runCli } from '../../support/run-cli.ts';

const toolsOf = async (cwd: string, words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  runCli(['tools', 'print', '--target', 'openai-chat', ...words], { cwd, env });

const billing = `{ baseUrl: 'https://b.example', authenticate: { read: async () => ({ headers: {}, secrets: [] }), renew: async () => ({ headers: {}, secrets: [] }) }, version: 'in-base-url' }`;

describe('a configuration module', () => {
  test.each([
    ['voice-agent.config.js', 'in this folder', []],
    ['voice-agent.config.ts', 'in this folder, in TypeScript', []],
    ['other.mjs', 'that is named', ['--config', 'other.mjs']],
  ])('%s is read %s', async (name, _, words) => {
    await using folder = await makeScratchFolder();
    await writeFile(folder.file('package.json'), '{"type":"module"}');
    await writeFile(folder.file(name), `export default { billing: ${billing} };`);

    const { exitCode, printed } = await toolsOf(folder.path, words);

    expect(exitCode).toBe(0);
    expect(printed).toContain('lookup_customer_invoices');
    expect(printed).not.toContain('add_note');
  });

  test('whose calls wait in a queue is read, and the command writes none of them', async () => {
    await using folder = await makeScratchFolder();
    const queue = `{ consume: () => { throw new Error('this process works the queue') } }`;
    await writeFile(folder.file('a.mjs'), `export default { billing: ${billing}, finishLater: { queue: ${queue} } };`);

    expect(await toolsOf(folder.path, ['--config', 'a.mjs'])).toMatchObject({ exitCode: 0 });
  });

  test('may export a function that gives the options later', async () => {
    await using folder = await makeScratchFolder();
    await writeFile(folder.file('a.mjs'), `export default async () => ({ billing: ${billing} });`);

    expect(await toolsOf(folder.path, ['--config', 'a.mjs'])).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ['is not there', undefined, 'a.mjs does not exist'],
    ['is broken', 'export default {', 'a.mjs cannot be loaded'],
    [
      'whose function throws',
      "export default () => { throw new Error('no vault') }",
      'a function of a.mjs failed: no vault',
    ],
    ['imports a package that is missing', "import 'no-such-package'", '(npm install no-such-package)'],
    ['exports nothing', '', 'a.mjs does not export the options of an integration'],
    [
      'exports an integration',
      'export default { startPhoneCall() {}, messaging: {} }',
      'a.mjs exports an integration (export the options that createIntegration is given)',
    ],
    [
      'has options that cannot work',
      `export default { billing: { ...${billing}, baseUrl: 'http://b.example' } }`,
      'baseUrl must be an https URL',
    ],
  ])('that %s ends with 3', async (_, text, message) => {
    await using folder = await makeScratchFolder();
    if (text !== undefined) await writeFile(folder.file('a.mjs'), text);

    const { exitCode, printed, noted } = await toolsOf(folder.path, ['--config', 'a.mjs']);

    expect({ exitCode, printed }).toEqual({ exitCode: 3, printed: '' });
    expect(noted).toContain(message);
    expect(noted.split('\n')).toHaveLength(1);
  });
});

describe('the environment', () => {
  test.each([
    [{ MESSAGING_BASE_URL: 'https://m.example' }, 'MESSAGING_ADMIN_ID is not set: the admin that acts for the agent'],
    [{ CRM_BASE_URL: 'https://c.example' }, 'CRM_TOKEN is not set'],
    [
      { CRM_BASE_URL: 'http://c.example', CRM_TOKEN: 'x', CRM_VERSION: '60.0' },
      'CRM_BASE_URL must be an https URL, unless it is on loopback (for plain http, write a voice-agent.config.js with allowInsecure: true)',
    ],
    [
      { CRM_BASE_URL: 'https://c.example', CRM_TOKEN: 'x', CRM_DIALECT: 'sugar' },
      'CRM_DIALECT must be default or salesforce',
    ],
    [{ BILLING_BASE_URL: 'https://b.example', BILLING_API_KEY: 'x' }, 'BILLING_PAYMENTS_BELOW is not set'],
  ])('that names half of an API ends with 3: %j', async (env, message) => {
    await using folder = await makeScratchFolder();

    expect(await toolsOf(folder.path, [], env)).toMatchObject({ exitCode: 3, noted: expect.stringContaining(message) });
  });

  test('is asked for everything that is missing at once', async () => {
    await using folder = await makeScratchFolder();
    const env = { CRM_BASE_URL: 'https://c.example', BILLING_DIALECT: 'stripe', BILLING_API_KEY: 'x' };

    const { exitCode, noted } = await toolsOf(folder.path, [], env);

    expect({ exitCode, noted }).toEqual({
      exitCode: 3,
      noted:
        'voice-agent-integrations: CRM_TOKEN is not set: its bearer token; not for Salesforce with CRM_CLIENT_ID; CRM_VERSION is not set: the pinned version; for Salesforce 60.0 by default, for HubSpot 2026-09; BILLING_PAYMENTS_BELOW is not set: every payment must be below it; BILLING_CURRENCY is not set: the currency of payments, such as `EUR`; for Stripe (set them together with CRM_BASE_URL, BILLING_BASE_URL)',
    });
  });

  test('can stand for the presets', async () => {
    await using folder = await makeScratchFolder();
    const env = {
      MESSAGING_DIALECT: 'intercom',
      MESSAGING_TOKEN: 'token',
      MESSAGING_ADMIN_ID: '1',
      CRM_DIALECT: 'salesforce',
      CRM_BASE_URL: 'https://c.example',
      CRM_TOKEN: 'token',
    };

    const { exitCode, printed } = await toolsOf(folder.path, [], env);

    expect(exitCode).toBe(0);
    expect(printed).toContain('add_note');
    expect(printed).toContain('log_call');
  });
});

test('without any, a command that needs one says where it looked', async () => {
  await using folder = await makeScratchFolder();

  const { exitCode, noted } = await runCli(['doctor'], { cwd: folder.path });

  expect(exitCode).toBe(3);
  expect(noted).toContain('no voice-agent.config.js in this folder, and no MESSAGING_BASE_URL');
  expect(noted).toContain('(name a file with --config)');
});
