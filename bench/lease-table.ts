import { DatabaseSync } from 'node:sqlite';

/** As little as a queue on node:sqlite can be: one table with leases, in the thread of the caller. */
export interface LeaseTable extends Disposable {
  /** Resolves after the fsync of the transaction that holds the message. */
  readonly publish: (id: string, payload: string) => Promise<void>;
  /** Leases and finishes all there is, `batch` messages per transaction. How many there were. */
  readonly drain: (batch: number) => number;
}

/**
 * As durable as the package's own queue: WAL and `synchronous=FULL`.
 * @param isGrouped whether the publishes of one turn of the event loop share a transaction, or each has its own
 */
export const openLeaseTable = (file: string, { isGrouped }: { readonly isGrouped: boolean }): LeaseTable => {
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE messages (
      id TEXT PRIMARY KEY, payload TEXT NOT NULL, state INTEGER NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL);
    CREATE INDEX messages_due ON messages (state, due)`);
  const insert = database.prepare('INSERT OR IGNORE INTO messages VALUES (?, ?, 0, ?, 0)');
  const lease = database.prepare(`
    UPDATE messages SET state = 1, due = ?, attempts = attempts + 1
    WHERE id IN (SELECT id FROM messages WHERE state = 0 AND due <= ? ORDER BY due LIMIT ?) RETURNING id, payload`);
  const finish = database.prepare('UPDATE messages SET state = 2 WHERE id = ? AND state = 1');
  let waiting: (() => void)[] = [];

  const commit = () => {
    database.exec('COMMIT');
    const published = waiting;
    waiting = [];
    for (const resolve of published) resolve();
  };

  return {
    publish: (id, payload) =>
      new Promise((resolve) => {
        if (waiting.push(resolve) === 1) {
          database.exec('BEGIN IMMEDIATE');
          if (isGrouped) setImmediate(commit);
        }
        insert.run(id, payload, Date.now());
        if (!isGrouped) commit();
      }),
    drain: (batch) => {
      let drained = 0;
      let leased: readonly Record<string, unknown>[] = [];
      do {
        database.exec('BEGIN IMMEDIATE');
        for (const { id } of leased) finish.run(String(id));
        drained += leased.length;
        const now = Date.now();
        leased = lease.all(now + 60_000, now, batch);
        database.exec('COMMIT');
        for (const { payload } of leased) JSON.parse(String(payload));
      } while (leased.length > 0);
      return drained;
    },
    [Symbol.dispose]: () => database.close(),
  };
};
