import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { peerOf } from '../../../src/webhooks/adapters/node-request.ts';

/** A request on a TLS connection, as far as its certificate goes. */
const onTls = (authorized: boolean, certificate: object) =>
  new IncomingMessage(Object.assign(new Socket(), { authorized, getPeerCertificate: () => certificate }));

describe('the client certificate', () => {
  const certificate = { fingerprint256: 'AB:CD', subject: { CN: 'billing' } };

  it('is told when the server has verified it', () => {
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
