import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { IdempotencyStore } from '../../src/stores/ports/idempotency-store.ts';
import { createPostgresIdempotencyStore } from '../../src/stores/postgres/idempotency-store.ts';
import { createRedisIdempotencyStore } from '../../src/stores/redis/idempotency-store.ts';
import { describeWithPostgres, openPool, startPostgresServer } from '../support/postgres-server.ts';
import { describeWithRedis, startRedisServer } from '../support/redis-server.ts';
import { delivery, makeReceiver, seen } from './receiver-parts.ts';

describeWithRedis('webhook receivers that share a Redis', () => {
  it('handle an event once, whichever of them it is delivered to', async () => {
    await using server = await startRedisServer({ appendOnly: 'always' });
    const clients = [new Redis(server.url), new Redis(server.url)] as const;
    expect(await handleOnce(clients.map((client) => createRedisIdempotencyStore({ client })))).toEqual(once);
    for (const client of clients) client.disconnect();
  });
});

describeWithPostgres('webhook receivers that share a PostgreSQL', () => {
  it('handle an event once, whichever of them it is delivered to', async () => {
    await using server = await startPostgresServer();
    const pools = [openPool(server), openPool(server)];
    expect(await handleOnce(pools.map((pool) => createPostgresIdempotencyStore({ pool })))).toEqual(once);
    for (const pool of pools) await pool.end();
  });
});

const handleOnce = async ([firstStore, secondStore]: readonly IdempotencyStore[]) => {
  if (!firstStore || !secondStore) throw new Error('two stores are needed');
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const first = makeReceiver({
    store: firstStore,
    handler: async () => {
      started.resolve();
      await ended.promise;
      return { receipt: 'r_1' };
    },
  });
  const second = makeReceiver({ store: secondStore });
  const underWay = first.receive(delivery());
  await started.promise;

  const meanwhile = (await second.receive(delivery())).status;
  ended.resolve();
  const answers = [await seen(await underWay), await seen(await second.receive(delivery()))];
  return { meanwhile, answers, handledBySecond: second.handled };
};

const answer = { status: 200, body: { receipt: 'r_1' } };
const once = { meanwhile: 409, answers: [answer, answer], handledBySecond: [] };
