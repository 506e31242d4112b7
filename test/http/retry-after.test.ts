import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/http/retry-after.ts';

const wallNow = Date.UTC(2026, 10, 21, 12, 0, 0);

const wait = (retryAfter: string, date?: string) =>
  retryAfterMs(
    new Map([['retry-after', retryAfter], ...(date === undefined ? [] : [['date', date] as const])]),
    wallNow,
  );

test('says nothing where the server says nothing', () => {
  expect(retryAfterMs(new Map([['date', 'Sat, 21 Nov 2026 12:00:00 GMT']]), wallNow)).toBeUndefined();
});

test.each([
  ['0', 0],
  [' 7 ', 7_000],
  ['0.2', 200],
  ['1e9', 1e12],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
])('understands seconds: "%s"', (text, expected) => {
  expect(wait(text)).toBe(expected);
});

test.each(['', '-1', 'soon', '0x10'])('takes "%s" for the default of one second', (text) => {
  expect(wait(text)).toBe(1_000);
});

test.each([
  ['the form of today', 'Sat, 21 Nov 2026 12:00:05 GMT'],
  ['the form of RFC 850', 'Saturday, 21-Nov-26 12:00:05 GMT'],
  ['the form of C', 'Sat Nov 21 12:00:05 2026'],
  ['ISO 8601', '2026-11-21T13:00:05+01:00'],
  ['a doubled date', 'Sat, 21 Nov 2026 12:00:05 GMT, Sat, 21 Nov 2026 13:00:00 GMT'],
])('understands a date in %s', (_form, text) => {
  expect(wait(text)).toBe(5_000);
});

test('measures a date against the clock of the server that wrote it', () => {
  expect(wait('Sat, 21 Nov 2026 15:00:05 GMT', 'Sat, 21 Nov 2026 15:00:00 GMT')).toBe(5_000);
});

test.each(['', 'yesterday'])('measures a date against our clock where the server’s is "%s"', (date) => {
  expect(wait('Sat, 21 Nov 2026 12:00:05 GMT', date)).toBe(5_000);
});

test('never turns a date of the past into an immediate repetition', () => {
  expect(wait('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(1_000);
});
