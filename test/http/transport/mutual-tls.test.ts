import { createServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { AttemptFailedError } from '../../../src/core/errors.ts';
import { type TlsOptions, undiciTransport } from '../../../src/http/transport/undici.ts';
import { createAuthority } from '../../support/certificates.ts';
import { connect, createContact, failureOf, getContact } from '../../support/connect.ts';
import { networkSummary } from '../../support/network-summary.ts';
import { aRequest } from '../../support/request.ts';

const authority = await createAuthority();
const stranger = await createAuthority('Another authority');
const [first, second, foreign] = await Promise.all([
  authority.issue({ commonName: 'agent 1' }),
  authority.issue({ commonName: 'agent 2' }),
  stranger.issue({ commonName: 'agent of another authority' }),
]);

const ofAnotherKind = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** A server that knows only the authority's certificates and answers who it was shown. */
const startServer = async ({ maxVersion = 'TLSv1.3', identity = authority.issue() } = {}) => {
  const { certificate, key } = await identity;
  const shown: string[] = [];
  const server = createServer(
    {
      cert: certificate,
      key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
      maxVersion: maxVersion === 'TLSv1.2' ? 'TLSv1.2' : 'TLSv1.3',
    },
    (request, response) => {
      const name = String((request.socket as TLSSocket).getPeerCertificate().subject.CN);
      shown.push(name);
      response.end(JSON.stringify(name));
    },
  );
  let connections = 0;
  let closed = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.once('close', () => (closed += 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown,
    open: () => connections - closed,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

describe('transport/undici', () => {
  const trusting = (tls: TlsOptions = {}) => undiciTransport({ tls: { ca: authority.certificate, ...tls } });
  const showing = ({ certificate, key } = first) => ({ certificate: () => certificate, key: async () => key });

  describe('a client certificate', () => {
    test.each(['TLSv1.2', 'TLSv1.3'])('is shown to a server that asks for one, in %s', async (maxVersion) => {
      using server = await startServer({ maxVersion });
      await using transport = trusting(showing());
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"agent 1"');
    });

    test('that is missing is refused before anything was sent, in TLSv1.2', async () => {
      using server = await startServer({ maxVersion: 'TLSv1.2' });
      await using transport = trusting();
      const error = await failureOf(transport(aRequest({ url: server.origin, method: 'POST', body: '{}' })));
      expect(error).toMatchObject({ code: 'attempt_failed', reason: 'network', outcome: 'not_sent' });
      expect(error.message).toContain(
        'the server may be asking for a client certificate; give tls.certificate and tls.key',
      );
      expect(server.shown).toEqual([]);
    });

    // In TLS 1.3 the client is done before the server has looked at its certificate, and undici doesn't report the alert.
    test('that is missing leaves it unknown what was done, in TLSv1.3', async () => {
      using server = await startServer();
      await using transport = trusting();
      const error = await failureOf(connect(server, { transport }).client.request(createContact));
      expect(error).toMatchObject({ code: 'max_retries_exceeded', reason: 'network', outcome: 'unknown' });
      expect((error.cause as AttemptFailedError).message).toContain(
        'the connection failed before the answer was complete',
      );
      expect(server.shown).toEqual([]);
    });

    test('of an authority that the server does not know gets no answer', async () => {
      using server = await startServer();
      await using transport = trusting(showing(foreign));
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(error).toMatchObject({ code: 'attempt_failed', reason: 'network' });
      expect(server.shown).toEqual([]);
    });

    test('that was rotated is shown by the next request, and the old connection is closed', async () => {
      using server = await startServer();
      let current = first;
      await using transport = trusting({ certificate: () => current.certificate, key: () => current.key });
      const { client } = connect(server, { transport });

      expect(await client.request(getContact)).toBe('agent 1');
      expect(await client.request(getContact)).toBe('agent 1');
      expect(server.open()).toBe(1);
      current = second;
      expect(await client.request(getContact)).toBe('agent 2');
      await expect.poll(server.open).toBe(1);
      expect(await client.request(getContact)).toBe('agent 2');
      expect(server.open()).toBe(1);
    });

    test('that is read while the transport is closed keeps no connection open', async () => {
      using server = await startServer();
      const transport = trusting(showing());
      const end = transport(aRequest({ url: server.origin }));
      await transport.close();
      expect((await end).text).toBe('"agent 1"');
      await expect.poll(server.open).toBe(0);
    });

    test('that is rotated while a request is in flight does not disturb it', async () => {
      using server = await startServer();
      let current = first;
      await using transport = trusting({ certificate: () => current.certificate, key: () => current.key });
      const names = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          current = index < 10 ? first : second;
          return transport(aRequest({ url: server.origin })).then(({ text }) => text);
        }),
      );
      expect(names).toEqual([...Array<string>(10).fill('"agent 1"'), ...Array<string>(10).fill('"agent 2"')]);
    });

    test('whose rotation is half done goes on with the pair that fits', async () => {
      using server = await startServer();
      let current = first;
      await using transport = trusting({ certificate: () => current.certificate, key: () => second.key });
      const half = trusting({ certificate: () => current.certificate, key: () => first.key });
      expect((await half(aRequest({ url: server.origin }))).text).toBe('"agent 1"');
      current = second;
      expect((await half(aRequest({ url: server.origin }))).text).toBe('"agent 1"');
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"agent 2"');
      await half.close();
    });

    test.for([
      ['its key is of another kind', () => ({ certificate: first.certificate, key: ofAnotherKind })],
      ['its file is half written', () => ({ certificate: first.certificate.slice(0, 200), key: first.key })],
      ['its file is empty', () => ({ certificate: '', key: first.key })],
    ] as const)('is the last one that could be used while %s', async ([, broken]) => {
      using server = await startServer();
      let current = first;
      await using transport = trusting({ certificate: () => current.certificate, key: () => current.key });
      await transport(aRequest({ url: server.origin }));
      current = { ...first, ...broken() };
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"agent 1"');
      current = second;
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"agent 2"');
    });

    test('that a slow read brings is not shown once a newer one is known', async () => {
      using server = await startServer();
      const slow = Promise.withResolvers<void>();
      let current = first;
      const read = async (name: 'certificate' | 'key') => {
        const was = current;
        if (was === first) await slow.promise;
        return was[name];
      };
      await using transport = trusting({ certificate: () => read('certificate'), key: () => read('key') });
      const early = transport(aRequest({ url: server.origin }));
      current = second;
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"agent 2"');
      slow.resolve();
      expect((await early).text).toBe('"agent 2"');
    });

    test('may have a key that a passphrase opens', async () => {
      using server = await startServer();
      const key = createPrivateKey(first.key).export({
        type: 'pkcs8',
        format: 'pem',
        cipher: 'aes-256-cbc',
        passphrase: 'open sesame',
      });
      const tls = { certificate: () => first.certificate, key: () => String(key) };
      await using transport = trusting({ ...tls, passphrase: () => 'open sesame' });
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"agent 1"');

      // One wrong passphrase in 256 gives bytes with a legal end, and OpenSSL says something else of it.
      const looksBroken = Array.from({ length: 5_000 }, (_, index) => `open barley ${index}`).find((passphrase) => {
        try {
          return !createPrivateKey({ key, passphrase });
        } catch (error) {
          return !/BAD_DECRYPT/.test(String((error as NodeJS.ErrnoException).code));
        }
      });
      for (const passphrase of ['open barley', looksBroken ?? 'open barley']) {
        await using closed = trusting({ ...tls, passphrase: () => passphrase });
        const error = await failureOf(closed(aRequest({ url: server.origin })));
        expect(error).toMatchObject({ code: 'authentication_failed', outcome: 'not_sent' });
        expect(error.message).toBe(
          'messaging.contacts.get was not sent: tls.key is encrypted, and tls.passphrase does not open it',
        );
      }
    });
  });

  describe('a server', () => {
    test('whose authority is not trusted is sent nothing, and the error says what to do', async () => {
      using server = await startServer();
      await using transport = undiciTransport({ tls: { ca: stranger.certificate, ...showing() } });
      const error = await failureOf(transport(aRequest({ url: server.origin, method: 'POST', body: '{}' })));
      expect(networkSummary(error)).toMatchObject({ reason: 'network', outcome: 'not_sent' });
      expect(error.message).toContain('if the API has an authority of its own, give its certificate as tls.ca');
      expect(server.shown).toEqual([]);
    });

    test('that is trusted by an authority which changed is sent requests again', async () => {
      using server = await startServer();
      let ca = stranger.certificate;
      await using transport = undiciTransport({ tls: { ca: () => ca, ...showing() } });
      expect((await failureOf(transport(aRequest({ url: server.origin })))).outcome).toBe('not_sent');
      ca = authority.certificate;
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"agent 1"');
    });

    test('may be trusted by one of several authorities', async () => {
      using server = await startServer();
      await using transport = undiciTransport({
        tls: { ca: [stranger.certificate, authority.certificate], ...showing() },
      });
      expect((await transport(aRequest({ url: server.origin }))).text).toBe('"agent 1"');
    });

    test('is not trusted because the environment says so', async () => {
      using server = await startServer();
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      try {
        await using transport = undiciTransport({ tls: showing() });
        expect((await failureOf(transport(aRequest({ url: server.origin })))).outcome).toBe('not_sent');
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      }
    });

    test('with a certificate for another name is sent nothing, unless that name is expected', async () => {
      using server = await startServer({ identity: authority.issue({ names: ['api.example.test'] }) });
      await using transport = trusting(showing());
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(networkSummary(error)).toEqual({
        reason: 'network',
        networkCode: 'ERR_TLS_CERT_ALTNAME_INVALID',
        outcome: 'not_sent',
      });
      await using expecting = trusting({ ...showing(), servername: 'api.example.test' });
      expect((await expecting(aRequest({ url: server.origin }))).text).toBe('"agent 1"');
    });

    test('that is called by a name may show the certificate of another one that is expected', async () => {
      using server = await startServer({ identity: authority.issue({ names: ['api.example.test'] }) });
      await using expecting = trusting({ ...showing(), servername: 'api.example.test' });
      const url = server.origin.replace('127.0.0.1', 'localhost');
      expect((await expecting(aRequest({ url }))).text).toBe('"agent 1"');
    });

    test('whose certificate has expired is sent nothing', async () => {
      using server = await startServer({ identity: authority.issue({ validUntil: new Date(Date.now() - 3_600_000) }) });
      await using transport = trusting(showing());
      expect(await failureOf(transport(aRequest({ url: server.origin })))).toMatchObject({
        networkCode: 'CERT_HAS_EXPIRED',
        outcome: 'not_sent',
      });
    });

    test('that speaks no TLS is sent nothing', async () => {
      const server = createPlainServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad\r\n\r\n'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      await using transport = trusting(showing());
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const error = await failureOf(transport(aRequest({ url })));
      expect(networkSummary(error)).toEqual({
        reason: 'network',
        networkCode: expect.stringMatching(/EPROTO|ERR_SSL_WRONG_VERSION_NUMBER/),
        outcome: 'not_sent',
      });
      expect(error.message).toContain('see whether the server speaks TLS on this port');
      server.close();
    });

    test('that speaks only an older TLS than allowed is sent nothing', async () => {
      using server = await startServer({ maxVersion: 'TLSv1.2' });
      await using transport = trusting({ ...showing(), minVersion: 'TLSv1.3' });
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(error.outcome).toBe('not_sent');
      expect(error.message).toContain('see tls.minVersion');
    });
  });

  describe('key material', () => {
    test.each(['key', 'certificate', 'passphrase'])('is never a literal: %s', (name) => {
      const literal = { [name]: first.key } as unknown as TlsOptions;
      expect(() => trusting({ ...showing(), ...literal })).toThrow(
        expect.objectContaining({ code: 'invalid_argument', field: `tls.${name}` }),
      );
      expect(() => trusting({ ...showing(), ...literal })).toThrow(/^(?!.*PRIVATE KEY)/s);
    });

    test.each([
      ['tls.key', { certificate: () => first.certificate }],
      ['tls.certificate', { key: () => first.key }],
      ['tls.ca', { ca: 'ca.pem' }],
    ])('that is of no use is refused: %s', (field, tls) => {
      expect(() => trusting(tls)).toThrow(expect.objectContaining({ code: 'invalid_argument', field }));
    });

    test.each<[what: string, tls: TlsOptions, problem: string]>([
      ['fails to come', { ...showing(), key: () => Promise.reject(new Error(first.key)) }, 'tls.key could not be read'],
      ['is no PEM', { ...showing(), key: () => 'not a key' }, 'tls.key gave nothing in PEM'],
      ['is empty', { ...showing(), passphrase: () => '' }, 'tls.passphrase gave no text'],
      ['does not fit', { ...showing(), key: () => second.key }, 'tls.key does not belong to tls.certificate'],
      [
        'is broken',
        { ...showing(), key: () => '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' },
        'tls.certificate, tls.key or tls.ca cannot be used',
      ],
    ])('that %s sends nothing and is not shown', async (_what, tls, problem) => {
      using server = await startServer();
      await using transport = trusting(tls);
      const error = await failureOf(transport(aRequest({ url: server.origin })));
      expect(error).toMatchObject({ code: 'authentication_failed', outcome: 'not_sent' });
      expect(error.message).toBe(`messaging.contacts.get was not sent: ${problem}`);
      expect(`${inspect(error, { depth: 20, showHidden: true })}${JSON.stringify(error)}`).not.toMatch(
        /BEGIN|not a key/,
      );
    });

    test('is in no transport, error or event', async () => {
      using server = await startServer();
      const transport = undiciTransport({ tls: showing() });
      const { client, events } = connect(server, { transport });
      const error = await failureOf(client.request(createContact));
      const shown = [error, error.cause, events, transport]
        .map((each) => `${inspect(each, { depth: 20, showHidden: true })}${JSON.stringify(each)}`)
        .join('\n');
      expect(events.length).toBeGreaterThan(1);
      expect(shown).not.toContain('BEGIN');
      expect(shown).not.toContain(first.key.split('\n')[1]);
    });

    test('that takes too long to come does not hold a caller who gives up', async () => {
      using server = await startServer();
      await using transport = trusting({ ...showing(), key: () => new Promise(() => undefined) });
      const caller = new AbortController();
      const end = transport(aRequest({ url: server.origin, signal: caller.signal }));
      caller.abort('hung up');
      await expect(end).rejects.toBe('hung up');
    });
  });
});
