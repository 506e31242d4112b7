import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import { createSqliteIdempotencyStore } from '../../../src/stores/sqlite/idempotency-store.ts';
import type { IdempotencyStore } from '../../../src/stores/ports/idempotency-store.ts';
import { createVirtualClock, virtualTime } from '../../support/virtual-clock.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { idempotencyStoreConformance } from '../idempotency-store.conformance.ts';

idempotencyStoreConformance('a file of sqlite', {
  open: async () => {
    createVirtualClock();
    const folder = await makeScratchFolder();
    const store = createSqliteIdempotencyStore({ file: folder.file('claims.db') });
    onTestFinished(async () => {
      await store.close();
      await folder.remove();
    });
    // The start of its thread takes time that the virtual clock doesn't have.
    await store.read('started');
    return store;
  },
  ...virtualTime,
});

const options = { fingerprint: 'f', leaseMs: 1_000, retainMs: 60_000 };

/** The claims table as format 1 had it. */
const formatOne = `
  CREATE TABLE voice_agent_schema (name TEXT PRIMARY KEY, version INTEGER NOT NULL);
  INSERT INTO voice_agent_schema VALUES ('claims', 1);
  CREATE TABLE claims (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, claim TEXT, lease_until INTEGER NOT NULL,
    result TEXT, note TEXT, retain_ms INTEGER NOT NULL, keep_until INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO claims VALUES ('k', 'f', NULL, 0, '{"paid":true}', NULL, 60000, 9e15);
`;

describe.each([
  ['an older', formatOne, 1],
  ['a newer', `${formatOne} UPDATE voice_agent_schema SET version = 99;`, 99],
])('a file with claims of %s version', (version, tables, format) => {
  test('is refused at start and by each claim, with what to do', async () => {
    await using folder = await makeScratchFolder();
    const file = folder.file('claims.db');
    using sql = new DatabaseSync(file);
    sql.exec(tables);
    await using store = createSqliteIdempotencyStore({ file });
    const message = `${file} has claims of format ${format}, from ${version} version of this package, and this version works with format 2 only: let the other version finish its work and stop it, then give this one a new file`;

    expect(() => store.assertUsable?.()).toThrow(new StoreError(message));
    await expect(store.claim('k', options)).rejects.toThrow(new StoreError(`sqlite: ${message}`));
    await expect(store.read('k')).rejects.toThrow(StoreError);
    expect(sql.prepare('SELECT key, result FROM claims').all()).toEqual([{ key: 'k', result: '{"paid":true}' }]);
  });
});

test('a process that an older version starts on the file finds a newer format and makes no tables', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('claims.db');
  await using store = createSqliteIdempotencyStore({ file });
  await store.claim('k', options);

  // Format 1 asked this before its first claim, and refused what is above 1.
  using sql = new DatabaseSync(file);
  expect(sql.prepare("SELECT version FROM voice_agent_schema WHERE name = 'claims'").get()).toEqual({ version: 2 });
});

describe('while another process has the lock of the file', () => {
  const using = async (work: (store: IdempotencyStore, lock: DatabaseSync) => Promise<void>) => {
    await using folder = await makeScratchFolder();
    const file = folder.file('claims.db');
    await using store = createSqliteIdempotencyStore({ file });
    await store.read('started');
    using lock = new DatabaseSync(file);
    lock.exec('BEGIN IMMEDIATE');
    await work(store, lock);
  };

  test('a claim that waits for it has its whole lease from then on', () =>
    using(async (store, lock) => {
      const claiming = store.claim('k', { ...options, leaseMs: 500 });
      await wait(600);
      lock.exec('COMMIT');

      const claimed = await claiming;

      expect(claimed).toMatchObject({ state: 'new' });
      expect(await store.settle('k', 'claim' in claimed ? (claimed.claim ?? '') : '', 'done')).toBe(true);
    }));

  test('a claim that waits for it leaves the lease that began meanwhile as long as it is', () =>
    using(async (store, lock) => {
      const claiming = store.claim('k', options);
      await wait(300);
      const writtenAt = Date.now();
      const document = JSON.stringify({ fingerprint: 'f', retainMs: 60_000, claim: 'other', leaseMs: 60_000 });
      lock.prepare('INSERT INTO claims VALUES (?, ?, ?, ?, ?)').run('k', 'v', document, writtenAt, writtenAt + 60_000);
      lock.exec('COMMIT');

      expect(await claiming).toMatchObject({ state: 'in-progress' });
      expect(lock.prepare('SELECT written_at FROM claims').get()).toEqual({ written_at: writtenAt });
    }));
});
