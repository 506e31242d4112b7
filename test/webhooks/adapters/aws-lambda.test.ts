import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ProxyEvent, webhook } from '../../../src/webhooks/adapters/aws-lambda.ts';
import type { Peer } from '../../../src/webhooks/peer.ts';
import { createAuthority } from '../../support/certificates.ts';

/** What a receiver is given of an event. */
const received = async (event: ProxyEvent) => {
  let seen: object | undefined;
  const receive = async (request: Request, peer?: Peer) => {
    const { method, url, headers } = request;
    seen = { method, url, headers: Object.fromEntries(headers), body: await request.text(), peer };
    return new Response('done', { status: 202, headers: { 'x-answer': 'a' } });
  };
  // A receiver is a function first; its worker is not used here.
  const worker = { startWorker: () => ({ close: async () => {} }), handle: async () => {} };
  const answer = await webhook(Object.assign(receive, worker))(event);
  expect(answer).toEqual({
    statusCode: 202,
    headers: { 'x-answer': 'a', 'content-type': 'text/plain;charset=UTF-8' },
    body: 'done',
  });
  return seen;
};

test('an event of the first format is a request with all the values of its headers', async () => {
  const event = {
    httpMethod: 'PUT',
    path: '//hook//billing',
    headers: { 'x-a': 'b', 'x-only': 'here', 'x-none': undefined },
    multiValueHeaders: { 'X-A': ['a', 'b'], 'x-empty': undefined },
    body: 'grün',
    requestContext: { identity: { sourceIp: '192.0.2.1' } },
  };

  expect(await received(event)).toEqual({
    method: 'PUT',
    url: 'https://receiver.invalid/hook//billing',
    headers: { 'x-a': 'a, b', 'x-only': 'here' },
    body: 'grün',
    peer: { address: '192.0.2.1' },
  });
});

test('an event of the second format is a request with its query, and its bytes as they came', async () => {
  const event = {
    rawPath: '/hook',
    rawQueryString: 'tenant=a%26b',
    body: Buffer.from('grün').toString('base64'),
    isBase64Encoded: true,
    requestContext: { http: { method: 'POST', sourceIp: '192.0.2.2' } },
  };

  expect(await received(event)).toEqual({
    method: 'POST',
    url: 'https://receiver.invalid/hook?tenant=a%26b',
    headers: {},
    body: 'grün',
    peer: { address: '192.0.2.2' },
  });
});

test.each(['GET', 'HEAD'])('a %s has no body', async (method) => {
  expect(await received({ requestContext: { http: { method } }, body: 'x' })).toEqual({
    method,
    url: 'https://receiver.invalid/',
    headers: {},
    body: '',
    peer: { address: undefined },
  });
});

test('an event that says nothing is an empty POST of an unknown peer', async () => {
  expect(await received({ headers: null, multiValueHeaders: null, body: null })).toEqual({
    method: 'POST',
    url: 'https://receiver.invalid/',
    headers: {},
    body: '',
    peer: { address: undefined },
  });
});

test.each<[subject: string | undefined, commonName: { readonly commonName?: string }]>([
  ['CN=billing', { commonName: 'billing' }],
  ['O=Acme,CN=billing', { commonName: 'billing' }],
  ['O=x CN=billing', {}],
  [undefined, {}],
])('the certificate that the gateway verified is passed on, its name out of "%s"', async (subjectDN, commonName) => {
  const { certificate: clientCertPem } = await createAuthority();
  const clientCert = { clientCertPem, subjectDN };
  const { fingerprint256 } = new X509Certificate(clientCertPem);
  const certificate = { fingerprint256, ...commonName };

  const first = await received({ requestContext: { identity: { sourceIp: null, clientCert } } });
  const second = await received({ requestContext: { authentication: { clientCert } } });

  expect([first, second]).toMatchObject([{ peer: { certificate } }, { peer: { certificate } }]);
});

test('no certificate is passed on where the gateway verified none', async () => {
  const shown = [null, {}, { clientCertPem: '', subjectDN: 'CN=billing' }];
  const told = await Promise.all(
    shown.map((clientCert) => received({ requestContext: { identity: { clientCert }, authentication: null } })),
  );

  expect(told.map((each) => each && 'peer' in each && each.peer)).toEqual(shown.map(() => ({ address: undefined })));
});
