import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { inspect } from 'node:util';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { InvalidArgumentError, UnexpectedResponseError } from '../../../src/core/errors.ts';
import { attemptLog } from '../../../src/http/call-log.ts';
import type { Operation } from '../../../src/http/operation.ts';
import { type UndiciTransportOptions, undiciTransport } from '../../../src/http/transport/undici.ts';
import { connect, createContact, failureOf, getContact } from '../../support/connect.ts';
import { answer, answerBytes, closeBeforeAnswer, held, silence, startFaultServer } from '../../support/fault-server.ts';
import { startMute } from '../../support/mute-server.ts';
import { networkSummary } from '../../support/network-summary.ts';
import { aRequest } from '../../support/request.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

describe('transport/undici', () => {
  describe('a connection', () => {
    test('that takes longer than the attempt may has sent nothing', async () => {
      using mute = await startMute();
      const { client, clock } = connect(
        { origin: `https://${mute.host}` },
        { transport: undiciTransport(), attempts: 1 },
      );
      const end = failureOf(client.request(createContact, { attemptTimeoutMs: 500 }));
      await mute.connected;
      await clock.advance(500);
      const error = await end;
      expect(error).toMatchObject({
        code: 'max_retries_exceeded',
        reason: 'timeout',
        outcome: 'not_sent',
        attempts: 1,
      });
      expect(error.cause).toMatchObject({
        message: 'messaging.contacts.create: attempt 1 had no connection within 500 ms',
        outcome: 'not_sent',
      });
    });

    test('that a caller does not wait for has sent nothing, and a payment does not go on', async () => {
      using mute = await startMute();
      const { client } = connect({ origin: `https://${mute.host}` }, { transport: undiciTransport() });
      const caller = new AbortController();
      const pay: Operation<unknown> = { ...createContact, effect: 'payment', wholeDeadline: true };
      const end = failureOf(client.request(pay, { signal: caller.signal }));
      await mute.connected;
      caller.abort();
      expect(await end).toMatchObject({ code: 'aborted', outcome: 'not_sent', attempts: 1 });
    });

    test('that is not free is waited for beyond the time to connect, and has sent nothing', async () => {
      await using server = await startFaultServer(silence);
      const clock = createVirtualClock();
      const transport = undiciTransport({ maximumSocketsPerOrigin: 1 });
      const hangUp = new AbortController();
      const first = failureOf(transport(aRequest({ url: server.origin, signal: hangUp.signal })));
      await server.request(1);
      const request = aRequest({ url: server.origin });
      const second = transport(request);
      await clock.advance(60_000);
      expect([attemptLog(request).stage, server.requests.length, server.connections()]).toEqual(['queued', 1, 1]);
      hangUp.abort();
      await first;
      await server.request(2);
      expect(attemptLog(request).stage).toBe('sent');
      void second.catch(() => {});
    });

    test('is shared in turn when there may be only one', async () => {
      await using server = await startFaultServer((socket, { url }) => void socket.write(answerBytes({ body: url })));
      const transport = undiciTransport({ maximumSocketsPerOrigin: 1 });
      const paths = ['/1', '/2', '/3', '/4'];
      const answers = await Promise.all(paths.map((path) => transport(aRequest({ url: server.origin + path }))));
      expect(answers.map(({ text }) => text)).toEqual(paths);
      expect(server.connections()).toBe(1);
    });

    test('is left to the next one by those that no longer wait for it', async () => {
      const later = held({ body: '"first"' });
      await using server = await startFaultServer(later.reply, answer({ body: '"second"' }));
      const transport = undiciTransport({ maximumSocketsPerOrigin: 1 });
      const first = transport(aRequest({ url: server.origin }));
      await server.request(1);
      const left = new AbortController();
      const gone = Array.from({ length: 5 }, () =>
        transport(aRequest({ url: server.origin, signal: left.signal })).catch((error: unknown) => error),
      );
      left.abort('gone');
      expect(await Promise.all(gone)).toEqual(Array.from({ length: 5 }, () => 'gone'));
      const second = transport(aRequest({ url: server.origin }));
      later.release();
      expect([(await first).text, (await second).text]).toEqual(['"first"', '"second"']);
      expect([server.requests.length, server.connections()]).toEqual([2, 1]);
    });

    test('that the server closed while it was idle is not used again', async () => {
      await using server = await startFaultServer((socket) => void socket.end(answerBytes({ body: '{}' })));
      const transport = undiciTransport();
      for (const connection of [1, 2]) {
        expect((await transport(aRequest({ url: server.origin }))).text).toBe('{}');
        await server.closed(connection);
      }
    });

    test('that its server will close within a second is not kept', async () => {
      await using server = await startFaultServer(answer({ headers: { 'keep-alive': 'timeout=1' } }));
      const transport = undiciTransport();
      await transport(aRequest({ url: server.origin }));
      await server.closed(1);
      await transport(aRequest({ url: server.origin }));
      expect(server.connections()).toBe(2);
    });

    test('on which an unexpected answer comes is closed', async () => {
      await using server = await startFaultServer((socket, { url }) => {
        socket.write(answerBytes({ body: url }));
        if (url === '/1') setImmediate(() => socket.write(answerBytes({ body: '"smuggled"' })));
      });
      const transport = undiciTransport();
      expect((await transport(aRequest({ url: `${server.origin}/1` }))).text).toBe('/1');
      await server.closed(1);
      expect((await transport(aRequest({ url: `${server.origin}/2` }))).text).toBe('/2');
    });

    test('that breaks as it is reused is replaced for a read', async () => {
      await using server = await startFaultServer(
        answer({ body: '{}' }),
        closeBeforeAnswer,
        answer({ body: '"again"' }),
      );
      const { client } = connect(server, { transport: undiciTransport() });
      await client.request(getContact);
      expect(await client.request(getContact)).toBe('again');
    });
  });

  describe('addresses', () => {
    const listen = async (host: string) => {
      const server = createHttpServer((_request, response) => response.end(`"${host}"`));
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
      return {
        port: (server.address() as AddressInfo).port,
        [Symbol.dispose]: () => {
          server.close();
          server.closeAllConnections();
        },
      };
    };
    const namedBoth: LookupFunction = (_name, _options, found) =>
      found(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]);

    test('of IPv6 are addresses', async () => {
      using server = await listen('::1');
      expect((await undiciTransport()(aRequest({ url: `http://[::1]:${server.port}/` }))).text).toBe('"::1"');
    });

    test.each(['::1', '127.0.0.1'])('are tried until one answers: %s', async (host) => {
      using server = await listen(host);
      const transport = undiciTransport({ lookup: namedBoth });
      expect((await transport(aRequest({ url: `http://api.example.test:${server.port}/` }))).text).toBe(`"${host}"`);
    });

    test('that a lookup of yours refuses at once are never connected to: nothing was sent', async () => {
      const transport = undiciTransport({
        lookup: () => {
          throw new Error('no names today');
        },
      });
      const error = await failureOf(
        transport(aRequest({ url: 'http://api.example.test/', method: 'POST', body: '{}' })),
      );
      expect(networkSummary(error)).toEqual({ reason: 'network', networkCode: undefined, outcome: 'not_sent' });
    });

    test('none of which answers have been sent nothing', async () => {
      const { port } = await listen('127.0.0.1').then((server) => {
        server[Symbol.dispose]();
        return server;
      });
      const transport = undiciTransport({ lookup: namedBoth });
      const error = await failureOf(transport(aRequest({ url: `http://api.example.test:${port}/` })));
      expect(networkSummary(error)).toEqual({ reason: 'network', networkCode: 'ECONNREFUSED', outcome: 'not_sent' });
    });
  });

  describe('a body', () => {
    test.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
    ])('of %s that is cut off is no answer', async (encoding, compress) => {
      const whole = compress(JSON.stringify({ note: 'an answer of some length' }));
      const body = whole.subarray(0, -4);
      await using server = await startFaultServer(answer({ headers: { 'content-encoding': encoding }, body }));
      const error = await failureOf(undiciTransport()(aRequest({ url: server.origin })));
      expect(networkSummary(error)).toMatchObject({ reason: 'network', outcome: 'unknown' });
      expect(error.message).toMatch(/^messaging\.contacts\.get: the answer could not be decompressed \(\w+\)$/);
    });

    test('that becomes too large in its second decompression is refused', async () => {
      const body = gzipSync(gzipSync(Buffer.alloc(50 * 2 ** 20)));
      await using server = await startFaultServer(answer({ headers: { 'content-encoding': 'gzip, gzip' }, body }));
      const transport = undiciTransport({ maximumBodyBytes: 2 ** 20 });
      expect(await failureOf(transport(aRequest({ url: server.origin })))).toBeInstanceOf(UnexpectedResponseError);
    });

    test('under the cap of its client is read, whatever the transport’s own says', async () => {
      const body = JSON.stringify('x'.repeat(100));
      await using server = await startFaultServer(answer({ body }));
      const transport = undiciTransport({ maximumBodyBytes: 10 });
      const { client } = connect(server, { transport, maximumBodyBytes: 1_000 });
      expect(await client.request(getContact)).toBe('x'.repeat(100));
      const other = connect(server, { transport }).client;
      expect(await failureOf(other.request(getContact))).toMatchObject({ code: 'unexpected_response' });
    });
  });

  describe('close', () => {
    test('ends what is idle at once, what is in flight with its answer, and refuses the rest', async () => {
      const later = held({ body: '"late"' });
      await using server = await startFaultServer(answer({ body: '"idle"' }), later.reply);
      const transport = undiciTransport();
      await transport(aRequest({ url: server.origin }));
      const inFlight = transport(aRequest({ url: server.origin }));
      await server.request(2);
      const closed = transport.close();

      const refused = await failureOf(transport(aRequest({ url: server.origin })));
      expect(refused instanceof InvalidArgumentError && refused.message).toContain('transport is closed');
      expect(refused.outcome).toBe('not_sent');
      later.release();
      expect((await inFlight).text).toBe('"late"');
      await closed;
      await transport.close();
      await server.closed(1);
      expect(server.requests).toHaveLength(2);
    });

    test('is not done by a client that was given the transport', async () => {
      await using server = await startFaultServer(answer({ body: '{}' }));
      await using transport = undiciTransport();
      const { client } = connect(server, { transport });
      await client.close();
      expect(await client.request(getContact)).toEqual({});
    });

    test('happens at the end of an `await using`', async () => {
      await using server = await startFaultServer(answer({ body: '{}' }));
      {
        await using transport = undiciTransport();
        await transport(aRequest({ url: server.origin }));
      }
      await expect(server.closed(1)).resolves.toBeUndefined();
    });
  });

  test.each<[field: string, options: UndiciTransportOptions]>([
    ['connectTimeoutMs', { connectTimeoutMs: 0 }],
    ['idleMs', { idleMs: -1 }],
    ['maximumSocketsPerOrigin', { maximumSocketsPerOrigin: 0 }],
    ['maximumBodyBytes', { maximumBodyBytes: 0 }],
  ])('%s must be something that can work', (field, options) => {
    expect(() => undiciTransport(options)).toThrow(expect.objectContaining({ code: 'invalid_argument', field }));
  });

  test('a transport shows nothing of what it was given', () => {
    const transport = undiciTransport({ tls: { certificate: () => 'CERT', key: () => 'KEY' } });
    expect(inspect(transport, { depth: 10, showHidden: true })).not.toMatch(/CERT|KEY/);
    expect(JSON.stringify({ transport })).toBe('{}');
  });
});
