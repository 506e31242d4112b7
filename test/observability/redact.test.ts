import { expect, test } from 'vitest';
import { maskPersonalData, maskSecrets } from '../../src/observability/redact.ts';

const secret = 's3cr3t/+ "key" of ours';
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['as it is', `Bearer ${secret}!`, 'Bearer [secret]!'],
  ['twice', `${secret}${secret}`, '[secret][secret]'],
  ['in a URL', `?key=${encodeURIComponent(secret)}&a=1`, '?key=[secret]&a=1'],
  [
    'in a URL with small letters',
    `?key=${encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase())}`,
    '?key=[secret]',
  ],
  ['in a form', `key=${encodeURIComponent(secret).replaceAll('%20', '+')}&a=1`, 'key=[secret]&a=1'],
  ['in JSON', JSON.stringify({ key: secret }), '{"key":"[secret]"}'],
])('finds a secret %s', (_where, text, expected) => {
  expect(maskSecrets(text, [secret])).toBe(expected);
});

test.each(['', 'u:', 'user:', 'a longer user:', 'abcd:'])('finds a secret in base64 behind "%s"', (before) => {
  for (const text of [base64(`${before}${secret}`), Buffer.from(`${before}${secret} and on`).toString('base64url')]) {
    const masked = maskSecrets(text, [secret]);
    expect(masked).toContain('[secret]');
    expect(Buffer.from(masked.replace('[secret]', ''), 'base64').toString()).not.toMatch(/s3cr3t|key|ours/);
  }
});

test('masks the longer of two secrets first', () => {
  expect(maskSecrets('abcdef-token', ['abcdef', 'abcdef-token'])).toBe('[secret]');
});

test('an empty secret is none', () => {
  expect(maskSecrets('text', [''])).toBe('text');
  expect(maskSecrets('text', [])).toBe('text');
});

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

test.each([
  ['a letter', 'x'.repeat(26_000)],
  ['anything', Array.from({ length: 30_000 }, (_, at) => String.fromCharCode(33 + (at % 90))).join('')],
])('a secret that is too long for a pattern is masked in every form: %s', (_what, secret) => {
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ];
  for (const form of forms)
    expect(maskSecrets(`<${form}> <short-secret>`, [secret, 'short-secret'])).toMatch(
      /^<\[secret\][\w=+/-]{0,2}> <\[secret\]>$/,
    );
});
