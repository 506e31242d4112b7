import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresEventExchange } from '../../../src/stores/postgres/event-exchange.ts';
import { startEndingProxy } from '../../support/ending-proxy.ts';
import { describeWithPostgres, openPool, startPostgresServer } from '../../support/postgres-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { until } from '../../support/until.ts';
import { eventExchangeConformance } from '../event-exchange.conformance.ts';

describeWithPostgres('events in PostgreSQL', () => {
  let server: TestServer;
  let pool: Pool;
  let count = 0;

  beforeAll(async () => {
    server = await startPostgresServer();
    pool = openPool(server);
  });
  afterAll(async () => {
    await pool.end();
    await server[Symbol.asyncDispose]();
  });

  eventExchangeConformance('PostgreSQL', async () => {
    const table = `events_${(count += 1)}`;
    return { there: createPostgresEventExchange({ pool, table }), here: createPostgresEventExchange({ pool, table }) };
  });

  test('a wait outlives a kill of the server', async () => {
    const errors: unknown[] = [];
    const options = { pool, table: 'outliving', pollMs: 20, timeoutMs: 10_000 };
    const here = createPostgresEventExchange({ ...options, onError: (error) => errors.push(error) });
    const there = createPostgresEventExchange(options);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    here.watch('k', resolve);
    await there.post('other', 1, { keepMs: 60_000 });

    await server.kill();
    await server.restart();
    await there.post('k', 'paid', { keepMs: 60_000 });

    expect(await promise).toBe('paid');
    await here.close();
    await there.close();
  });

  test('a server that ends the listening connection as soon as it is ready ends no process', async () => {
    await using way = await startEndingProxy(server.port, { connections: 3 });
    // A pool as an application makes it, without listeners of its own but the one that pg asks for.
    const ownPool = new Pool({ host: '127.0.0.1', port: way.port, user: 'postgres', database: 'postgres' });
    ownPool.on('error', () => undefined);
    const errors: unknown[] = [];
    const here = createPostgresEventExchange({
      pool: ownPool,
      table: 'ended',
      pollMs: 20,
      onError: (error) => errors.push(error),
    });
    const there = createPostgresEventExchange({ pool, table: 'ended' });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    here.watch('k', resolve);
    await until(() => way.ended() === 3);

    await there.post('k', 'paid', { keepMs: 60_000 });

    expect(await promise).toBe('paid');
    expect(errors.length).toBeGreaterThan(0);
    await here.close();
    await there.close();
    await ownPool.end();
  });
});
