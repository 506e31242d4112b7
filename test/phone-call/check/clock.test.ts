import { expect, test } from 'vitest';
import { clockFindings, clockSkewMs } from '../../../src/phone-call/check/clock.ts';

const date = 'Sat, 21 Nov 2026 12:00:00 GMT';
const noon = Date.UTC(2026, 10, 21, 12);
const answer = (aheadMs: number) => ({ sentAt: noon + aheadMs, receivedAt: noon + aheadMs + 1_000, date });

test('the skew is that of the middle between question and answer, and of the middle answer', () => {
  expect(clockSkewMs([answer(0)])).toBe(0);
  expect(clockSkewMs([answer(90_000), answer(0), answer(2_000)])).toBe(2_000);
});

test('without a date in an answer, nothing is known', () => {
  expect(clockSkewMs([])).toBeUndefined();
  expect(clockSkewMs([{ ...answer(0), date: 'yesterday' }])).toBeUndefined();
});

test.each([
  [-4_000, 'ok', "your clock and the API's agree"],
  [-9_000, 'warning', "this machine's clock is 9 s behind the API's"],
  [
    400_000,
    'problem',
    "this machine's clock is 400 s ahead of the API's: signed assertions and webhook signatures will be refused",
  ],
])('%d ms: %s', (skewMs, level, message) => {
  expect(clockFindings([{ api: 'crm', skewMs }])[0]).toMatchObject({ level, about: 'crm', check: 'clock', message });
});

test('an API whose clock is wrong is no problem of a machine that agrees with another one', () => {
  const skews = [
    { api: 'messaging', skewMs: 400 },
    { api: 'crm', skewMs: 3_600_000 },
    { api: 'billing', skewMs: undefined },
  ];

  expect(clockFindings(skews)).toMatchObject([
    { level: 'ok', about: 'messaging' },
    {
      level: 'warning',
      about: 'crm',
      message: "the API's clock is 3600 s behind yours, which agrees with another API's",
    },
  ]);
});
