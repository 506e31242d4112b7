import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { parseBaseUrl } from '../../src/http/base-url.ts';
import { path } from '../../src/http/path.ts';
import { joinUrl, searchParamsOf } from '../../src/http/prepare-request.ts';

const refusal = (run: () => unknown): InvalidArgumentError => {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error;
    throw error;
  }
  return expect.unreachable('it should have been refused');
};

test.each(['https://api.example.com', 'http://localhost:3000', 'http://127.1', 'http://[::1]:3000/base'])(
  '%s is a base address',
  (text) => {
    expect(parseBaseUrl(text).href).toBe(new URL(text).href);
  },
);

test('plain http to another machine needs a word of consent', () => {
  const text = 'http://10.0.0.7/api';
  expect(refusal(() => parseBaseUrl(text)).message).toBe(
    'baseUrl must be an https URL, unless it is on loopback or allowInsecure is set',
  );
  expect(parseBaseUrl(text, { allowInsecure: true }).href).toBe(text);
});

test.each([
  ['http://localhost.evil.test'],
  ['http://127.0.0.1.evil.test'],
  ['http://169.254.169.254/latest/meta-data'],
  ['ftp://api.example.com'],
  ['api.example.com'],
  [''],
  ['https://api.example.com\n'],
  ['https:\\\\api.example.com'],
  ['https://user@api.example.com'],
  ['https://api.example.com?key=hunter22'],
  ['https://api.example.com/#'],
  [undefined as unknown as string],
])('%j is refused under the name of its option, and not repeated', (text) => {
  const error = refusal(() => parseBaseUrl(text, { field: 'billing.baseUrl' }));
  expect(error.field).toBe('billing.baseUrl');
  expect(error.message).not.toMatch(/hunter22|evil/);
});

test('plain http is all that allowInsecure allows', () => {
  expect(refusal(() => parseBaseUrl('http://user:pw@10.0.0.7', { allowInsecure: true })).problem).toBe(
    'must not contain a user name or password',
  );
  expect(refusal(() => parseBaseUrl('file:///etc/passwd', { allowInsecure: true })).problem).toBe(
    'must be an https URL, such as https://api.example.com, or http://localhost:3000 on this machine',
  );
});

test.each([
  ['https://x.test', 'contacts/1', 'https://x.test/contacts/1'],
  ['https://x.test/', '/contacts/1', 'https://x.test/contacts/1'],
  ['https://x.test/v1/', '/contacts/1', 'https://x.test/v1/contacts/1'],
])('%s and %s make %s', (base, relative, expected) => {
  expect(joinUrl(new URL(base), relative)).toBe(expected);
});

test('a query is encoded, and what is undefined is left out', () => {
  const query = { phone: '+14155550100', email: undefined, 'a&b': 'c=d #?', status: 'open', limit: 1, all: false };
  expect(String(searchParamsOf('query', query))).toBe(
    'phone=%2B14155550100&a%26b=c%3Dd+%23%3F&status=open&limit=1&all=false',
  );
  expect(String(searchParamsOf('query', { email: undefined }))).toBe('');
});

test.each([
  'https://evil.test/',
  '//evil.test/contacts',
  '\\\\evil.test',
  'contacts/../../admin',
  './contacts',
  'contacts/.%2e',
  'contacts/.\t./admin',
  'contacts?admin=1',
  'contacts#x',
  'contacts/\ud800',
])('the path %j would leave the base or bring a query of its own', (relative) => {
  expect(refusal(() => joinUrl(new URL('https://x.test/v1'), relative)).field).toBe('path');
});

test.each(['https://evil.test', '../admin', 'a?b', '%2e%2e'])('the id %j stays one segment under the base', (id) => {
  const url = new URL(joinUrl(new URL('https://x.test/v1'), path`contacts/${id}`));
  expect(url.origin).toBe('https://x.test');
  expect(url.pathname.split('/').slice(0, 3)).toEqual(['', 'v1', 'contacts']);
  expect(decodeURIComponent(url.pathname.split('/').slice(3).join('/'))).toBe(id);
  expect(url.search + url.hash).toBe('');
});

test.each([
  ['a number that is none', { limit: Number.NaN }, 'query.limit'],
  ['half a character', { name: '\ud800' }, 'query.name'],
])('%s in a query is refused', (_what, query, field) => {
  expect(refusal(() => searchParamsOf('query', query)).field).toBe(field);
});
