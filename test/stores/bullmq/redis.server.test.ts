import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { eventually, until } from '../../support/until.ts';
import { messageQueueConformance } from '../message-queue.conformance.ts';
import { consuming, manyProcesses, message, onRealTime } from './many-processes.ts';

describeWithRedis('BullMQ on Redis', () => {
  let server: TestServer;
  let queues = 0;
  beforeAll(async () => {
    server = await startRedisServer({ appendOnly: 'always' });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  messageQueueConformance(
    'BullMQ on Redis',
    onRealTime((options) => {
      queues += 1;
      return bullmq({ connection: server.url, name: `test-${queues}`, ...options });
    }),
  );

  manyProcesses(() => server);

  test('a message that is done leaves its id in Redis for a time, and nothing else', async () => {
    const queue = bullmq({ connection: server.url, name: 'emptied', keepDoneMs: 1_000 });
    const redis = new Redis(server.url);
    const kept = async () => (await redis.keys('*emptied*')).filter((key) => key.endsWith(':m.a'));
    await queue.enqueue([message('a')]);
    expect(await kept()).toHaveLength(2);

    queue.consume(consuming, async () => ({ type: 'done' }));
    await eventually(async () => (await queue.admin.get('a')) === undefined);
    for (const key of await kept()) expect(await redis.get(key)).toBe('m.a');

    await eventually(async () => (await kept()).length === 0);
    redis.disconnect();
    await queue.close(0);
  });

  test('a broken job keeps no other message waiting', async () => {
    const queue = bullmq({ connection: server.url, name: 'broken' });
    const redis = new Redis(server.url);
    const seen: string[] = [];
    await queue.enqueue([message('bad'), message('good'), message('other', 'other')]);
    const key = (await redis.keys('*broken*')).find((name) => name.endsWith('g:m.bad'));
    await redis.hset(key ?? '', 'data', 'no JSON');

    const groups = { g: 4, other: 4 };
    queue.consume({ ...consuming, groups }, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });
    await until(() => seen.length === 2);

    expect(seen.toSorted()).toEqual(['good', 'other']);
    redis.disconnect();
    await queue.close(0);
  });

  test('without a right that BullMQ needs, a consumer keeps no connections; with it, everything begins', async () => {
    const redis = new Redis(server.url);
    const rights = (...rules: string[]) => redis.call('ACL', 'SETUSER', 'limited', ...rules);
    await rights('on', '>word', '~*', '&*', '+@all', '-info');
    const connections = async () => String(await redis.client('LIST')).split('user=limited').length - 1;
    const queue = bullmq({
      connection: { host: '127.0.0.1', port: server.port, username: 'limited', password: 'word' },
    });
    const errors: unknown[] = [];
    const seen: string[] = [];
    queue.consume({ ...consuming, onError: (error) => errors.push(error) }, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });
    await expect(queue.enqueue([message('a')])).rejects.toThrow('Redis could not do what it was asked for');
    await until(() => errors.length > 2);
    // The publisher's, and those of a worker that tries.
    expect(await connections()).toBeLessThanOrEqual(3);

    await rights('+info');
    await eventually(() => queue.enqueue([message('b')]).then(...whetherItWorks));
    await until(() => seen.includes('b'));
    await queue.close(0);
    await eventually(async () => (await connections()) === 0);
    redis.disconnect();
  });

  test('a server that hangs costs a call no more than its time', async () => {
    const queue = bullmq({ connection: server.url, name: 'hanging', timeoutMs: 1_000 });
    await queue.enqueue([message('before')]);

    await server.freeze();
    await expect(queue.enqueue([message('a')])).rejects.toThrow('did not answer within 1000 ms');
    server.thaw();

    const isBack = async () => queue.enqueue([message('b')]).then(...whetherItWorks);
    await eventually(isBack);
    await queue.close(0);
  });

  test('while nothing listens on its port a worker tries a few times, not all the time', async () => {
    const attempts: number[] = [];
    const refusing = createServer((socket) => {
      attempts.push(performance.now());
      socket.destroy();
    });
    await once(refusing.listen(0, '127.0.0.1'), 'listening');
    const { port } = refusing.address() as AddressInfo;
    const queue = bullmq({ connection: { host: '127.0.0.1', port }, timeoutMs: 500 });
    const errors: unknown[] = [];
    queue.consume({ ...consuming, onError: (error) => errors.push(error) }, async () => ({ type: 'done' }));

    await until(() => errors.length === 3);

    // Waits double up to a second, for each of the two connections.
    expect(attempts.length).toBeLessThan(40);
    await queue.close(0);
    refusing.close();
  });

  test('a connection that the network has dropped is replaced, for publishers and for workers', async () => {
    await using way = await startTcpProxy(server.port);
    const connection = { host: '127.0.0.1', port: way.port, socketTimeout: 300 };
    const queue = bullmq({ connection, name: 'forgotten', timeoutMs: 100 });
    const seen: string[] = [];
    queue.consume(consuming, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });
    await eventually(async () => queue.enqueue([message('before')]).then(...whetherItWorks));
    await until(() => seen.length === 1);

    way.swallow();
    await eventually(async () => queue.enqueue([message('after')]).then(...whetherItWorks));
    await until(() => seen.length === 2);

    expect(seen).toEqual(['before', 'after']);
    await queue.close(0);
  });

  test('after a failover that left its connection with what is a replica now, a queue finds the new primary', async () => {
    await using successor = await startRedisServer();
    await using primary = await startRedisServer({ settings: { 'repl-diskless-sync-delay': '0' } });
    await using way = await startTcpProxy(primary.port);
    const queue = bullmq({ connection: { host: '127.0.0.1', port: way.port } });
    await queue.enqueue([message('before')]);

    const [ofPrimary, ofSuccessor] = [new Redis(primary.url), new Redis(successor.url)];
    await ofSuccessor.replicaof('127.0.0.1', primary.port);
    await eventually(async () => (await ofSuccessor.info('replication')).includes('master_link_status:up'));
    await ofSuccessor.replicaof('NO', 'ONE');
    await ofPrimary.replicaof('127.0.0.1', successor.port);
    way.leadTo(successor.port);
    const both = [message('after'), message('after too', 'other')];
    await eventually(async () => queue.enqueue(both).then(...whetherItWorks));

    expect((await queue.admin.stats()).ready).toBe(3);
    for (const operator of [ofPrimary, ofSuccessor]) operator.disconnect();
    await queue.close(0);
  });
});

const whetherItWorks = [() => true, () => false] as const;
