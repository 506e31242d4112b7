import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const cwd = fileURLToPath(new URL('../', import.meta.url));
const all = ['billing-question', 'two-invoices', 'new-prospect', 'escalation'];

/** Plays calls one after the other in one process. Rejects when one of its checks fails. */
const demo = (calls: readonly string[], ...flags: readonly string[]) =>
  promisify(execFile)(process.execPath, ['dist/dev/cli/main.js', 'demo', ...calls, ...flags], {
    cwd,
    env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: '1' },
  });

const howOften = (stdout: string, line: string) => stdout.split(line).length - 1;

// Most of a call is waiting for systems that misbehave.
describe.concurrent('recorded calls play through all their faults, and everything holds', () => {
  test('on the default APIs', async () => {
    const { stdout, stderr } = await demo(all);

    expect(stderr).toBe('');
    for (const what of [
      'invoice inv_101 was charged 120.5, once',
      'invoice inv_202 was charged 35, once',
      'the CRM has 2 leads, none twice',
      'it is with team_support',
    ])
      expect(stdout).toContain(`✔ ${what}`);
    expect(howOften(stdout, '✔ every planned fault happened')).toBe(all.length);
    expect(stdout).not.toContain('✘');
    expect(stdout).not.toContain('\u001b[');
  });

  test.each([
    ['intercom,salesforce', all],
    ['stripe', ['two-invoices']],
    ['intercom,salesforce,stripe', ['new-prospect']],
    ['zendesk,hubspot,stripe', all],
  ])('on %s', async (platforms, calls) => {
    const { stdout, stderr } = await demo(calls, '--platforms', platforms);

    expect(stderr).toBe('');
    expect(howOften(stdout, '✔ every planned fault happened')).toBe(calls.length);
    expect(stdout).not.toContain('✘');
  });
});
