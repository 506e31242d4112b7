import { describe, expect, test } from 'vitest';
import { maskSecretLooks } from '../../src/observability/secret-looks.ts';

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
