import {
  type Change,
  type ClaimDocument,
  type Expected,
  isAsExpected,
  type KeptDocument,
  type NextDocument,
} from '../claims.ts';
import { type Database, makeTables } from './database.ts';

/** Documents of claims in a table, by the caller's {@link clockOffset}. */
export interface ClaimTables {
  read(offset: number, key: string): KeptDocument | undefined;
  write(offset: number, key: string, next: NextDocument, expected?: Expected): Change;
  remove(offset: number, key: string, expected: Expected): Change;
}

/**
 * Returns how far this thread's clock is ahead of the one that all threads share. A request may wait seconds for the lock
 * of the file, and its lease begins after that. It must not take its own waiting for a clock that was set back.
 */
export const clockOffset = (): number => Date.now() - sharedNow();

const sharedNow = () => Number(process.hrtime.bigint()) / 1e6;

const nowBy = (offset: number) => Math.floor(offset + sharedNow());

/** Keeps the documents of claims. The caller puts a transaction around each method. */
export const createClaimTables = (database: Database): ClaimTables => {
  makeTables(database, 'claims', schema);
  const sql = prepareAll(database);

  const find = (now: number, key: string): KeptDocument | undefined => {
    const row = sql.get.get(key);
    if (!row || Number(row.keep_until) <= now) return undefined;
    const ageMs = now - Number(row.written_at);
    // The clock was set back: a lease must not last for as long as that.
    if (ageMs < 0) sql.startOver.run(-ageMs, now, key);
    // Only `write` writes here.
    const document = JSON.parse(String(row.document)) as ClaimDocument;
    return { version: String(row.version), document, ageMs: Math.max(0, ageMs) };
  };

  return {
    read: (offset, key) => find(nowBy(offset), key),
    write: (offset, key, { version, document, keepMs }, expected) => {
      const now = nowBy(offset);
      sql.forgetSome.run(now);
      const found = find(now, key);
      if (!isAsExpected(found, expected)) return found;
      sql.put.run(key, version, JSON.stringify(document), now, now + keepMs);
      return 'done';
    },
    remove: (offset, key, expected) => {
      const found = find(nowBy(offset), key);
      if (!isAsExpected(found, expected)) return found;
      sql.remove.run(key);
      return 'done';
    },
  };
};

const schema = `
  CREATE TABLE claims (
    key TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    document TEXT NOT NULL,
    written_at INTEGER NOT NULL,
    keep_until INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX claims_kept ON claims (keep_until);
`;

const forgottenAtOnce = 100;

const prepareAll = ({ sql }: Database) => ({
  forgetSome: sql.prepare(`
    DELETE FROM claims WHERE key IN (SELECT key FROM claims WHERE keep_until <= ? LIMIT ${forgottenAtOnce})`),
  get: sql.prepare('SELECT * FROM claims WHERE key = ?'),
  startOver: sql.prepare('UPDATE claims SET keep_until = keep_until - ?, written_at = ? WHERE key = ?'),
  put: sql.prepare('INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)'),
  remove: sql.prepare('DELETE FROM claims WHERE key = ?'),
});
