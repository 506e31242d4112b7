import { createClaims } from '../claims.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { type ClaimTables, clockOffset } from './claim-tables.ts';
import { type SqliteOptions, startSqliteThread } from './thread.ts';

/** An idempotency store in a file. Close it when the process ends. */
export interface SqliteIdempotencyStore extends IdempotencyStore, AsyncDisposable {
  /** Resolves when the file is closed. Every later call rejects with `StoreError`. */
  close(): Promise<void>;
}

export const createSqliteIdempotencyStore = (options: SqliteOptions): SqliteIdempotencyStore => {
  const { ledger, close, assertUsable } = startSqliteThread<ClaimTables>('claims', options);
  const claims = createClaims({
    read: (key) => ledger.read(clockOffset(), key),
    write: (...change) => ledger.write(clockOffset(), ...change),
    remove: (...change) => ledger.remove(clockOffset(), ...change),
  });
  return { ...claims, assertUsable, close, [Symbol.asyncDispose]: close };
};
