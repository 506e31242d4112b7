import { expect, test } from 'vitest';
import { maskPersonalData } from '../../../src/observability/redaction/personal-data.ts';

test.each([
  ['call +14155550100 now', 'call [phone] now'],
  ['call +1 (415) 555-0100 now', 'call [phone] now'],
  ['?phone=%2B14155550100&a=1', '?phone=[phone]&a=1'],
  ['+44 20 7946 0958', '[phone]'],
  ['Ada <ada.lovelace+calls@example.co.uk>, hello', 'Ada <[email]>, hello'],
  ['{"email":"ada@example.com"}', '{"email":"[email]"}'],
  ['?email=ada%40example.com&a=1', '?email=[email]&a=1'],
  ['write to ada@example.com.', 'write to [email].'],
  ['zoë@bücher.example', '[email]'],
  ['a@b.test,c@d.test', '[email],[email]'],
  ['a@b@c.test', 'a@[email]'],
  ['4242 4242 4242 4242', '**** **** **** 4242'],
  ['+14155550100 4242424242424242', '[phone] ************4242'],
  ['', ''],
])('"%s" becomes "%s"', (text, expected) => {
  expect(maskPersonalData(text)).toBe(expected);
});

test.each(['order 12345', '2026-11-21', '1 + 2 = 3', 'user@localhost', '@everyone', 'cus_123', '$42.00'])(
  '"%s" is not personal',
  (text) => {
    expect(maskPersonalData(text)).toBe(text);
  },
);

test.each([
  ['one word', 'a'.repeat(1_000_000)],
  ['at-signs', '@'.repeat(1_000_000)],
  ['dots behind an at-sign', `a@${'.'.repeat(1_000_000)}`],
  ['encoded at-signs', 'a%40'.repeat(250_000)],
  ['almost addresses', 'aaaaaaaaaa@'.repeat(100_000)],
  ['almost phone numbers', '+1 '.repeat(300_000)],
])('a million characters of %s end', (_what, text) => {
  expect(maskPersonalData(text).length).toBeGreaterThan(0);
});
