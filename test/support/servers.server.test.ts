import { Redis } from 'ioredis';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { describeWithPostgres, startPostgresServer } from './postgres-server.ts';
import { describeWithRedis, startRedisServer } from './redis-server.ts';

describeWithRedis('a Redis of a test', () => {
  test('that is killed has what it flushed when it is there again', async () => {
    await using server = await startRedisServer({ appendOnly: 'always' });
    const client = new Redis(server.url);
    client.on('error', () => undefined);
    await client.set('a', '1');

    await server.kill();
    await server.restart();

    expect(await client.get('a')).toBe('1');
    client.disconnect();
  });

  test('that keeps nothing on disk comes back empty', async () => {
    await using server = await startRedisServer();
    const client = new Redis(server.url);
    client.on('error', () => undefined);
    await client.set('a', '1');

    await server.restart();

    expect(await client.get('a')).toBe(null);
    client.disconnect();
  });
});

describeWithPostgres('a PostgreSQL of a test', () => {
  test('that is killed has what was committed when it is there again', async () => {
    await using server = await startPostgresServer();
    const before = new Client(server.url);
    before.on('error', () => undefined);
    await before.connect();
    await before.query('CREATE TABLE a AS SELECT 1 AS b');

    await server.kill();
    await server.restart();

    const after = new Client(server.url);
    await after.connect();
    expect((await after.query('SELECT b FROM a')).rows).toEqual([{ b: 1 }]);
    await after.end();
  });
});
