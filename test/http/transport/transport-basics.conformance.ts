import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { UnexpectedResponseError } from '../../../src/core/errors.ts';
import { failureOf } from '../../support/connect.ts';
import {
  answer,
  answerBytes,
  closeAfter,
  closeBeforeAnswer,
  drip,
  head,
  resetAfter,
  resetBeforeAnswer,
  silence,
} from '../../support/fault-server.ts';
import { networkSummary } from '../../support/network-summary.ts';
import { aRequest } from '../../support/request.ts';
import type { TransportUnderTest } from '../../support/transports.ts';

/** What has to hold whatever a transport is made of, and wherever it leads. */
export const transportBasics = ({
  name,
  isDefault,
  isKind,
  startFaultServer,
  createTransport,
}: TransportUnderTest): void => {
  /** All rows on the default, as many as are said on another kind, the first on what shares its code with either. */
  const some = <Row>(rows: readonly Row[], elsewhere = 1): readonly Row[] =>
    isDefault ? rows : rows.slice(0, isKind ? elsewhere : 1);

  describe(`the transport ${name}`, () => {
    const mebibyte = 2 ** 20;
    const transport = createTransport({ maximumBodyBytes: mebibyte });

    /** The platform takes a connection back one turn after the last byte of the answer. */
    const connectionIsFree = () => new Promise((resolve) => setImmediate(resolve));

    const aLongBody = '{"name":"Ada","note":"an answer that is longer than what comes of it"}';

    test('sends what it is given and gives back the whole answer', async () => {
      await using server = await startFaultServer(
        answer({
          status: 201,
          headers: { 'X-Request-Id': 'req_1', 'X-Other': 'ä' },
          body: '{"id":"1"}',
        }),
      );
      const response = await transport(
        aRequest({
          url: `${server.origin}/contacts?a=%2B1`,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'a-test', accept: 'application/json' },
          body: '{"name":"Zoë 😀"}',
        }),
      );

      expect(response).toEqual({ status: 201, headers: expect.any(Map), text: '{"id":"1"}', requestId: 'req_1' });
      expect(Object.fromEntries(response.headers)).toEqual({
        'content-type': 'application/json',
        'content-length': '10',
        'x-request-id': 'req_1',
        'x-other': 'ä',
      });
      const { method, url, headers, body } = await server.request(1);
      expect({ method, url, body }).toEqual({ method: 'POST', url: '/contacts?a=%2B1', body: '{"name":"Zoë 😀"}' });
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'a-test',
        accept: 'application/json',
        'content-length': '20',
      });
    });

    test('makes the body and its type of `json`, and the address of `searchParams`', async () => {
      await using server = await startFaultServer(answer());
      const json = { amount: 120.5, note: 'Zoë "😀"', tags: [] };
      const searchParams = new URLSearchParams([
        ['phone', '+1 415'],
        ['tag', 'a&b'],
        ['tag', 'c'],
      ]);
      await transport(aRequest({ url: `${server.origin}/payments`, method: 'POST', searchParams, json }));

      const { url, headers, body } = await server.request(1);
      expect({ url, body }).toEqual({
        url: '/payments?phone=%2B1+415&tag=a%26b&tag=c',
        body: '{"amount":120.5,"note":"Zoë \\"😀\\"","tags":[]}',
      });
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '49' });
    });

    test('two answers on one connection go to the requests that asked for them', async () => {
      await using server = await startFaultServer(answer({ body: '"first"' }), answer({ body: '"second"' }));
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"first"');
      await connectionIsFree();
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"second"');
      expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1]);
    });

    test('a refused connection sent nothing', async () => {
      const server = await startFaultServer(silence);
      await server.close();
      expect(networkSummary(await failureOf(transport(aRequest({ url: server.origin }))))).toEqual({
        reason: 'network',
        networkCode: 'ECONNREFUSED',
        outcome: 'not_sent',
      });
    });

    test('a keep-alive connection that the server closes just as it is reused is a network failure', async () => {
      await using server = await startFaultServer(
        answer({ body: '{}' }),
        closeBeforeAnswer,
        answer({ body: '"again"' }),
      );
      await transport(aRequest({ url: server.origin }));
      await connectionIsFree();
      const error = await failureOf(transport(aRequest({ url: server.origin, method: 'POST', body: '{}' })));
      expect(networkSummary(error)).toMatchObject({ reason: 'network', outcome: 'unknown' });
      expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1]);
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"again"');
    });

    test.each(
      some([
        ['a body', answer({ body: 'x'.repeat(mebibyte + 1) })],
        ['the body of an error', answer({ status: 400, body: 'x'.repeat(mebibyte + 1) })],
        [
          'a body that was small before it was decompressed',
          answer({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(2 * mebibyte)) }),
        ],
      ]),
    )('%s over the cap is refused', async (_what, reply) => {
      await using server = await startFaultServer(reply);
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(networkSummary(error)).toEqual({
        code: 'unexpected_response',
        message: 'messaging.contacts.get: the answer is larger than 1048576 bytes',
        outcome: 'unknown',
      });
      expect(error instanceof UnexpectedResponseError).toBe(true);
    });

    test.each(
      some(
        [
          ['resets the connection before its answer', resetBeforeAnswer],
          ['resets in the middle of the body', resetAfter(answerBytes({ body: aLongBody }).subarray(0, -9))],
          ['closes the connection before its answer', closeBeforeAnswer],
          ['resets in the middle of the headers', resetAfter('HTTP/1.1 200 OK\r\ncontent-le')],
          ['closes in the middle of the body', closeAfter(answerBytes({ body: aLongBody }).subarray(0, -9))],
        ],
        2,
      ),
    )('a server that %s leaves it unknown what was done, and no partial data', async (_how, reply) => {
      await using server = await startFaultServer(reply);
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(networkSummary(error)).toMatchObject({ reason: 'network', outcome: 'unknown' });
      expect(server.requests).toHaveLength(1);
    });

    test.each(some(['/elsewhere', 'file:///etc/passwd']))(
      'a redirect to "%s" is given back, not followed',
      async (path) => {
        await using server = await startFaultServer(answer({ status: 302, headers: { location: path } }));
        const response = await transport(aRequest({ url: `${server.origin}/loop` }));
        expect(response.status).toBe(302);
        expect(server.requests.map(({ url }) => url)).toEqual(['/loop']);
      },
    );

    test.each(
      some(
        [
          ['before it was sent', silence, 0],
          ['while the server is silent', silence, 1],
          ['while the body drips', drip(head(200, { 'content-length': '100000' }), 'x'), 1],
        ],
        3,
      ),
    )('a caller who gives up %s is released at once with his own reason', async (_when, reply, received) => {
      await using server = await startFaultServer(reply);
      const caller = new AbortController();
      const reason = new Error('hung up');
      if (received === 0) caller.abort(reason);
      const released = expect(transport(aRequest({ url: server.origin, signal: caller.signal }))).rejects.toBe(reason);
      if (received === 1) {
        await server.request(1);
        caller.abort(reason);
        await server.closed(1);
      }

      await released;
      expect(server.requests).toHaveLength(received);
      expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    });

    test.each(
      some(
        [
          ['answers', answer({ body: '{}' })],
          ['fails', resetBeforeAnswer],
        ],
        2,
      ),
    )('leaves no listener on a long-lived signal when the server %s', async (_how, reply) => {
      await using server = await startFaultServer(reply);
      const { signal } = new AbortController();
      await transport(aRequest({ url: server.origin, signal })).catch(() => undefined);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });
};
