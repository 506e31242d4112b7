import { describe, expect, test } from 'vitest';
import { failureOf, getContact } from '../support/connect.ts';
import { answer, type Reply, silence } from '../support/fault-server.ts';
import { onFetch, unlikeTransports } from '../support/transports.ts';

const credential = () => {
  let reads = 0;
  return {
    reads: () => reads,
    authenticate: {
      read: async () => {
        reads += 1;
        return { headers: { authorization: 'Bearer s3cret' }, secrets: ['s3cret'] };
      },
      renew: async () => undefined,
    },
  };
};

const optionsThen =
  (status: number): Reply =>
  (socket, request) =>
    answer(request.method === 'OPTIONS' ? { status, body: 'no' } : { body: '{"id":"1"}' })(socket, request);

describe.each(unlikeTransports)('a warm-up on $name', ({ startFaultServer, connect }) => {
  test.each([200, 503])(
    'leaves a connection that the first request uses, whatever it was answered (%i)',
    async (status) => {
      await using server = await startFaultServer(optionsThen(status));
      const { authenticate, reads } = credential();
      const { client } = connect(server, { authenticate, circuit: { minimumVolume: 1 } });
      expect(await client.warmUp()).toEqual({ ready: true });
      expect(reads()).toBe(1);
      expect(await client.request(getContact)).toEqual({ id: '1' });
      expect(server.connections()).toBe(1);
      expect(server.requests.map(({ method, url, connection }) => ({ method, url, connection }))).toEqual([
        { method: 'OPTIONS', url: '/', connection: 1 },
        { method: 'GET', url: '/contacts/1', connection: 1 },
      ]);
      expect(client.status().circuit).toBe('closed');
    },
  );

  test('says so when the API does not answer in time, and no request is held up by it', async () => {
    await using server = await startFaultServer(silence, answer({ body: '{}' }));
    const { client, clock } = connect(server);
    const warming = client.warmUp({ deadline: 1_000 });
    await server.request(1);
    await client.request(getContact);
    await clock.advance(1_000);
    expect(await warming).toMatchObject({ ready: false, error: { code: 'deadline_exceeded' } });
  });
});

describe('a warm-up', () => {
  const { startFaultServer, connect } = onFetch;

  test('does not send the credential', async () => {
    await using server = await startFaultServer(optionsThen(200));
    const { client } = connect(server, { authenticate: credential().authenticate });
    await client.warmUp();
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('says so when there is no credential', async () => {
    await using server = await startFaultServer(optionsThen(200));
    const authenticate = {
      read: () => Promise.reject(new Error('the safe is locked')),
      renew: async () => undefined,
    };
    const { client } = connect(server, { authenticate });
    expect(await client.warmUp()).toMatchObject({ ready: false, error: { code: 'authentication_failed' } });
  });

  test('spends nothing of the rate limit', async () => {
    await using server = await startFaultServer(optionsThen(200));
    const { client } = connect(server, { rateLimit: { limit: 1, perMs: 60_000 }, quota: { limit: 1, perMs: 60_000 } });
    await client.warmUp();
    expect(client.status()).toMatchObject({ quotaLeft: 1 });
    await client.request(getContact);
    expect(await failureOf(client.request(getContact))).toMatchObject({ outcome: 'not_sent' });
  });
});
