import dns from 'node:dns';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type AttemptFailedError, InvalidArgumentError, UnexpectedResponseError } from '../../../src/core/errors.ts';
import { attemptLog } from '../../../src/http/call-log.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { failureOf } from '../../support/connect.ts';
import {
  answer,
  answerBytes,
  bytes,
  closeAfter,
  drip,
  head,
  resetBeforeAnswer,
  stream,
} from '../../support/fault-server.ts';
import { networkSummary } from '../../support/network-summary.ts';
import { aRequest } from '../../support/request.ts';
import type { TransportUnderTest } from '../../support/transports.ts';

/** What every kind of transport must do. */
export const transportConformance = ({
  name,
  isDefault,
  startFaultServer,
  createTransport,
}: TransportUnderTest): void => {
  describe(`the transport ${name}`, () => {
    const mebibyte = 2 ** 20;
    const transport = createTransport({ maximumBodyBytes: mebibyte });

    const aLongBody = '{"name":"Ada","note":"an answer that is longer than what comes of it"}';
    /** All rows on the default, the first on what has this code in common with it. */
    const some = <Row>(rows: readonly Row[]): readonly Row[] => (isDefault ? rows : rows.slice(0, 1));

    test('keeps the type of JSON that middleware has written as text, and the query that it gave the address', async () => {
      await using server = await startFaultServer(answer());
      const searchParams = new URLSearchParams({ limit: '2' });
      const made = { url: `${server.origin}/payments?key=1`, searchParams, json: { a: 1 }, body: '{"a": 1}' };
      await transport(aRequest({ method: 'POST', ...made }));

      const { url, headers, body } = await server.request(1);
      expect({ url, body }).toEqual({ url: '/payments?key=1&limit=2', body: '{"a": 1}' });
      expect(headers).toMatchObject({ 'content-type': 'application/json' });
    });

    test('keeps a type of yours, and sends `body` where there are both', async () => {
      await using server = await startFaultServer(answer(), answer());
      const headers = { 'content-type': 'application/vnd.api+json' };
      const request = aRequest({ url: server.origin, method: 'POST', headers, json: { a: 1 } });
      await transport(request);
      await transport({ ...request, body: 'sealed' });

      expect(await server.request(1)).toMatchObject({ headers, body: '{"a":1}' });
      expect(await server.request(2)).toMatchObject({ headers, body: 'sealed' });
    });

    test('each of many concurrent requests gets its own answer', async () => {
      await using server = await startFaultServer((socket, { url }) => void socket.write(answerBytes({ body: url })));
      const paths = Array.from({ length: 40 }, (_, index) => `/contacts/${index}`);
      const answers = await Promise.all(paths.map((path) => transport(aRequest({ url: server.origin + path }))));
      expect(answers.map(({ text }) => text)).toEqual(paths);
    });

    test('a body that does not end is refused at the cap, and its connection is given up', async () => {
      await using server = await startFaultServer(
        drip(head(200, { 'transfer-encoding': 'chunked' }), `10000\r\n${'x'.repeat(65_536)}\r\n`),
      );
      expect(await failureOf(transport(aRequest({ url: server.origin })))).toBeInstanceOf(UnexpectedResponseError);
      await server.closed(1);
    });

    test('no failure keeps the request, its credential or its body', async () => {
      await using server = await startFaultServer(resetBeforeAnswer);
      const error = await failureOf(
        transport(
          aRequest({
            url: `${server.origin}/?phone=15550100`,
            method: 'POST',
            headers: { authorization: 'Bearer s3cr3t' },
            body: '{"email":"ada@example.com"}',
          }),
        ),
      );
      const shown = `${inspect(error, { depth: 10, showHidden: true })}${JSON.stringify(error)}`;
      expect(shown).not.toMatch(/s3cr3t|15550100|ada@example/);
      expect(error.cause).toBeUndefined();
    });

    test.each(
      some([
        ['request-id', 'req_2'],
        ['x-correlation-id', 'req_3'],
      ]),
    )('finds the id of the answer in %s', async (name, id) => {
      await using server = await startFaultServer(answer({ headers: { [name]: id } }));
      expect((await transport(aRequest({ url: server.origin }))).requestId).toBe(id);
    });

    test.each(
      some([
        ['as it is', 's3cr3t-token'],
        ['in base64', Buffer.from('s3cr3t-token').toString('base64')],
        ['as user and password', Buffer.from('user:s3cr3t-token').toString('base64')],
      ]),
    )('a request id that repeats the credential %s is left out', async (_how, repeated) => {
      await using server = await startFaultServer(answer({ headers: { 'x-request-id': `for ${repeated}` } }));
      const request = aRequest({ url: server.origin });
      attemptLog(request).signed({ headers: {}, secrets: ['s3cr3t-token'] });
      expect((await transport(request)).requestId).toBeUndefined();
    });

    test('an unexpected answer never answers the next request', async () => {
      await using server = await startFaultServer(
        bytes(answerBytes({ body: '"mine"' }), answerBytes({ body: '"smuggled"' })),
        answer({ body: '"also mine"' }),
      );
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"mine"');
      await server.closed(1);
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"also mine"');
    });

    test.each(some([204, 304]))('a %i has an empty text', async (status) => {
      await using server = await startFaultServer(answer({ status }));
      expect(await transport(aRequest({ url: server.origin }))).toMatchObject({ status, text: '' });
    });

    test.each([
      ['empty', '', {}, ''],
      ['with a byte order mark', '\ufeff{}', {}, '{}'],
      ['with bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xc3, 0x22]), {}, '"\ufffd\ufffd"'],
      ['in Latin-1', Buffer.from('"Zoë"', 'latin1'), type('application/json; charset=iso-8859-1'), '"Zoë"'],
      ['in a quoted charset', Buffer.from('"Zoë"', 'latin1'), type('text/json;Charset="Latin1"; v=1'), '"Zoë"'],
      ['in windows-1252', Buffer.from([0x22, 0x80, 0x22]), type('application/json; charset=windows-1252'), '"€"'],
      ['in Shift_JIS', Buffer.from([0x22, 0x82, 0xa0, 0x22]), type('application/json; charset=Shift_JIS'), '"あ"'],
      [
        'in UTF-16 that is declared',
        Buffer.from('"Zoë"', 'utf16le'),
        type('application/json; charset=utf-16le'),
        '"Zoë"',
      ],
      ['in UTF-16 with a mark', Buffer.from('\ufeff"Zoë"', 'utf16le'), type('application/json'), '"Zoë"'],
      [
        'in UTF-16 whose mark says so',
        Buffer.from('\ufeff"Zoë"', 'utf16le').swap16(),
        type('text/json; charset=x'),
        '"Zoë"',
      ],
      ['in UTF-8 that is declared', Buffer.from('\ufeff"Zoë"'), type('application/json; charset=UTF8'), '"Zoë"'],
      ['compressed', gzipSync(aLongBody), { 'content-encoding': 'gzip' }, aLongBody],
    ])('reads a body %s', async (_how, body, headers, text) => {
      await using server = await startFaultServer(answer({ headers, body }));
      expect((await transport(aRequest({ url: server.origin }))).text).toBe(text);
    });

    test('refuses a success in a charset that no platform knows', async () => {
      const headers = type('application/json; charset=klingon');
      await using server = await startFaultServer(answer({ headers, body: '"x"' }), answer({ headers, body: '"x"' }));
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(error).toMatchObject({ code: 'unexpected_response', status: 200, outcome: 'unknown' });
      expect(error.message).toContain("a charset that can't be read: klingon");
      expect((await transport(aRequest({ url: server.origin, readsBytes: true }))).text).toBe('"x"');
    });

    test.each(some(['ENOTFOUND', 'EAI_AGAIN']))(
      'a name that cannot be looked up (%s) was sent nothing',
      async (code) => {
        const lookup = vi.spyOn(dns, 'lookup');
        onTestFinished(() => lookup.mockRestore());
        lookup.mockImplementation(((_host: string, _options: object, found: (error: Error) => void) =>
          found(Object.assign(new Error('getaddrinfo'), { code, syscall: 'getaddrinfo' }))) as typeof dns.lookup);

        const error = await failureOf(transport(aRequest({ url: `http://api.example.com/` })));

        expect(networkSummary(error)).toEqual({ reason: 'network', networkCode: code, outcome: 'not_sent' });
      },
    );

    test.each([
      [
        'closes in the middle of a chunk',
        closeAfter(Buffer.concat([head(200, { 'transfer-encoding': 'chunked' }), Buffer.from('ff\r\n{"name":')])),
      ],
      ['does not speak HTTP', bytes('SSH-2.0-OpenSSH_9.6\r\n')],
      ['sends more headers than anybody reads', bytes(head(200, { 'x-long': 'x'.repeat(100_000) }))],
      [
        'nests six compressions',
        bytes(head(200, { 'content-encoding': Array(6).fill('gzip').join(', '), 'content-length': '4' }), '1234'),
      ],
      [
        'calls something compressed that is not',
        answer({ headers: { 'content-encoding': 'gzip' }, body: '{"id":"1"}' }),
      ],
    ])('a server that %s leaves it unknown what was done, and no partial data', async (_how, reply) => {
      await using server = await startFaultServer(reply);
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(networkSummary(error)).toMatchObject({ reason: 'network', outcome: 'unknown' });
      expect(server.requests).toHaveLength(1);
    });

    test('names the failure as the system does', async () => {
      await using server = await startFaultServer(resetBeforeAnswer);
      const error = (await failureOf(transport(aRequest({ url: server.origin })))) as AttemptFailedError;
      expect(error.message).toBe(
        'messaging.contacts.get: the connection failed before the answer was complete (ECONNRESET)',
      );
    });

    test('an answer that is no HTTP has a name in the error', async () => {
      await using server = await startFaultServer(bytes('SSH-2.0-OpenSSH_9.6\r\n'));
      const error = (await failureOf(transport(aRequest({ url: server.origin })))) as AttemptFailedError;
      expect(error.networkCode).toMatch(/^(?:HPE_\w+|HTTPParserError)$/);
    });

    test('a header called __proto__ is a header', async () => {
      await using server = await startFaultServer(answer({ headers: { __proto__x: '1', ['__proto__']: 'polluted' } }));
      const { headers } = await transport(aRequest({ url: server.origin }));
      expect(headers.get('__proto__')).toBe('polluted');
      expect(Object.getPrototypeOf(headers)).toBe(Map.prototype);
    });

    test('a packed body that does not end is refused at the cap, and its connection is given up', async () => {
      const zeros = Buffer.alloc(65_536);
      const endless = Readable.from(
        (function* () {
          for (;;) yield zeros;
        })(),
      );
      await using server = await startFaultServer(
        stream(head(200, { connection: 'close', 'content-encoding': 'gzip' }), () => endless.pipe(createGzip())),
      );
      expect(await failureOf(transport(aRequest({ url: server.origin })))).toBeInstanceOf(UnexpectedResponseError);
      await server.closed(1);
      endless.destroy();
    });

    test('a body of exactly the cap is read', async () => {
      await using server = await startFaultServer(answer({ body: 'x'.repeat(mebibyte) }));
      expect((await transport(aRequest({ url: server.origin }))).text).toHaveLength(mebibyte);
    });

    test('a redirect to another origin takes neither the key nor the body there', async () => {
      await using other = await startFaultServer(answer());
      await using server = await startFaultServer(answer({ status: 307, headers: { location: other.origin } }));
      const request = aRequest({ url: server.origin, method: 'POST', headers: { 'x-api-key': 'k' }, body: '{}' });
      expect((await transport(request)).status).toBe(307);
      expect(other.connections()).toBe(0);
    });

    test.each(
      some([
        ['a line break', 'key\r\nx-admin: 1'],
        ['a character beyond Latin-1', 'key→'],
      ]),
    )('%s in a header is refused before anything is sent', async (_what, value) => {
      await using server = await startFaultServer(answer());
      const error = await failureOf(transport(aRequest({ url: server.origin, headers: { 'idempotency-key': value } })));
      expect(error instanceof InvalidArgumentError && error.field).toBe('idempotency-key');
      expect(error.outcome).toBe('not_sent');
      expect(server.connections()).toBe(0);
    });

    test('the length and the connection are never said twice', async () => {
      await using server = await startFaultServer(answer());
      const headers = {
        'Content-Length': '99',
        'transfer-encoding': 'chunked',
        host: 'elsewhere.test',
        connection: 'close',
      };
      await transport(
        aRequest({ url: server.origin, method: 'POST', headers, body: '{}' } satisfies Partial<HttpRequest>),
      );
      const received = await server.request(1);
      expect(received.body).toBe('{}');
      expect(received.headers).toMatchObject({
        'content-length': '2',
        host: new URL(server.origin).host,
        connection: 'keep-alive',
      });
      expect(received.headers).not.toHaveProperty('transfer-encoding');
    });
  });
};

const type = (value: string) => ({ 'content-type': value });
