import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { webhook as forHono } from '../../../src/webhooks/adapters/hono.ts';
import { peerOf, toRequest } from '../../../src/webhooks/adapters/node-request.ts';

/** A request on a TLS connection, as far as its certificate goes. */
const onTls = (authorized: boolean, certificate: object) =>
  new IncomingMessage(Object.assign(new Socket(), { authorized, getPeerCertificate: () => certificate }));

describe('the client certificate', () => {
  const certificate = { fingerprint256: 'AB:CD', subject: { CN: 'billing' } };

  it('is given when the server has verified it', () => {
    expect(peerOf(onTls(true, certificate))).toEqual({
      address: undefined,
      certificate: { fingerprint256: 'AB:CD', commonName: 'billing' },
    });
    expect(peerOf(onTls(true, { ...certificate, subject: { CN: ['a', 'b'] } }))).toMatchObject({
      certificate: { commonName: 'a' },
    });
  });

  it('is not told when it was not verified, or is not there', () => {
    expect(peerOf(onTls(false, certificate))).toEqual({ address: undefined });
    expect(peerOf(onTls(true, {}))).toEqual({ address: undefined });
    expect(peerOf(new IncomingMessage(new Socket()))).toEqual({ address: undefined });
  });
});

/** A request as Node has it, with what servers and parsers write on it. */
const incomingWith = (fields: object) => Object.assign(new IncomingMessage(new Socket()), fields);

describe('the request', () => {
  it.each([
    ['/hook?a=1', undefined, 'http://receiver.invalid/hook?a=1'],
    ['//evil.example/hook', undefined, 'http://receiver.invalid/evil.example/hook'],
    ['/billing', '/hook/billing', 'http://receiver.invalid/hook/billing'],
    [undefined, undefined, 'http://receiver.invalid/'],
  ])('to %s, which a router found under %s, is one to %s', (url, originalUrl, target) => {
    expect(toRequest(incomingWith({ method: 'GET', url, originalUrl })).url).toBe(target);
  });

  it('has all its headers, and none of HTTP/2’s own', () => {
    const rawHeaders = [':path', '/hook', 'X-A', '1', 'x-a', '2'];

    expect(Object.fromEntries(toRequest(incomingWith({ method: 'HEAD', url: '/', rawHeaders })).headers)).toEqual({
      'x-a': '1, 2',
    });
  });

  it.each(['GET', 'HEAD'])('has no body as a %s', (method) => {
    expect(toRequest(incomingWith({ method, url: '/', rawBody: 'x' })).body).toBeNull();
  });

  it.each<[what: string, fields: object, text: string]>([
    ['kept next to what a parser made', { rawBody: Buffer.from('grün'), body: {} }, 'grün'],
    ['kept as a text', { rawBody: 'grün' }, 'grün'],
    ['read by a parser of bytes', { rawBody: null, body: Buffer.from('grün'), readableDidRead: true }, 'grün'],
    ['read by a parser of texts', { body: 'grün', readableDidRead: true }, 'grün'],
  ])('has the bytes that were %s', async (_, { readableDidRead, ...fields }: { readableDidRead?: boolean }, text) => {
    const incoming = incomingWith({ method: 'POST', url: '/', ...fields });
    if (readableDidRead) Object.defineProperty(incoming, 'readableDidRead', { value: true });

    expect(await toRequest(incoming).text()).toBe(text);
  });

  it('cannot be made of what a parser left of the bytes', () => {
    const incoming = incomingWith({ method: 'POST', url: '/', body: { parsed: true } });
    Object.defineProperty(incoming, 'readableDidRead', { value: true });

    expect(() => toRequest(incoming)).toThrow('body must be the raw bytes that were sent');
  });
});

describe('in Hono', () => {
  const peerIn = async (env: unknown) => {
    let told: unknown;
    const receive = (_request: Request, peer?: object) => {
      told = peer;
      return Promise.resolve(new Response());
    };
    const raw = new Request('https://hook.test/');
    const worker = { startWorker: () => ({ close: async () => {} }), handle: async () => {} };
    const handler = forHono(Object.assign(receive, worker));
    await handler({ req: { raw, text: () => Promise.resolve('') }, env });
    return told;
  };

  it('the peer is known on Node, and nowhere else', async () => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '192.0.2.1' });
    const incoming = new IncomingMessage(socket);

    expect(await Promise.all([{ incoming }, {}, null, undefined, 'edge'].map(peerIn))).toEqual([
      { address: '192.0.2.1' },
      {},
      {},
      {},
      {},
    ]);
  });
});
