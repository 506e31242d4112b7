import { Cluster, Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { toDriver } from '../../../src/stores/bullmq/connection.ts';

const lazily = { lazyConnect: true };

test.each([
  ['redis://localhost:6379/1', 'Redis', { url: 'redis://localhost:6379/1' }],
  ['rediss://cache.example', 'Redis', { url: 'rediss://cache.example' }],
  ['postgres://db.example/app', 'PostgreSQL', { connectionString: 'postgres://db.example/app' }],
  ['postgresql://db.example/app', 'PostgreSQL', { connectionString: 'postgresql://db.example/app' }],
  [{ host: 'localhost', port: 7000 }, 'Redis', { host: 'localhost', port: 7000 }],
  [{ connectionString: 'postgres://db.example/app', migrate: false }, 'PostgreSQL', { migrate: false }],
] as const)('%j is a connection to %s', (connection, engine, options) => {
  expect(toDriver(connection)).toMatchObject({ engine, options });
});

test.each(['', 'localhost', 'http://user:secret@example', 'mysql://root:secret@db'])(
  '%j is refused, and not repeated in the error',
  (connection) => {
    const refused = () => bullmq({ connection });

    expect(refused).toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'connection' }));
    expect(refused).not.toThrow(/secret/);
  },
);

test.each([new Redis('redis://redis.internal', lazily), new Cluster([{ host: 'redis.internal' }], lazily)])(
  'a client is refused, rather than taken for a Redis on localhost',
  (client) => {
    expect(() => bullmq({ connection: client as never })).toThrow('connection must be');
  },
);

test('a name that would run into other keys is refused', () => {
  expect(() => bullmq({ connection: 'redis://localhost', name: 'a:b' })).toThrow('letters, digits, _ and -');
});
