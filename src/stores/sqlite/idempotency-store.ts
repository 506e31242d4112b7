import { type Clock, systemClock } from '../../clock.ts';
import type { Claim, IdempotencyStore, KeptWork } from '../../ports/idempotency-store.ts';
import type { Json } from '../../ports/json.ts';
import { isUnknown } from '../unknown-result.ts';
import type { ClaimLedger, WrittenClaim, WrittenWork } from './claim-ledger.ts';
import { type SqliteOptions, startSqliteThread } from './thread.ts';

/** Where claims are kept. */
export interface SqliteIdempotencyStoreOptions extends SqliteOptions {
  /** Tells the time; for tests. @defaultValue the machine's own */
  readonly clock?: Clock;
}

/** An idempotency store in a file, to be closed when the process ends. */
export interface SqliteIdempotencyStore extends IdempotencyStore, AsyncDisposable {
  /** Resolves when the file is closed. Every later call rejects with `StoreError`. */
  close(): Promise<void>;
}

/**
 * Keeps claims in a file, without a server: each method resolves after its fsync, and processes of one machine may share
 * the file. May be the file of a message queue.
 * Needs node:sqlite: Node 22.13 or later. Throws `StoreError` without it.
 *
 * @example
 * await using store = createSqliteIdempotencyStore({ file: 'voice-agent.db' });
 * const receive = createWebhookReceiver({ store, authentication, events, on });
 */
export const createSqliteIdempotencyStore = ({
  clock = systemClock,
  ...options
}: SqliteIdempotencyStoreOptions): SqliteIdempotencyStore => {
  const { ledger, close } = startSqliteThread<ClaimLedger>('claims', ['claim', 'read', 'settle', 'release'], options);
  return {
    claim: async (key, asked) =>
      readClaim(await ledger.claim({ key, ...asked, claim: crypto.randomUUID(), now: clock.wallNow() })),
    read: async (key) => {
      const kept = await ledger.read({ key, now: clock.wallNow() });
      return kept && readKept(kept);
    },
    settle: (key, claim, result) => {
      const end = isUnknown(result)
        ? { kind: 'note' as const, text: JSON.stringify(result.unknown) }
        : { kind: 'result' as const, text: JSON.stringify(result) };
      return ledger.settle({ key, claim, now: clock.wallNow(), ...end });
    },
    release: (key, claim) => ledger.release({ key, claim, now: clock.wallNow() }),
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
