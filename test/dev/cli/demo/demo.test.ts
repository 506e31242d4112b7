import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../../support/run-cli.ts';
import { makeScratchFolder, type ScratchFolder } from '../../../support/scratch-folder.ts';

const escalation = fileURLToPath(new URL('../../../../src/dev/cli/demo/calls/escalation.json', import.meta.url));

let folder: ScratchFolder;
beforeAll(async () => {
  folder = await makeScratchFolder();
});
afterAll(() => folder.remove());

const written = (text: string): string => {
  const file = folder.file('call.json');
  writeFileSync(file, text);
  return file;
};

test('a platform that is not known is refused with those that are', async () => {
  expect(await runCli(['demo', escalation, '--platforms', 'stirpe'])).toEqual({
    exitCode: 2,
    printed: '',
    noted: 'voice-agent-integrations: --platforms takes intercom, zendesk, salesforce, hubspot, stripe, and not stirpe',
  });
});

test('a call whose expectation fails says which and ends with 1', async () => {
  const call = JSON.parse(readFileSync(escalation, 'utf8'));
  call.expect.team = 'team_sales';

  const { exitCode, printed } = await runCli(['demo', written(JSON.stringify(call))]);

  expect(printed).toContain('✘ it is with team_sales');
  expect(exitCode).toBe(1);
});

describe('a file that is no recorded call is one clear line and ends with 2', () => {
  const refusal = (noted: string) => ({ exitCode: 2, printed: '', noted: `voice-agent-integrations: ${noted}` });

  test('missing', async () => {
    const file = folder.file('none.json');
    expect(await runCli(['demo', file])).toEqual(refusal(`${file} does not exist`));
  });

  test('not JSON', async () => {
    const file = written('{ "title": ');
    expect(await runCli(['demo', file])).toEqual(refusal(`${file} is not JSON`));
  });

  test.each([
    [{ timeZone: 'Mars/Olympus' }, /timeZone must be an IANA time zone/],
    [{ callId: ' ' }, /callId must be/],
    [{ faults: { 'crm.tasks.create': [{ status: 'down' }] } }, /cannot be played: The fault status cannot be down/],
    [{ faults: { 'crm.tasks.burn': ['ok'] } }, /cannot be played: There is no operation crm.tasks.burn/],
  ])('a call that cannot be: %j', async (wrong, line) => {
    const call = JSON.parse(readFileSync(escalation, 'utf8'));
    const { exitCode, noted } = await runCli(['demo', written(JSON.stringify({ ...call, ...wrong }))]);
    expect(noted).toMatch(line);
    expect({ exitCode, lines: noted.split('\n').length }).toEqual({ exitCode: 2, lines: 1 });
  });

  test('something else', async () => {
    const { exitCode, printed, noted } = await runCli(['demo', written('{ "title": "x" }')]);
    expect({ exitCode, printed }).toEqual({ exitCode: 2, printed: '' });
    expect(noted).toMatch(/is not a recorded call: callId: .+$/);
  });
});
