import { expect, test } from 'vitest';
import { isDate, isE164, isEmail, isScalar } from '../../src/core/arguments.ts';

test.each(['+14155550100', '+861234567890123'])('%s is a number in E.164 format', (value) => {
  expect(isE164(value)).toBe(true);
});

test.each(['', '4155550100', '+04155550100', '+1415555010a', '+1234567890123456', '+14155550100\n', '＋14155550100'])(
  '%j is not',
  (value) => {
    expect(isE164(value)).toBe(false);
  },
);

test.each([
  'ada@example.com',
  'ada+calls@mail.example.com',
  'a@b.cd',
  'x_y@xn--bcher-kva.example',
  "!#$%&'*+/=?^_`{|}~-@example.com",
  'jörg@example.de',
  'उपयोगकर्ता@उदाहरण.भारत',
])('%s is an e-mail address', (value) => {
  expect(isEmail(value)).toBe(true);
});

test.each([
  '',
  'ada',
  '@example.com',
  'ada@example',
  'ada@@example.com',
  'ada lovelace@example.com',
  '.ada@example.com',
  'ada.@example.com',
  'a..b@example.com',
  'ada@-example.com',
  'ada@example..com',
  'ada@example.com\n',
  'ada,bob@example.com',
  '"ada"@example.com',
  'ada@[127.0.0.1]',
  'ada@example.com\r\nBcc: x@example.com',
  'a\u0000b@example.com',
  'a\u200bb@example.com',
  'ada@exam_ple.com',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a.'.repeat(130)}com`,
])('%j is not', (value) => {
  expect(isEmail(value)).toBe(false);
});

test.each(['2026-11-21', '2024-02-29'])('%s is a date', (value) => {
  expect(isDate(value)).toBe(true);
});

test.each(['', '2026-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '2026-11-21T00:00:00Z'])('%j is not', (value) => {
  expect(isDate(value)).toBe(false);
});

test.each([
  ['x', true],
  [0, true],
  [false, true],
  [null, true],
  [undefined, false],
  [Number.NaN, false],
  [[], false],
  [{}, false],
])('%j as the value of a field: %s', (value, expected) => {
  expect(isScalar(value)).toBe(expected);
});
