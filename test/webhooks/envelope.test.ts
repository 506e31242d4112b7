import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readDataEnvelope, readEnvelope } from '../../src/webhooks/envelope.ts';
import { parseTimestamp } from '../../src/core/timestamp.ts';

const about = { url: new URL('https://hook.test/voice-events/v2'), headers: new Headers() };

it.each([
  ['type', { type: 'a', version: 1 }, { type: 'a', version: '1' }],
  ['topic', { topic: 'a' }, { type: 'a', version: '2' }],
])('the usual envelope has the name of the event under %s', (_, body, expected) => {
  expect(readEnvelope(body, about)).toEqual({ ...expected, occurredAt: undefined, payload: body });
});

it('the envelope of an outbox holds id and data', () => {
  const body = {
    id: 'call_1:completed',
    type: 'call.completed',
    version: 1,
    timestamp: '2026-11-21T10:00:00Z',
    data: { a: 1 },
  };

  expect(readDataEnvelope(body, about)).toEqual({
    type: 'call.completed',
    version: '1',
    id: 'call_1:completed',
    occurredAt: Date.UTC(2026, 10, 21, 10),
    payload: { a: 1 },
  });
  expect([{}, { id: '' }, { id: 7 }].map((more) => readDataEnvelope({ type: 'a', ...more }, about))).toEqual(
    [1, 2, 3].map(() => ({ type: 'a', version: '2', id: undefined, occurredAt: undefined, payload: undefined })),
  );
});

it.each([
  ['/voice-events/v12', '12'],
  ['/voice-events/v3/', '3'],
  ['/v3/voice-events', undefined],
  ['/v', undefined],
  ['/x3', undefined],
])('the version of the path %s is %s', (path, version) => {
  const url = new URL(path, 'https://hook.test');

  expect(readEnvelope({ type: 'a' }, { ...about, url })).toMatchObject({ version });
});

it.each([[undefined], [null], [[{ type: 'a' }]], [{}], [{ type: 7 }]])('%j has no envelope', (body) => {
  expect([readEnvelope(body, about), readDataEnvelope(body, about)]).toEqual([undefined, undefined]);
});

it.each([
  [1_790_000_000, 1_790_000_000_000],
  [1_790_000_000_000, 1_790_000_000_000],
  ['2026-11-21', Date.UTC(2026, 10, 21)],
  ['2026-11-21T10:00:00.5+01:00', Date.UTC(2026, 10, 21, 9, 0, 0, 500)],
  ['2026-11-21 10:00:00.123456+00', Date.UTC(2026, 10, 21, 10, 0, 0, 123)],
  ['2026-11-21T10:00:00-0730', Date.UTC(2026, 10, 21, 17, 30)],
  ['2026-11-21T10:00:00+01', Date.UTC(2026, 10, 21, 9)],
  ['2026-11-21T10:00:00Z', Date.UTC(2026, 10, 21, 10)],
  ['2026-11-21T10:00:00', Date.UTC(2026, 10, 21, 10)],
  ['tomorrow', undefined],
  ['Sat, 21 Nov 2026 10:00:00 GMT', Date.UTC(2026, 10, 21, 10)],
  ['1790000000', 1_790_000_000_000],
  ['2026-13-45', undefined],
  [Number.NaN, undefined],
])('the moment %j is %j', (value, moment) => {
  expect(parseTimestamp(value)).toBe(moment);
});

it('a time without a zone is UTC, wherever the receiver runs', () => {
  const program = `import { parseTimestamp } from '${new URL('../../src/core/timestamp.ts', import.meta.url).href}';
    console.log(parseTimestamp('2026-11-21T10:00:00'));`;
  const env = { ...process.env, TZ: 'America/Los_Angeles' };

  const told = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { env, encoding: 'utf8' });

  expect(Number(told)).toBe(Date.UTC(2026, 10, 21, 10));
});
