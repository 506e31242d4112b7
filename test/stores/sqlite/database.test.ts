import { expect, test } from 'vitest';
import { inTransaction, openDatabase } from '../../../src/stores/sqlite/database.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

test('a commit is in the log on the disk before it is acknowledged, and a lock is waited for', async () => {
  await using folder = await makeScratchFolder();
  using database = openDatabase(folder.file('any.db'), 1_234);
  const setting = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {});

  const full = 2;
  expect(setting('journal_mode')).toEqual(['wal']);
  expect(setting('synchronous')).toEqual([full]);
  expect(setting('busy_timeout')).toEqual([1_234]);
});

test('of work that fails nothing stays', async () => {
  await using folder = await makeScratchFolder();
  using database = openDatabase(folder.file('any.db'), 1_000);
  database.exec('CREATE TABLE t (a)');

  const work = () =>
    inTransaction(database, () => {
      database.exec('INSERT INTO t VALUES (1)');
      throw new Error('broken');
    });

  expect(work).toThrow('broken');
  expect(database.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 0 });
});
