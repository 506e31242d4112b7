import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createAddressGuard } from '../../src/outbox/address-guard.ts';
import { createGuardedTransport, type ResolveHost } from '../../src/outbox/guarded-transport.ts';
import { answer, bytes, head, startFaultServer } from '../support/fault-server.ts';
import { callCompleted, openOutbox } from '../support/open-outbox.ts';
import { aRequest } from '../support/request.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { until } from '../support/until.ts';

const publication = { event: callCompleted, payload: { callId: 'CA1' }, idempotencyKey: 'k' };
const refused = { type: 'delivery', outcome: 'retry', reason: 'ADDRESS_NOT_ALLOWED' };

const deliveries = ({ events }: Pick<ReturnType<typeof openOutbox>, 'events'>) =>
  events.filter((event) => event.type === 'delivery');

test.each([
  'https://127.0.0.1',
  'https://localhost',
  'https://[::1]',
  'https://[::ffff:127.0.0.1]',
  'https://2130706433',
  'https://0x7f.1',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1',
])('nothing is sent to %s', async (url) => {
  await using under = openOutbox({ allowNetworks: [], destinations: [{ name: 'inside', url, version: 1 }] });

  await under.outbox.publish(publication);

  expect(await until(() => deliveries(under)[0])).toMatchObject(refused);
});

test.each([
  ['a name that leads inside', async () => ['10.0.0.1']],
  ['a name that leads outside and inside', async () => ['93.184.215.14', '127.0.0.1']],
  ['a name that leads nowhere', async () => []],
] satisfies readonly [string, ResolveHost][])('nothing is sent to %s', async (_what, resolve) => {
  await using under = openOutbox({
    allowNetworks: [],
    resolve,
    destinations: [{ name: 'inside', url: 'https://hook.example', version: 1 }],
  });

  await under.outbox.publish(publication);

  expect(await until(() => deliveries(under)[0])).toMatchObject(refused);
});

test('a name is looked up for every attempt: one that changes its mind leads nowhere', async () => {
  await using server = await startFaultServer(answer({ status: 503 }));
  const { port } = new URL(server.origin);
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  let asked = 0;
  await using under = openOutbox({
    allowNetworks: ['127.0.0.1/32'],
    resolve: async () => answers[asked++] ?? [],
    destinations: [{ name: 'rebinding', url: `http://localhost:${port}`, version: 1 }],
  });
  await under.outbox.publish(publication);
  const first = await until(() => deliveries(under)[0]);

  await under.clock.advance(first.retryInMs ?? 0);

  expect(await until(() => deliveries(under)[1])).toMatchObject(refused);
  expect(server.requests).toHaveLength(1);
});

test('the second address of a name is tried when no connection to the first can be made', async () => {
  await using server = await startFaultServer(answer());
  const { port } = new URL(server.origin);
  await using under = openOutbox({
    resolve: async () => ['127.0.0.3', '127.0.0.1'],
    destinations: [{ name: 'two', url: `http://localhost:${port}`, version: 1 }],
  });

  await under.outbox.publish(publication);

  expect(await server.request(1)).toMatchObject({ headers: { host: `localhost:${port}` } });
  expect(await until(() => deliveries(under)[0])).toMatchObject({ outcome: 'delivered' });
});

test('a redirect to an address inside is not followed', async () => {
  await using inside = await startFaultServer(answer());
  await using server = await startFaultServer(answer({ status: 307, headers: { location: inside.origin } }));
  await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });

  await under.outbox.publish(publication);

  expect(await until(() => deliveries(under)[0])).toMatchObject({ outcome: 'retry', status: 307 });
  expect(inside.connections()).toBe(0);
});

test('an answer is read no further than its beginning', async () => {
  await using server = await startFaultServer(
    bytes(head(200, { 'content-length': '100000000' }), Buffer.alloc(256 * 1024)),
  );
  await using under = openOutbox({ destinations: [{ name: 'loud', url: server.origin, version: 1 }] });

  await under.outbox.publish(publication);

  expect(await until(() => deliveries(under)[0])).toMatchObject({ outcome: 'delivered' });
  await server.closed(1);
});

test('an answer is given with its headers and the id of its request, up to 64 KiB of it', async () => {
  const id = 'x'.repeat(201);
  await using server = await startFaultServer(
    answer({ status: 201, headers: { 'x-request-id': id }, body: 'y'.repeat(65_536) }),
    answer({ body: 'y'.repeat(65_537) }),
    answer(),
  );
  const transport = createGuardedTransport({ guard: createAddressGuard(['127.0.0.0/8']) });
  const send = () => transport.send(aRequest({ method: 'POST', url: server.origin, body: '{}' }));

  const [whole, long, short] = [await send(), await send(), await send()];
  transport.close();

  expect(whole).toMatchObject({ status: 201, requestId: 'x'.repeat(200), text: 'y'.repeat(65_536) });
  expect(long.text).toBe('y'.repeat(65_536));
  expect(short.requestId).toBeUndefined();
  expect(server.requests.map(({ method, body }) => [method, body])).toEqual([1, 2, 3].map(() => ['POST', '{}']));
});

test('connections are kept for the next delivery, until the transport is closed', async () => {
  await using server = await startFaultServer(answer(), answer());
  const transport = createGuardedTransport({ guard: createAddressGuard(['127.0.0.0/8']) });

  await transport.send(aRequest({ url: server.origin }));
  await transport.send(aRequest({ url: server.origin }));
  expect(server.connections()).toBe(1);
  transport.close();

  await server.closed(1);
});

test('a delivery that is taken back says so, and is no failure of the address', async () => {
  const transport = createGuardedTransport({ guard: createAddressGuard(['127.0.0.0/8']) });
  const taken = new Error('taken back');

  await expect(transport.send(aRequest({ url: 'http://127.0.0.1:1/', signal: AbortSignal.abort(taken) }))).rejects.toBe(
    taken,
  );
});

test('a name that cannot be found is tried again', async () => {
  await using under = openOutbox({
    resolve: async () => {
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' });
    },
    destinations: [{ name: 'gone', url: 'https://hook.example', version: 1 }],
  });

  await under.outbox.publish(publication);

  expect(await until(() => deliveries(under)[0])).toMatchObject({ outcome: 'retry', reason: 'ENOTFOUND' });
});

test('a look-up that never ends costs the time of one attempt', async () => {
  let isAsked = false;
  await using under = openOutbox({
    resolve: () => {
      isAsked = true;
      return new Promise(() => {});
    },
    destinations: [{ name: 'crm', url: 'https://crm.example', version: 1, attemptTimeoutMs: 3_000 }],
  });
  await under.outbox.publish(publication);
  await until(() => isAsked);
  await under.clock.advance(3_000);

  expect(await until(() => deliveries(under)[0])).toMatchObject({
    outcome: 'retry',
    reason: 'timeout',
    durationMs: 3_000,
  });
});

test('over TLS the certificate is that of the name, whatever the address', async () => {
  await using folder = await makeScratchFolder();
  const { key, certificate } = makeCertificate(folder.path);
  const seen: string[] = [];
  const server = createServer({ key, cert: certificate }, (request, response) => {
    seen.push(`${request.headers.host} ${String((request.socket as { servername?: string }).servername)}`);
    response.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await using under = openOutbox({
    ca: certificate,
    resolve: async () => ['127.0.0.1'],
    destinations: [
      { name: 'right', url: `https://hook.example:${port}`, version: 1 },
      { name: 'wrong', url: `https://other.example:${port}`, version: 1 },
    ],
  });

  await under.outbox.publish(publication);
  await until(() => deliveries(under).length === 2);
  server.close();
  server.closeAllConnections();

  expect(seen).toEqual([`hook.example:${port} hook.example`]);
  expect(deliveries(under)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ destination: 'right', outcome: 'delivered' }) as object,
      expect.objectContaining({ destination: 'wrong', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' }) as object,
    ]),
  );
});

const makeCertificate = (folder: string) => {
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/certificate.pem`];
  const subject = ['-subj', '/CN=hook.example', '-addext', 'subjectAltName=DNS:hook.example'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...subject], { stdio: 'ignore' });
  return {
    key: readFileSync(`${folder}/key.pem`, 'utf8'),
    certificate: readFileSync(`${folder}/certificate.pem`, 'utf8'),
  };
};
