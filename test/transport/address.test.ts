import { expect, test } from 'vitest';
import { createAddressReader } from '../../src/transport/address.ts';

/** As `node:http` would be given it after `new URL`. */
const byUrl = (text: string) => {
  const { protocol, host, hostname, port, pathname, search } = new URL(text);
  return { origin: { protocol, host, port, hostname: hostname.replace(/^\[|\]$/g, '') }, path: pathname + search };
};

test.each([
  'https://api.example.com/v1/contacts/c_1?role=lead&page=2',
  'https://api.example.com/a/./b',
  'https://api.example.com/a/../b',
  'https://api.example.com/a/%2E%2e/b',
  'https://api.example.com/a/%2e',
  'https://api.example.com/.well-known/x',
  'https://api.example.com/a b',
  "https://api.example.com/a?name='O'",
  'https://api.example.com/ä?ö',
  'https://api.example.com/a\\..\\b',
  'https://api.example.com/a#b',
  'https://api.example.com/a/{b}|c^d`e"<f>',
  'https://api.example.com/a/%41%2F',
  'https://api.example.com/',
  'https://api.example.com//double//slash',
  'https://api.example.com/a?next=/../b',
  'https://api.example.com/a?',
  'https://api.example.com/a?b?',
  'https://api.example.com',
  'https://api.example.com?query',
  'https://api.example.com:443/usual/port',
  'https://api.example.com:8443/other/port',
  'https://API.example.com/Upper',
  'https://api.example.com@evil.example/path',
  'https://api.example.com\\@evil.example/path',
  'http://127.0.0.1:3000/x',
  'http://[::1]:3000/x?y',
])('reads %s as a URL does, also when the origin is known', (text) => {
  const addressOf = createAddressReader();
  expect(addressOf(text)).toEqual(byUrl(text));
  expect(addressOf(text)).toEqual(byUrl(text));
  addressOf('https://api.example.com/known');
  expect(addressOf(text)).toEqual(byUrl(text));
});

test('refuses what is no address', () => {
  const addressOf = createAddressReader();
  expect(() => addressOf('no address')).toThrow(TypeError);
  expect(() => addressOf('')).toThrow(TypeError);
});
