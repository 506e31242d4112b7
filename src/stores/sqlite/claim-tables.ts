import type { DatabaseSync } from 'node:sqlite';
import type { ClaimLedger, ClaimRequest, WrittenClaim } from './claim-ledger.ts';
import { type Database, migrate } from './database.ts';

/** Keeps claims in a table. Whoever calls puts a transaction around it. */
export const createClaimTables = (database: Database): ClaimLedger => {
  migrate(database, 'claims', 1, schema);
  const sql = prepareAll(database.sql);

  const claim = (request: ClaimRequest): WrittenClaim => {
    const { key, fingerprint, claim: own, now, leaseMs, retainMs } = request;
    sql.forgetOne.run(key, now);
    sql.forgetSome.run(now);
    const row = sql.get.get(key);
    if (row && row.fingerprint !== fingerprint) return { state: 'conflict' };
    if (row && row.result !== null) return { state: 'finished', result: String(row.result) };
    const leaseUntil = Number(row?.lease_until ?? 0);
    if (leaseUntil > now) return { state: 'in-progress', retryAfterMs: leaseUntil - now };
    sql.claim.run(key, fingerprint, own, now + leaseMs, retainMs, now + Math.max(retainMs, leaseMs));
    const note = row?.note ?? null;
    return note === null ? { state: 'new', claim: own } : { state: 'unknown', claim: own, note: String(note) };
  };

  return {
    claim,
    settle: ({ key, claim, now, kind, text }) => {
      const [result, note] = kind === 'result' ? [text, null] : [null, text];
      return sql.settle.run(result, note, now, key, claim, now).changes === 1;
    },
    release: ({ key, claim, now }) => void sql.release.run(key, claim, now),
  };
};

const schema = `
  CREATE TABLE claims (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    claim TEXT,
    lease_until INTEGER NOT NULL,
    result TEXT,
    note TEXT,
    retain_ms INTEGER NOT NULL,
    keep_until INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX claims_kept ON claims (keep_until);
`;

const forgottenAtOnce = 100;

const prepareAll = (database: DatabaseSync) => ({
  forgetOne: database.prepare('DELETE FROM claims WHERE key = ? AND keep_until <= ?'),
  forgetSome: database.prepare(`
    DELETE FROM claims WHERE key IN (SELECT key FROM claims WHERE keep_until <= ? LIMIT ${forgottenAtOnce})`),
  get: database.prepare('SELECT * FROM claims WHERE key = ?'),
  // What an abandoned claim knew, its note, stays.
  claim: database.prepare(`
    INSERT INTO claims (key, fingerprint, claim, lease_until, retain_ms, keep_until) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET claim = excluded.claim, lease_until = excluded.lease_until,
      retain_ms = excluded.retain_ms, keep_until = excluded.keep_until`),
  settle: database.prepare(`
    UPDATE claims SET result = ?, note = ?, claim = NULL, lease_until = 0, keep_until = ? + retain_ms
    WHERE key = ? AND claim = ? AND lease_until > ?`),
  release: database.prepare('DELETE FROM claims WHERE key = ? AND claim = ? AND lease_until > ?'),
});
