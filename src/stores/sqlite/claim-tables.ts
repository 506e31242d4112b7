import type { DatabaseSync } from 'node:sqlite';
import type { Claim, KeptWork } from '../ports/idempotency-store.ts';
import { type Database, migrate } from './database.ts';

/** What an idempotency store keeps: every method is one atomic step. Results and notes are JSON as text. */
export interface ClaimLedger {
  claim(request: ClaimRequest): WrittenClaim;
  read(request: { readonly key: string; readonly now: number }): WrittenWork | undefined;
  renew(renewal: {
    readonly key: string;
    readonly claim: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly note: string;
  }): boolean;
  settle(settlement: {
    readonly key: string;
    readonly claim: string;
    readonly now: number;
    readonly result: string;
  }): boolean;
  release(request: { readonly key: string; readonly claim: string; readonly now: number }): void;
}

export interface ClaimRequest {
  readonly key: string;
  readonly fingerprint: string;
  /** The name of the claim if it's granted. */
  readonly claim: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly retainMs: number;
  readonly reopen?: boolean | undefined;
}

export type WrittenClaim =
  | Exclude<Claim, { readonly state: 'unknown' | 'finished' }>
  | { readonly state: 'unknown'; readonly claim: string; readonly note: string }
  | { readonly state: 'finished'; readonly result: string; readonly claim?: string };

export type WrittenWork =
  | Extract<KeptWork, { readonly state: 'in-progress' }>
  | { readonly state: 'unknown'; readonly note: string }
  | { readonly state: 'finished'; readonly result: string };

/** Keeps claims in a table. The caller puts a transaction around each method. */
export const createClaimTables = (database: Database): ClaimLedger => {
  migrate(database, 'claims', 1, schema);
  const sql = prepareAll(database.sql);

  const claim = (request: ClaimRequest): WrittenClaim => {
    const { key, fingerprint, claim: own, now, leaseMs, retainMs, reopen = false } = request;
    sql.forgetOne.run(key, now);
    sql.forgetSome.run(now);
    const row = sql.get.get(key);
    if (row && row.fingerprint !== fingerprint) return { state: 'conflict' };
    const finished =
      row && row.result !== null ? { state: 'finished' as const, result: String(row.result) } : undefined;
    if (finished && !reopen) return finished;
    const leaseUntil = row ? leaseUntilOf(row, now) : 0;
    if (leaseUntil > now) return { state: 'in-progress', retryAfterMs: leaseUntil - now };
    sql.claim.run(key, fingerprint, own, now + leaseMs, retainMs, now + Math.max(retainMs, leaseMs));
    if (finished) return { ...finished, claim: own };
    const note = row?.note ?? null;
    return note === null ? { state: 'new', claim: own } : { state: 'unknown', claim: own, note: String(note) };
  };

  /** When the clock was set back since the claim, its lease starts over: it must not last for as long as that. */
  const leaseUntilOf = ({ key, lease_until, retain_ms, keep_until }: Row, now: number): number => {
    const leaseUntil = Number(lease_until);
    const claimedAt = Number(keep_until) - Number(retain_ms);
    if (leaseUntil <= now || leaseUntil >= Number(keep_until) || claimedAt <= now) return leaseUntil;
    const back = claimedAt - now;
    sql.moveBack.run(back, back, String(key));
    return leaseUntil - back;
  };

  const read = ({ key, now }: { readonly key: string; readonly now: number }): WrittenWork | undefined => {
    const row = sql.get.get(key);
    if (!row || Number(row.keep_until) <= now) return undefined;
    const leaseUntil = leaseUntilOf(row, now);
    if (leaseUntil > now) return { state: 'in-progress', retryAfterMs: leaseUntil - now };
    if (row.result !== null) return { state: 'finished', result: String(row.result) };
    return row.note === null ? undefined : { state: 'unknown', note: String(row.note) };
  };

  return {
    claim,
    read,
    renew: ({ key, claim: own, now, leaseMs, note }) =>
      sql.renew.run(note, now + leaseMs, now, leaseMs, key, own, now).changes === 1,
    settle: ({ key, claim: own, now, result }) => sql.settle.run(result, now, key, own, now).changes === 1,
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

type Row = Readonly<Record<string, unknown>>;

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
  moveBack: database.prepare(
    'UPDATE claims SET lease_until = lease_until - ?, keep_until = keep_until - ? WHERE key = ?',
  ),
  renew: database.prepare(`
    UPDATE claims SET result = NULL, note = ?, lease_until = ?, keep_until = ? + max(retain_ms, ?)
    WHERE key = ? AND claim = ? AND lease_until > ?`),
  settle: database.prepare(`
    UPDATE claims SET result = ?, note = NULL, claim = NULL, lease_until = 0, keep_until = ? + retain_ms
    WHERE key = ? AND claim = ? AND lease_until > ?`),
  release: database.prepare('DELETE FROM claims WHERE key = ? AND claim = ? AND lease_until > ?'),
});
