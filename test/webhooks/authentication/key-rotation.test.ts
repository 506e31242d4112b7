import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createServer } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { oauthBearer } from '../../../src/webhooks/authentication/oauth-bearer.ts';
import { listening } from '../adapters/mounted.ts';
import { until } from '../../support/until.ts';
import { delivery, makeReceiver, payment } from '../receiver-parts.ts';

const issuer = 'https://issuer.test/';
const audience = 'https://hook.test/billing';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
let previous: KeyPair;
let current: KeyPair;
let stranger: KeyPair;
/** As an issuer publishes them during a rotation, with or without names. */
let published: Record<string, unknown>[];

beforeAll(async () => {
  const pair = () => generateKeyPair('ES256', { extractable: true });
  [previous, current, stranger] = await Promise.all([pair(), pair(), pair()]);
  published = await Promise.all([previous, current].map(({ publicKey }) => exportJWK(publicKey)));
});

const bearing = async ({ privateKey }: KeyPair, meantFor = audience) => {
  const token = await new SignJWT({ client_id: 'billing' })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(issuer)
    .setAudience(meantFor)
    .setExpirationTime('1m')
    .sign(privateKey);
  return delivery(payment(), { headers: { authorization: `Bearer ${token}` } });
};

const receiverWith = (jwks: string | { keys: Record<string, unknown>[] }) =>
  makeReceiver({ authentication: [oauthBearer({ issuer, audience, jwks })] });

describe('a token that names no key, while its issuer publishes two', () => {
  it.each([
    ['the previous one', () => previous],
    ['the current one', () => current],
  ])('is taken when it was signed with %s', async (_, pair) => {
    const { receive, errors } = receiverWith({ keys: published });

    expect((await receive(await bearing(pair()))).status).toBe(204);
    expect(errors).toEqual([]);
  });

  it('is refused for good when it was forged or is for another receiver', async () => {
    const { receive, handled, errors, told } = receiverWith({ keys: published });

    const answers = [
      await receive(await bearing(stranger)),
      await receive(await bearing(current, 'https://other.test/')),
    ];

    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect([handled, errors]).toEqual([[], []]);
    expect(told.map(({ reason }) => reason)).toEqual(['token_invalid', 'token_invalid']);
  });

  it('is checked with ten keys at most, since anybody can send such a token', async () => {
    const { publicKey } = stranger;
    const eleven = Array.from({ length: 10 }, () => exportJWK(publicKey));
    const { receive } = receiverWith({ keys: [...(await Promise.all(eleven)), ...published] });

    expect((await receive(await bearing(current))).status).toBe(401);
    expect((await receive(await bearing(stranger))).status).toBe(204);
  });
});

describe('a published key set', () => {
  it('is read up to 256 KiB, and its server is left alone then', async () => {
    let written = 0;
    let isClosed = false;
    const endless = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"keys":[');
      const chunk = `{"kty":"x","n":"${'a'.repeat(65_536)}"},`;
      const more = () => {
        if (isClosed || written > 300_000_000) return;
        written += chunk.length;
        if (response.write(chunk)) setImmediate(more);
        else response.once('drain', more);
      };
      response.on('close', () => {
        isClosed = true;
      });
      more();
    });
    await using server = await listening(endless);
    const { receive, errors } = receiverWith(`${server.url}/keys`);

    expect((await receive(await bearing(current))).status).toBe(503);
    expect(errors).toHaveLength(1);
    await until(() => isClosed);
    expect(written).toBeLessThan(20_000_000);
  });

  it.each([1, 1_000_000])(
    'keeps no connection open for each request while its server answers 500 with %i bytes',
    async (bytes) => {
      const open = new Set<object>();
      const failing = createServer((_request, response) => response.writeHead(500).end('x'.repeat(bytes)));
      failing.on('connection', (socket) => {
        open.add(socket);
        socket.on('close', () => open.delete(socket));
      });
      await using server = await listening(failing);
      const { receive } = receiverWith(`${server.url}/keys`);

      for (let request = 0; request < 10; request += 1)
        expect((await receive(await bearing(stranger))).status).toBe(503);

      await until(() => open.size <= 1);
    },
  );
});
