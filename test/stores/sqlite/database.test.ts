import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

test('a commit is in the log on the disk before it is acknowledged', async () => {
  await using folder = await makeScratchFolder();
  using database = openDatabase(folder.file('any.db'), 5_000);
  const setting = (name: string) => Object.values(database.sql.prepare(`PRAGMA ${name}`).get() ?? {});

  const full = 2;
  expect(setting('journal_mode')).toEqual(['wal']);
  expect(setting('synchronous')).toEqual([full]);
});

test('of work that fails nothing stays', async () => {
  await using folder = await makeScratchFolder();
  using database = openDatabase(folder.file('any.db'), 1_000);
  const { sql, inTransaction } = database;
  sql.exec('CREATE TABLE t (a)');

  const work = () =>
    inTransaction(() => {
      sql.exec('INSERT INTO t VALUES (1)');
      throw new Error('broken');
    });

  expect(work).toThrow('broken');
  expect(sql.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 0 });
});
