import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../support/connect.ts';
import { answer, answerBytes, bytes, closeAfter, head, resetAfter } from '../../support/fault-server.ts';
import { networkSummary } from '../../support/network-summary.ts';
import { aRequest } from '../../support/request.ts';
import type { TransportUnderTest } from '../../support/transports.ts';

/** What fetch does by itself, and a transport on sockets of its own has to do. */
export const readsHttp = ({ name, startFaultServer, createTransport }: TransportUnderTest): void => {
  describe(`the transport ${name}`, () => {
    const transport = createTransport({ maximumBodyBytes: 2 ** 20 });
    const aLongBody = '{"name":"Ada","note":"an answer that is longer than what comes of it"}';

    test('an answer that only informs is passed over', async () => {
      await using server = await startFaultServer(
        bytes(head(102), head(103, { link: '</a.css>' }), answerBytes({ body: '"ok"' })),
      );
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"ok"');
    });

    test('an unexpected 100 leaves it unknown what was done', async () => {
      await using server = await startFaultServer(bytes(head(100), answerBytes({ body: '"ok"' })));
      const request = aRequest({ url: server.origin, method: 'POST', body: '{}' });
      expect((await failureOf(transport(request))).outcome).toBe('unknown');
    });

    test('an unexpected change of protocol leaves it unknown what was done', async () => {
      await using server = await startFaultServer(bytes(head(101, { connection: 'upgrade', upgrade: 'websocket' })));
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(networkSummary(error)).toMatchObject({ reason: 'network', outcome: 'unknown' });
    });

    test('a body without a length ends with its connection', async () => {
      await using server = await startFaultServer(closeAfter(Buffer.concat([head(200), Buffer.from(aLongBody)])));
      expect((await transport(aRequest({ url: server.origin }))).text).toBe(aLongBody);
    });

    test.each([
      ['gzip', { 'content-encoding': 'gzip' }, gzipSync(aLongBody)],
      ['deflate', { 'content-encoding': 'deflate' }, deflateSync(aLongBody)],
      ['deflate without its header', { 'content-encoding': 'deflate' }, deflateRawSync(aLongBody)],
      ['two codings', { 'content-encoding': 'br, gzip' }, gzipSync(brotliCompressSync(aLongBody))],
      ['a coding that is none', { 'content-encoding': 'utf-8' }, Buffer.from(aLongBody)],
      ['gzip without a body', { 'content-encoding': 'gzip' }, Buffer.alloc(0)],
    ])('unpacks %s', async (_how, headers, body) => {
      await using server = await startFaultServer(answer({ headers, body }));
      expect((await transport(aRequest({ url: server.origin }))).text).toBe(body.length === 0 ? '' : aLongBody);
    });

    test.each([
      ['204', head(204, { 'content-encoding': 'gzip' })],
      [
        '200',
        Buffer.concat([
          head(200, { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' }),
          Buffer.from('0\r\n\r\n'),
        ]),
      ],
    ])('an answer without a body (%s) is whole, whatever it says of a coding', async (status, reply) => {
      await using server = await startFaultServer(bytes(reply));
      const response = await transport(aRequest({ url: server.origin, method: 'POST', body: '{}' }));
      expect([response.status, response.text]).toEqual([Number(status), '']);
    });

    test('an answer that breaks off before its packed body begins has no answer', async () => {
      await using server = await startFaultServer(
        resetAfter(head(200, { 'content-encoding': 'gzip', 'content-length': '20' })),
      );
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(networkSummary(error)).toMatchObject({ reason: 'network', outcome: 'unknown' });
    });
  });
};
