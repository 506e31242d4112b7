import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createServer } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { mutualTls } from '../../../src/webhooks/authentication/mutual-tls.ts';
import { oauthBearer } from '../../../src/webhooks/authentication/oauth-bearer.ts';
import type { Peer } from '../../../src/webhooks/peer.ts';
import { listening } from '../adapters/mounted.ts';
import { delivery, makeReceiver, payment, seen } from '../receiver-parts.ts';

createVirtualClock();
const issuer = 'https://issuer.test/';
const audience = 'https://hook.test/billing';
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let otherKeys: Awaited<ReturnType<typeof generateKeyPair>>;
let jwks: { keys: Record<string, unknown>[] };

beforeAll(async () => {
  [keys, otherKeys] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
  jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'key-1', alg: 'ES256' }] };
});

interface TokenClaims {
  readonly iss?: string;
  readonly aud?: string;
  readonly [claim: string]: unknown;
}

const token = (
  { iss = issuer, aud = audience, ...claims }: TokenClaims = {},
  key = keys.privateKey,
  expiresInSeconds: number | undefined = 60,
) => {
  const jwt = new SignJWT({ client_id: 'billing', scope: 'events:write other', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
    .setIssuer(iss)
    .setAudience(aud);
  const nowSeconds = Math.floor(Date.now() / 1000);
  return (expiresInSeconds === 0 ? jwt : jwt.setExpirationTime(nowSeconds + expiresInSeconds)).sign(key);
};

const bearing = (value: string) => delivery(payment(), { headers: { authorization: `Bearer ${value}` } });

describe('an OAuth token', () => {
  const make = () =>
    makeReceiver({ authentication: [oauthBearer({ issuer, audience, jwks, scopes: ['events:write'] })] });

  it('is enough by itself, and shows who sent the event', async () => {
    const { receive, contexts } = make();

    expect((await receive(bearing(await token()))).status).toBe(204);
    expect(contexts[0]?.sender).toBe('billing');
  });

  it.each<[string, () => string | Promise<string>, number]>([
    ['none', () => '', 401],
    ['no token at all', () => 'abc', 401],
    ['a key of someone else', () => token({}, otherKeys.privateKey), 401],
    ['another issuer', () => token({ iss: 'https://other.test/' }), 401],
    ['another audience', () => token({ aud: 'https://other.test/' }), 401],
    ['one that has expired', () => token({}, keys.privateKey, -31), 401],
    ['one that never expires', () => token({}, keys.privateKey, 0), 401],
    ['one without signature', unsignedToken, 401],
    ['another scope', () => token({ scope: 'events:read' }), 403],
  ])('is refused: %s', async (_, make_, status) => {
    const { receive, handled, errors } = make();

    expect((await receive(bearing(await make_()))).status).toBe(status);
    expect([handled, errors]).toEqual([[], []]);
  });

  it('of one sender never takes the place of another’s event, or gets its answer, by using its id', async () => {
    const { receive, contexts } = makeReceiver({
      authentication: [oauthBearer({ issuer, audience, jwks })],
      eventId: () => 'evt_1',
      handler: (_, { sender = '' }) => ({ for: sender }),
    });
    const sent = async (client_id: string) => seen(await receive(bearing(await token({ client_id }))));

    expect(await sent('first')).toEqual({ status: 200, body: { for: 'first' } });
    expect(await sent('second')).toEqual({ status: 200, body: { for: 'second' } });
    expect(await sent('first')).toEqual({ status: 200, body: { for: 'first' } });
    expect(contexts.map(({ sender }) => sender)).toEqual(['first', 'second']);
  });

  it('may stand behind several spaces, and any case of the word before it', async () => {
    const { receive } = make();
    const value = await token();
    const statuses = [];
    for (const authorization of [
      `bearer   ${value}`,
      `Bearer${value}`,
      `Basic ${value}`,
      `xBearer ${value}`,
      `Bearer ${value} x`,
    ])
      statuses.push((await receive(delivery(payment(), { headers: { authorization } }))).status);

    expect(statuses).toEqual([204, 401, 401, 401, 401]);
  });

  it.each<[what: string, claims: TokenClaims, reason: string | undefined]>([
    ['a scope that is missing', { scope: 'events:read' }, 'token_scope'],
    ['a scope that is a part of another', { scope: 'events:write2 xevents:write' }, 'token_scope'],
    ['no scope', { scope: undefined }, 'token_scope'],
    ['a scope that is no text', { scope: 7 }, 'token_scope'],
    ['several in a text', { scope: 'a events:write b' }, undefined],
  ])('with %s is refused or not: it says why to us alone', async (_, claims, reason) => {
    const { receive, told } = make();

    await receive(bearing(await token(claims)));

    expect(told[0]?.reason).toBe(reason);
  });

  it.each([
    [{ client_id: 'a', azp: 'b', sub: 'c' }, 'a'],
    [{ client_id: undefined, azp: 'b', sub: 'c' }, 'b'],
  ])('with %o shows that %s sent the event', async (claims, sender) => {
    const { receive, contexts } = make();

    await receive(bearing(await token(claims)));

    expect(contexts[0]?.sender).toBe(sender);
  });

  it('may have its scopes in a list, and may be a little late', async () => {
    const { receive } = make();

    expect(
      (await receive(bearing(await token({ scope: undefined, scp: ['events:write'] }, keys.privateKey, -29)))).status,
    ).toBe(204);
  });

  it('is checked with the keys that its issuer publishes, fetched once', async () => {
    let fetched = 0;
    const publisher = createServer((_request, response) => {
      fetched += 1;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks));
    });
    await using server = await listening(publisher);
    const { receive } = makeReceiver({
      authentication: [oauthBearer({ issuer, audience, jwks: `${server.url}/keys` })],
    });

    const first = await receive(bearing(await token()));
    const second = await receive(bearing(await token()));

    expect([first.status, second.status, fetched]).toEqual([204, 204, 1]);
  });

  it('that cannot be checked now is not refused for good', async () => {
    await using server = await listening(createServer((_request, response) => response.writeHead(500).end()));
    const { receive, errors } = makeReceiver({
      authentication: [oauthBearer({ issuer, audience, jwks: `${server.url}/keys` })],
    });

    expect(await seen(await receive(bearing(await token())))).toEqual({ status: 503, body: { error: 'unavailable' } });
    expect(errors.length).toBe(1);
  });

  it.each([
    ['keys over plain http', { jwks: 'http://issuer.test/keys' }, 'jwks must be an https URL'],
    ['no audience', { audience: '' }, 'audience must be given'],
    ['no issuer', { issuer: '' }, 'issuer must be given'],
    ['a shared-key algorithm', { algorithms: ['HS256'] }, 'algorithms must be public-key algorithms'],
  ])('cannot be checked with %s', (_, options, message) => {
    expect(() => oauthBearer({ issuer, audience, jwks: { keys: [] }, ...options })).toThrow(message);
  });
});

describe('a client certificate', () => {
  const fingerprint = 'AB'.repeat(32);
  const colons = (fingerprint.match(/../g) ?? []).join(':');
  const certificate = { fingerprint256: colons, commonName: 'billing' };
  const proxied = {
    trusted: ['10.0.0.0/8'],
    verified: { header: 'x-client-verify', value: 'SUCCESS' },
    fingerprintHeader: 'x-client-fingerprint',
    commonNameHeader: 'x-client-cn',
  };
  const headers = {
    'x-client-verify': 'SUCCESS',
    'x-client-fingerprint': fingerprint.toLowerCase(),
    'x-client-cn': 'billing',
  };
  const send = (options: Parameters<typeof mutualTls>[0], peer: Peer, sent: Record<string, string> = {}) => {
    const made = makeReceiver({ authentication: [mutualTls(options)] });
    return made
      .receive(delivery(payment(), { headers: sent }), peer)
      .then(({ status }) => [status, made.contexts[0]?.sender]);
  };

  it('is accepted by its fingerprint, by its name, or by a function', async () => {
    expect(await send({ allow: { fingerprints: [fingerprint.toLowerCase()] } }, { certificate })).toEqual([
      204,
      'billing',
    ]);
    expect(await send({ allow: { commonNames: ['billing'] } }, { certificate })).toEqual([204, 'billing']);
    expect(await send({ allow: async () => true }, { certificate: { fingerprint256: colons } })).toEqual([
      204,
      fingerprint.toLowerCase(),
    ]);
  });

  it('is refused when it is missing, or another', async () => {
    expect(await send({ allow: { commonNames: ['billing'] } }, {})).toEqual([401, undefined]);
    expect(await send({ allow: { commonNames: ['crm'] } }, { certificate })).toEqual([403, undefined]);
    expect(await send({ allow: () => false }, { certificate })).toEqual([403, undefined]);
  });

  it.each(['yes', 'no', 1, {}, { allowed: true }, undefined])('is refused where allow answers %j', async (said) => {
    expect(await send({ allow: () => said as never }, { certificate })).toEqual([403, undefined]);
  });

  it('is believed of a trusted proxy, and of no one else', async () => {
    const options = { allow: { fingerprints: [fingerprint] }, proxy: proxied };

    expect(await send(options, { address: '10.1.1.1' }, headers)).toEqual([204, 'billing']);
    expect(await send(options, { address: '192.0.2.1' }, headers)).toEqual([401, undefined]);
    expect(await send(options, { address: '10.1.1.1' }, { ...headers, 'x-client-verify': 'FAILED' })).toEqual([
      401,
      undefined,
    ]);
    expect(await send({ allow: options.allow }, { address: '10.1.1.1' }, headers)).toEqual([401, undefined]);
  });

  it('must be allowed to someone', () => {
    expect(() => mutualTls({ allow: {} })).toThrow('allow must name at least one fingerprint or common name');
    expect(() => mutualTls({ allow: { fingerprints: ['abc'] } })).toThrow(
      'allow.fingerprints must be SHA-256 fingerprints',
    );
  });
});

function unsignedToken() {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ iss: issuer, aud: audience, exp: 4e9 })}.`;
}
