import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAuthority } from '../support/certificates.ts';
import { connect, createContact, getContact } from '../support/connect.ts';
import { answer, faultServerOverTls, type Reply, startFaultServer } from '../support/fault-server.ts';

const authority = await createAuthority();
const startTlsServer = faultServerOverTls(await authority.issue());

/** As NODE_EXTRA_CA_CERTS would; `fetch` has no option for it. */
const trustAuthority = () => {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, authority.certificate]);
  onTestFinished(() => tls.setDefaultCACertificates(before));
};

const body = JSON.stringify({ id: '1', note: 'x'.repeat(50_000) });

const replies: readonly [string, Reply][] = [
  ['a short body', answer({ body: '{"id":"1"}' })],
  ['a long body', answer({ body })],
  ['gzip', answer({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) })],
  ['no body', answer({ status: 204 })],
];

describe('calls in turn on the default transport share one connection, answered with', () => {
  test.each(replies)('%s', async (_what, reply) => {
    await using server = await startFaultServer(reply);
    const { client } = connect(server);
    for (const operation of [getContact, createContact, createContact, getContact]) await client.request(operation);
    expect(server.connections()).toBe(1);
  });

  test.skipIf(!tls.setDefaultCACertificates).each(replies.slice(0, 2))('%s over TLS', async (_what, reply) => {
    trustAuthority();
    await using server = await startTlsServer(reply);
    const { client } = connect(server);
    for (const operation of [getContact, createContact, createContact, getContact]) await client.request(operation);
    expect(server.connections()).toBe(1);
  });
});

test('a call right after a warm-up finds its connection', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client } = connect(server);
  await client.warmUp();
  await client.request(getContact);
  expect(server.connections()).toBe(1);
});
