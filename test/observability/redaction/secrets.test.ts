import { describe, expect, test } from 'vitest';
import { maskSecretLooks, maskSecrets, maskStackTraces } from '../../../src/observability/redaction/secrets.ts';

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

describe('masks a secret by its look', () => {
  test.each([
    ['Bearer abc.def-123456', 'Bearer [secret]'],
    ['Authorization: Bearer abc.def-123456', 'Authorization: Bearer [secret]'],
    ['basic dXNlcjpwYXNzd29yZA==', 'basic [secret]'],
    ['got eyJhbGciOiJI.eyJzdWIi.c2ln back', 'got [secret] back'],
    ['bad key sk_live_51H8x', 'bad key [secret]'],
    ['sk-proj-abcdefgh12345678', '[secret]'],
    ['AKIAIOSFODNN7EXAMPLE', '[secret]'],
    ['connect postgres://root:hunter2@localhost/x failed', 'connect postgres://[secret]@localhost/x failed'],
    ['connect postgres://root:hun/ter@2@localhost/x', 'connect postgres://[secret]@localhost/x'],
    ['redis://:hunter2@10.0.0.1:6379', 'redis://[secret]@10.0.0.1:6379'],
    ['/hook?token=abc123&id=1', '/hook?token=[secret]&id=1'],
    ['Server=db;User Id=sa;Password=hunter2;Database=x', 'Server=db;User Id=sa;Password=[secret];Database=x'],
    ['the password is hunter2', 'the password is [secret]'],
    ['password: hunter2, user: root', 'password: [secret], user: root'],
    ["DB_PASSWORD='correct horse battery' is wrong", "DB_PASSWORD='[secret]' is wrong"],
    ['{"clientSecret":"s3 cr3t","id":1}', '{"clientSecret":"[secret]","id":1}'],
    ['{\\"api_key\\":\\"abc def\\",\\"id\\":1}', '{\\"api_key\\":\\"[secret]\\",\\"id\\":1}'],
    ['the PIN is 1234 and the CVV: 737', 'the PIN is [secret] and the CVV: [secret]'],
    ['credentials are admin/hunter2', 'credentials are [secret]'],
    ['taxpayer 078-05-1120 is unknown', 'taxpayer [ssn] is unknown'],
    ['SSN 078051120, social security number is 078 05 1120', 'SSN [ssn], social security number is [ssn]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- was read', '[secret] was read'],
  ])('%j', (text, expected) => {
    expect(maskSecretLooks(text)).toBe(expected);
    expect(maskSecretLooks(expected)).toBe(expected);
  });
});

describe('leaves an ordinary sentence alone', () => {
  test.each([
    'the token is expired',
    'Invalid token: expired',
    'password is required',
    'password must have at least 8 characters',
    'authorization: denied',
    'the PIN is wrong',
    'the secret is not set',
    'messaging.contacts.get',
    'https://api.example.com:8443/contacts?email=[email]',
    'see https://example.com/help.',
    'The meeting at 10:30 is full',
    'invoice 123-456-7890',
    'order 2026-11-21',
    'call 415-555-0100',
    'sk-1',
    'a.b.c: 10',
    'Unexpected token < in JSON at position 0',
    'the cookie banner',
    'max_tokens: 500',
    'pinned: true, shopping: 100',
    'version 2.11 is not served',
    'File is missing',
    '',
  ])('%j', (text) => {
    expect(maskSecretLooks(text)).toBe(text);
  });
});

test.each([
  ['one word', 'a'.repeat(1_000_000)],
  ['names of secrets', 'password is '.repeat(80_000)],
  ['quotes', 'token "'.repeat(140_000)],
  ['almost addresses', '://a:b'.repeat(160_000)],
])('a million characters of %s end', (_what, text) => {
  expect(maskSecretLooks(text).length).toBeGreaterThan(0);
});

test.each([
  [
    'TypeError: x is not a function\n    at run (/srv/app/pay.js:10:5)\n    at async file:///srv/app/index.mjs:3:1\n',
    'TypeError: x is not a function [stack]\n',
  ],
  ['boom\\n    at Object.<anonymous> (C:\\\\app\\\\pay.ts:10:5)\\n', 'boom [stack]\\n'],
  ['Error: x at run (/srv/pay.js:1:2) at go (node:internal/x.js:3:4)', 'Error: x [stack]'],
  ['Traceback: File "/srv/app.py", line 12, in pay', 'Traceback: [stack]'],
  ['boom at com.acme.Pay.run(Pay.java:12)', 'boom [stack]'],
  ['boom at Acme.Pay.Run() in C:\\app\\Pay.cs:line 12', 'boom [stack]'],
  ['boom #0 /var/www/pay.php(12): run()', 'boom [stack]: run()'],
])('masks %j', (text, expected) => {
  expect(maskStackTraces(text)).toBe(expected);
  expect(maskStackTraces(expected)).toBe(expected);
});

test.each(['The meeting at 10:30 is full', 'a.b.c: 10', 'see https://example.com/help.', 'file app.json: 3', ''])(
  'leaves %j alone',
  (text) => {
    expect(maskStackTraces(text)).toBe(text);
  },
);

test.each([
  ['a path without end', '/a'.repeat(500_000)],
  ['almost lines of a stack', 'at x.js '.repeat(120_000)],
  ['file names', 'a.js:'.repeat(200_000)],
  ['spaces', `${' '.repeat(1_000_000)}.js(`],
  ['line breaks in JSON', `${'\\n'.repeat(500_000)}.js(`],
])('a million characters of %s end', (_what, text) => {
  expect(maskStackTraces(text).length).toBeGreaterThan(0);
});
