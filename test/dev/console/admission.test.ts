import { expect, test } from 'vitest';
import { admit } from '../../../src/dev/console/admission.ts';
import { createSecrets } from '../../../src/dev/console/secrets.ts';

const secrets = createSecrets((bytes) => Buffer.alloc(bytes, 7));
const cookie = `theme=dark; ${secrets.cookie.name}=${secrets.cookie.value}`;
const bearer = `Bearer ${secrets.token}`;
const admitted = { type: 'admitted' };
const refused = (status: number, reason: string) => ({ type: 'refused', status, reason });

const ask = (headers: Record<string, string>, { method = 'GET', path = '/', address }: Asking = {}) =>
  admit(new Request(`http://127.0.0.1:4000${path}`, { method, headers }), secrets, address);

interface Asking {
  readonly method?: string;
  readonly path?: string;
  readonly address?: string;
}

test.each<[what: string, headers: Record<string, string>, asking: Asking, expected: object]>([
  ['the cookie opens it', { cookie }, {}, admitted],
  ['the token as a bearer opens it', { authorization: bearer }, {}, admitted],
  ['the token in the address signs in', {}, { path: `/?token=${secrets.token}` }, { type: 'sign-in' }],
  ['nothing is refused', {}, {}, refused(401, 'no_token')],
  ['another token is refused', { authorization: `Bearer ${secrets.token}x` }, {}, refused(401, 'no_token')],
  ['another token in the address is refused', {}, { path: '/?token=x' }, refused(401, 'no_token')],
  [
    'the token does not do as a cookie',
    { cookie: `${secrets.cookie.name}=${secrets.token}` },
    {},
    refused(401, 'no_token'),
  ],
  ['localhost is this machine', { cookie, host: 'localhost:4000' }, {}, admitted],
  ['the IPv6 loopback is this machine', { cookie, host: '[::1]:4000' }, {}, admitted],
  [
    'a foreign name is refused, whatever it leads to',
    { cookie, host: 'rebind.example:4000' },
    {},
    refused(403, 'foreign_host'),
  ],
  [
    'a name that begins like this machine is refused',
    { cookie, host: '127.0.0.1.example' },
    {},
    refused(403, 'foreign_host'),
  ],
  [
    'a foreign name is refused before the token is looked at',
    { host: 'rebind.example' },
    { path: `/?token=${secrets.token}` },
    refused(403, 'foreign_host'),
  ],
  [
    'a proxy for another name is refused',
    { cookie, 'x-forwarded-host': 'console.example' },
    {},
    refused(403, 'foreign_host'),
  ],
  [
    'a proxy of this machine may stand before it',
    { cookie, 'x-forwarded-host': 'localhost:3000', 'x-forwarded-for': '::1' },
    {},
    admitted,
  ],
  [
    'what a proxy had from another machine is refused',
    { cookie, 'x-forwarded-for': '203.0.113.9, 127.0.0.1' },
    {},
    refused(403, 'not_loopback'),
  ],
  [
    'so is what a proxy says in the standard way',
    { cookie, forwarded: 'for="[2001:db8::1]:4711";proto=https, for=127.0.0.1' },
    {},
    refused(403, 'not_loopback'),
  ],
  [
    'and the other name that it says so',
    { cookie, forwarded: 'for=127.0.0.1; host=console.example' },
    {},
    refused(403, 'not_loopback'),
  ],
  [
    'a standard proxy of this machine is not',
    { cookie, forwarded: 'for="[::1]:4711";host=localhost:3000' },
    {},
    admitted,
  ],
  ['another machine is refused', { cookie }, { address: '203.0.113.9' }, refused(403, 'not_loopback')],
  ['a private network is another machine', { cookie }, { address: '192.168.1.5' }, refused(403, 'not_loopback')],
  ['this machine is not', { cookie }, { address: '::ffff:127.0.0.1' }, admitted],
  ['its own origin may ask', { cookie, host: '127.0.0.1:4000', origin: 'http://127.0.0.1:4000' }, {}, admitted],
  [
    'another port of this machine may not',
    { cookie, host: '127.0.0.1:4000', origin: 'http://127.0.0.1:5000' },
    {},
    refused(403, 'foreign_origin'),
  ],
  ['a foreign origin may not', { cookie, origin: 'https://evil.example' }, {}, refused(403, 'foreign_origin')],
  ['the origin null may not', { cookie, origin: 'null' }, {}, refused(403, 'foreign_origin')],
  [
    'a page of another port may not load it',
    { cookie, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    {},
    refused(403, 'foreign_origin'),
  ],
  ['a link may lead to it', { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, {}, admitted],
  ['a POST needs more than the cookie', { cookie }, { method: 'POST' }, refused(403, 'no_page_token')],
  [
    'a POST with a wrong token of the page is refused',
    { cookie, 'x-console-token': secrets.token },
    { method: 'POST' },
    refused(403, 'no_page_token'),
  ],
  [
    'a POST with the token of the page is let in',
    { cookie, 'x-console-token': secrets.pageToken },
    { method: 'POST' },
    admitted,
  ],
  [
    'the token of the page alone is nothing',
    { 'x-console-token': secrets.pageToken },
    { method: 'POST' },
    refused(401, 'no_token'),
  ],
  ['a POST does not sign in', {}, { method: 'POST', path: `/?token=${secrets.token}` }, refused(401, 'no_token')],
  ['a bearer may POST', { authorization: bearer }, { method: 'POST' }, admitted],
])('%s', (_what, headers, asking, expected) => {
  expect(ask(headers, asking)).toEqual(expected);
});

test('every console has secrets of its own, none of which is another', () => {
  const [one, other] = [createSecrets(), createSecrets()];
  const all = [one, other].flatMap(({ token, cookie, pageToken }) => [token, cookie.name, cookie.value, pageToken]);

  expect(new Set(all).size).toBe(8);
});
