import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRedisEventExchange, type RedisSubscriber } from '../../../src/stores/redis/event-exchange.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { createEventWaits } from '../../../src/webhooks/event-waits.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { until } from '../../support/until.ts';
import { eventExchangeConformance } from '../event-exchange.conformance.ts';

const waiter = fileURLToPath(new URL('./processes/waiter.ts', import.meta.url));

describeWithRedis('events in Redis', () => {
  let server: TestServer;
  let client: Redis;
  const connections: Redis[] = [];
  let count = 0;

  const connect = () => {
    const connection = new Redis(server.url);
    connection.on('error', () => undefined);
    connections.push(connection);
    return connection;
  };

  beforeAll(async () => {
    server = await startRedisServer();
    client = connect();
  });
  afterAll(async () => {
    for (const connection of connections) connection.disconnect();
    await server[Symbol.asyncDispose]();
  });

  const freshPrefix = () => `test${(count += 1)}:`;
  const open = (prefix: string) => createRedisEventExchange({ client, subscriber: connect(), prefix });

  eventExchangeConformance('Redis', async () => {
    const prefix = freshPrefix();
    return { there: open(prefix), here: open(prefix) };
  });

  test('a phone call in another process gets its callback, also one that came before it waited', async () => {
    const arriving = createEventWaits<{ readonly status: string }>({ exchange: open('voice-agent:events:') });
    await arriving.arrived('early', { status: 'before' });

    const child = spawn(process.execPath, [waiter, server.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('waiting');
    await arriving.arrived('late', { status: 'after' });

    expect(JSON.parse(String((await lines.next()).value))).toEqual([{ status: 'before' }, { status: 'after' }]);
  });

  test('an event whose announcement was lost is found a little later', async () => {
    const clock = createVirtualClock();
    const prefix = freshPrefix();
    const deaf: RedisSubscriber = { subscribe: async () => undefined, unsubscribe: async () => undefined };
    let reads = 0;
    const counting = {
      call: async (command: string, ...args: string[]) => {
        const answer = await client.call(command, ...args);
        if (command === 'GET') reads += 1;
        return answer;
      },
    };
    const exchange = createRedisEventExchange({ client: counting, subscriber: deaf, prefix });
    const wait = createEventWaits<string>({ exchange }).waitForEvent({ key: 'k', deadline: 60_000 });
    await until(() => reads === 1);

    await createEventWaits<string>({ exchange: open(prefix) }).arrived('k', 'paid');
    await clock.advance(1_000);

    expect(await wait).toBe('paid');
    await exchange.close();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('while it is down a wait ends with its time, and posting throws, so that the sender comes again', async () => {
    const clock = createVirtualClock();
    const errors: unknown[] = [];
    const exchange = createRedisEventExchange({
      client,
      subscriber: connect(),
      prefix: freshPrefix(),
      onError: (error) => errors.push(error),
    });
    const payments = createEventWaits<string>({ exchange });
    await server.freeze();
    try {
      const wait = payments.waitForEvent({ key: 'k', deadline: 5_000 });
      const posted = expect(payments.arrived('k', 'paid')).rejects.toMatchObject({ code: 'store_failed' });
      await clock.advance(5_000);

      expect(await wait).toBeUndefined();
      await posted;
      expect(errors.length).toBeGreaterThan(0);
    } finally {
      server.thaw();
    }
    await exchange.close();
  });

  test('listens again after a server that hung, however often that was tried meanwhile', async () => {
    const clock = createVirtualClock();
    const prefix = freshPrefix();
    const [hanging, operator] = [connect(), connect()];
    const errors: unknown[] = [];
    const exchange = createRedisEventExchange({
      client,
      subscriber: hanging,
      prefix,
      onError: (error) => errors.push(error),
    });
    await Promise.all([hanging.ping(), operator.ping()]);
    await server.freeze();
    const received: unknown[] = [];
    exchange.watch('k', (event) => received.push(event));
    try {
      await clock.advance(10_000);
      expect(errors.length).toBeGreaterThan(2);
    } finally {
      server.thaw();
    }

    // After it everything that was asked for has been answered.
    await hanging.call('PING');
    expect(await operator.call('PUBSUB', 'NUMSUB', `${prefix}posted`)).toEqual([`${prefix}posted`, 1]);
    await open(prefix).post('k', 'paid', { keepMs: 60_000 });
    await until(() => received.length === 1);
    await exchange.close();
  });
});
