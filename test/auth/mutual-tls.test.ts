import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { combined, oauthClientCredentials } from '../../src/auth/index.ts';
import { createHttpClient } from '../../src/http/client.ts';
import { undiciTransport } from '../../src/http/transport/undici.ts';
import { createAuthority } from '../support/certificates.ts';
import { failureOf, getContact } from '../support/connect.ts';

const authority = await createAuthority();
const [serverIdentity, agent, other] = await Promise.all([
  authority.issue(),
  authority.issue({ commonName: 'agent' }),
  authority.issue({ commonName: 'other' }),
]);

/** A token endpoint and an API behind real mutual TLS: both know the client `agent` by its certificate alone. */
const startServer = async () => {
  const seen: { url: string; body: string; authorization: string | undefined; client: string }[] = [];
  const { certificate: cert, key } = serverIdentity;
  const options = { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
  const server = createServer(options, async (request, response) => {
    const client = String((request.socket as TLSSocket).getPeerCertificate().subject.CN);
    const { url = '', headers } = request;
    seen.push({ url, body: await text(request), authorization: headers.authorization, client });
    response.setHeader('content-type', 'application/json');
    if (client !== 'agent') response.writeHead(401).end('{"error":"invalid_client"}');
    else if (url === '/token') response.end('{"access_token":"bound-token","token_type":"Bearer","expires_in":300}');
    else response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const showing = ({ certificate, key }: typeof agent) =>
  undiciTransport({ tls: { ca: authority.certificate, certificate: () => certificate, key: () => key } });

it('a token is asked for with a client certificate in place of a secret (RFC 8705)', async () => {
  using server = await startServer();
  await using transport = showing(agent);
  const authenticate = oauthClientCredentials({
    tokenEndpoint: `${server.origin}/token`,
    clientId: () => 'app-1',
    transport,
  });
  const client = createHttpClient({
    api: 'messaging',
    version: '1',
    versionHeader: 'v',
    baseUrl: server.origin,
    authenticate,
    transport,
  });

  await client.request(getContact);

  expect(server.seen).toEqual([
    { url: '/token', body: 'grant_type=client_credentials&client_id=app-1', authorization: undefined, client: 'agent' },
    { url: '/contacts/1', body: '', authorization: 'Bearer bound-token', client: 'agent' },
  ]);
});

it('another certificate gets no token, and the API is not asked', async () => {
  using server = await startServer();
  await using transport = showing(other);
  const authenticate = oauthClientCredentials({
    tokenEndpoint: `${server.origin}/token`,
    clientId: () => 'app-1',
    transport,
  });
  const client = createHttpClient({
    api: 'messaging',
    version: '1',
    versionHeader: 'v',
    baseUrl: server.origin,
    authenticate,
    transport,
  });

  expect(await failureOf(client.request(getContact))).toMatchObject({
    code: 'authentication_failed',
    reason: 'invalid_client',
    outcome: 'not_sent',
  });
  expect(server.seen.map(({ url }) => url)).toEqual(['/token']);
});

it('a certificate alone is enough for an API that asks for nothing else', async () => {
  using server = await startServer();
  await using transport = showing(agent);
  const client = createHttpClient({
    api: 'messaging',
    version: '1',
    versionHeader: 'v',
    baseUrl: server.origin,
    authenticate: combined(),
    transport,
  });

  await client.request(getContact);

  expect(server.seen).toEqual([{ url: '/contacts/1', body: '', authorization: undefined, client: 'agent' }]);
});
