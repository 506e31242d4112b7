import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const calls = join(root, 'src/dev/cli/demo/calls');

const demo = (file: string, ...flags: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/dev/cli/main.js', 'demo', file, ...flags], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: '1' },
  });
  return { status, stdout, stderr };
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const written = (text: string): string => {
  const file = join(folder, 'call.json');
  writeFileSync(file, text);
  return file;
};

describe('a recorded call', () => {
  test.each([
    ['billing-question', 'invoice inv_101 was charged 120.5, once'],
    ['two-invoices', 'invoice inv_202 was charged 35, once'],
    ['new-prospect', 'the CRM has 2 leads, none twice'],
    ['escalation', 'it is with team_support'],
  ])('%s plays through all its faults, and everything holds: %s', (name, what) => {
    const { status, stdout, stderr } = demo(name);
    expect(stderr).toBe('');
    expect(stdout).toContain(`✔ ${what}`);
    expect(stdout).toContain('✔ every planned fault happened');
    expect(stdout).not.toContain('✘');
    expect(stdout).not.toContain('\u001b[');
    expect(status).toBe(0);
  });

  test.each([
    ['intercom,salesforce', 'billing-question'],
    ['intercom,salesforce', 'two-invoices'],
    ['intercom,salesforce', 'new-prospect'],
    ['intercom,salesforce', 'escalation'],
    ['stripe', 'two-invoices'],
    ['intercom,salesforce,stripe', 'new-prospect'],
    ['zendesk,hubspot,stripe', 'billing-question'],
    ['zendesk,hubspot,stripe', 'two-invoices'],
    ['zendesk,hubspot,stripe', 'new-prospect'],
    ['zendesk,hubspot,stripe', 'escalation'],
  ])('on %s, %s plays through all its faults, and everything holds', (platforms, name) => {
    const { status, stdout, stderr } = demo(name, '--platforms', platforms);
    expect(stderr).toBe('');
    expect(stdout).toContain('✔ every planned fault happened');
    expect(stdout).not.toContain('✘');
    expect(status).toBe(0);
  });

  test('on a platform that is not known says which are', () => {
    const { status, stderr } = demo(join(calls, 'escalation.json'), '--platforms', 'stirpe');
    expect(stderr).toBe(
      'voice-agent-integrations: --platforms takes intercom, zendesk, salesforce, hubspot, stripe, and not stirpe\n',
    );
    expect(status).toBe(2);
  });

  test('whose expectation fails says which and ends with 1', () => {
    const call = JSON.parse(readFileSync(join(calls, 'escalation.json'), 'utf8'));
    call.expect.team = 'team_sales';
    const { status, stdout } = demo(written(JSON.stringify(call)));
    expect(stdout).toContain('✘ it is with team_sales');
    expect(status).toBe(1);
  });
});

describe('a file that is no recorded call is one clear line and ends with 2', () => {
  test('missing', () => {
    const file = join(folder, 'none.json');
    expect(demo(file)).toEqual({ status: 2, stdout: '', stderr: `voice-agent-integrations: ${file} does not exist\n` });
  });

  test('not JSON', () => {
    const file = written('{ "title": ');
    expect(demo(file)).toEqual({ status: 2, stdout: '', stderr: `voice-agent-integrations: ${file} is not JSON\n` });
  });

  test.each([
    [{ timeZone: 'Mars/Olympus' }, /timeZone must be an IANA time zone/],
    [{ callId: ' ' }, /callId must be/],
    [{ faults: { 'crm.tasks.create': [{ status: 'down' }] } }, /cannot be played: The fault status cannot be down/],
    [{ faults: { 'crm.tasks.burn': ['ok'] } }, /cannot be played: There is no operation crm.tasks.burn/],
  ])('a call that cannot be: %j', (wrong, line) => {
    const call = JSON.parse(readFileSync(join(calls, 'escalation.json'), 'utf8'));
    const { status, stderr } = demo(written(JSON.stringify({ ...call, ...wrong })));
    expect(stderr).toMatch(line);
    expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 2, lines: 1 });
  });

  test('something else', () => {
    const file = written('{ "title": "x" }');
    const { status, stdout, stderr } = demo(file);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/is not a recorded call: callId: .+\n$/);
  });
});
