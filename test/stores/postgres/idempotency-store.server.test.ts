import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tryStore } from '../../../src/stores/ports/try-store.ts';
import { InvalidArgumentError, StoreError } from '../../../src/core/errors.ts';
import { idempotencyTableSql, createPostgresIdempotencyStore } from '../../../src/stores/postgres/idempotency-store.ts';
import type { ServerWarning } from '../../../src/stores/server-warning.ts';
import { describeWithPostgres, openPool, startPostgresServer } from '../../support/postgres-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { eventually } from '../../support/until.ts';
import { idempotencyStoreConformance } from '../idempotency-store.conformance.ts';

const options = { fingerprint: 'f', leaseMs: 60_000, retainMs: 60_000 };

describeWithPostgres('claims in PostgreSQL', () => {
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

  const freshTable = () => `claims_${(count += 1)}`;

  const pass = async (ms: number) => {
    const earlier = `- ${ms} * interval '1 millisecond'`;
    await pool.query(`UPDATE checks SET written_at = written_at ${earlier}, keep_until = keep_until ${earlier}`);
  };
  idempotencyStoreConformance('PostgreSQL', {
    open: () => createPostgresIdempotencyStore({ pool, table: 'checks' }),
    leaseMs: 60_000,
    pass,
    setClockBack: (ms) => pass(-ms),
  });

  test('many processes may make the table at once', async () => {
    const table = freshTable();
    const stores = Array.from({ length: 8 }, () => createPostgresIdempotencyStore({ pool, table }));

    const claims = await Promise.all(stores.map((store) => store.claim('k', options)));

    expect(claims.map(({ state }) => state).toSorted()).toEqual([...Array(7).fill('in-progress'), 'new']);
  });

  test('a table made by hand, in a schema, will do', async () => {
    const table = `own.${freshTable()}`;
    await pool.query(`CREATE SCHEMA own; ${idempotencyTableSql(table)}`);
    const store = createPostgresIdempotencyStore({ pool, table, createTable: false });

    expect(await store.claim('k', options)).toMatchObject({ state: 'new' });
  });

  test('a name that would need quotes is refused', () => {
    for (const table of ['a; DROP TABLE b', 'A', '', 'a.b.c', '"a"'])
      expect(() => createPostgresIdempotencyStore({ pool, table })).toThrow(InvalidArgumentError);
  });

  describe('a table of another version', () => {
    const words = (table: string, format: string) =>
      `PostgreSQL's table ${table} has claims of format ${format} version of this package, and this version works with format 2 only: let the other version finish its work and stop it, then give this one another table`;
    const older = (table: string) => `
      CREATE TABLE ${table} (key text PRIMARY KEY, fingerprint text NOT NULL, claim text, lease_until timestamptz,
        result text, note text, retain_ms double precision NOT NULL, keep_until timestamptz NOT NULL);
      INSERT INTO ${table} VALUES ('k', 'f', NULL, NULL, '{"paid":true}', NULL, 60000, now() + interval '1 day')`;

    test.each([true, false])('that is older is refused at the first call, with createTable %s', async (createTable) => {
      const table = freshTable();
      await pool.query(older(table));
      await pool.query(idempotencyTableSql(table));
      const store = createPostgresIdempotencyStore({ pool, table, createTable });

      const refusal = new StoreError(words(table, '1, from an older'));
      await expect(tryStore(store, 'store')).rejects.toThrow(refusal);
      await expect(store.claim('other', options)).rejects.toThrow(refusal);
      await expect(store.read('k')).rejects.toThrow(refusal);
      expect((await pool.query(`SELECT key, result FROM ${table}`)).rows).toEqual([
        { key: 'k', result: '{"paid":true}' },
      ]);
    });

    test('that is newer is refused at the first call', async () => {
      const table = freshTable();
      await pool.query(idempotencyTableSql(table));
      await pool.query(`COMMENT ON TABLE ${table} IS 'voice-agent-integrations: claims of format 3'`);

      const refused = createPostgresIdempotencyStore({ pool, table }).claim('k', options);

      await expect(refused).rejects.toThrow(new StoreError(words(table, '3, from a newer')));
    });

    test('that is ours refuses what an older version asks of it', async () => {
      const table = freshTable();
      await createPostgresIdempotencyStore({ pool, table }).claim('k', options);

      const claim = `INSERT INTO ${table} (key, fingerprint, claim, lease_until, retain_ms, keep_until)
        VALUES ('other', 'f', 'c', now(), 1, now())`;
      await expect(pool.query(claim)).rejects.toThrow('column "fingerprint"');
    });
  });

  test('what is over is swept away', async () => {
    const table = freshTable();
    const store = createPostgresIdempotencyStore({ pool, table });
    await store.claim('old', options);
    await pool.query(`UPDATE ${table} SET keep_until = now() - interval '1 second'`);

    await createPostgresIdempotencyStore({ pool, table }).claim('new', options);

    const keys = async () => (await pool.query(`SELECT key FROM ${table}`)).rows;
    await eventually(async () => (await keys()).length === 1);
    expect(await keys()).toEqual([{ key: 'new' }]);
  });

  test('what was settled survives a kill of the server', async () => {
    const store = createPostgresIdempotencyStore({ pool, table: freshTable(), timeoutMs: 10_000 });
    const claim = await store.claim('k', options);
    await store.settle('k', claim.state === 'new' ? claim.claim : '', { charged: true });

    await server.kill();
    await server.restart();

    expect(await store.claim('k', options)).toEqual({ state: 'finished', result: { charged: true } });
  });

  test('says aloud what a server that acknowledges before it flushes puts at risk', async () => {
    const warnings: ServerWarning[] = [];
    const lax = openPool(server, { options: '-c synchronous_commit=off' });
    const store = createPostgresIdempotencyStore({
      pool: lax,
      table: freshTable(),
      onWarning: (warning) => warnings.push(warning),
    });
    await store.claim('k', options);
    await lax.end();

    expect(warnings.map(({ code }) => code)).toEqual(['postgres_commits_late']);
  });
});
