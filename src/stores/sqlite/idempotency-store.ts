import { type Claim, type IdempotencyStore, type KeptWork } from '../ports/idempotency-store.ts';
import type { Json } from '../ports/json.ts';
import type { ClaimLedger, WrittenClaim, WrittenWork } from './claim-tables.ts';
import { type SqliteOptions, startSqliteThread } from './thread.ts';

/** An idempotency store in a file. Close it when the process ends. */
export interface SqliteIdempotencyStore extends IdempotencyStore, AsyncDisposable {
  /** Resolves when the file is closed. Every later call rejects with `StoreError`. */
  close(): Promise<void>;
}

export const createSqliteIdempotencyStore = (options: SqliteOptions): SqliteIdempotencyStore => {
  const { ledger, close, assertUsable } = startSqliteThread<ClaimLedger>(
    'claims',
    ['claim', 'renew', 'read', 'settle', 'release'],
    options,
  );
  return {
    claim: async (key, asked) =>
      readClaim(await ledger.claim({ key, ...asked, claim: crypto.randomUUID(), now: Date.now() })),
    read: async (key) => {
      const kept = await ledger.read({ key, now: Date.now() });
      return kept && readKept(kept);
    },
    renew: (key, claim, { leaseMs, note }) =>
      ledger.renew({ key, claim, now: Date.now(), leaseMs, note: JSON.stringify(note) }),
    settle: (key, claim, result) => ledger.settle({ key, claim, now: Date.now(), result: JSON.stringify(result) }),
    release: (key, claim) => ledger.release({ key, claim, now: Date.now() }),
    assertUsable,
    close,
    [Symbol.asyncDispose]: close,
  };
};

const readClaim = (written: WrittenClaim): Claim => {
  if (written.state === 'finished') return { ...written, result: JSON.parse(written.result) as Json };
  if (written.state === 'unknown') return { ...written, note: JSON.parse(written.note) as Json };
  return written;
};

const readKept = (written: WrittenWork): KeptWork => {
  if (written.state === 'finished') return { ...written, result: JSON.parse(written.result) as Json };
  if (written.state === 'unknown') return { ...written, note: JSON.parse(written.note) as Json };
  return written;
};
