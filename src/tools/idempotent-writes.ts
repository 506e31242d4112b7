import { LRUCache } from 'lru-cache';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { Json } from '../stores/ports/json.ts';
import type { ToolResult } from './context.ts';

/** What idempotent writes gave, so that the same work is done once in a phone call. */
export interface IdempotentWrites {
  /** Runs `work`, or gives the result of the same key if that is in flight or done. What failed runs again. */
  run(key: string, work: () => Promise<ToolResult>): Promise<ToolResult | NotRun>;
}

/** Why nothing was run: another process is at work, or the store is down. */
export type NotRun = 'busy' | 'unavailable';

interface SharedWrites {
  readonly store: IdempotencyStore;
  readonly report: (error: unknown) => void;
}

export interface IdempotentWritesOptions {
  readonly maximum?: number | undefined;
  /** For processes that answer one phone call together. @defaultValue the memory of this one */
  readonly shared?: SharedWrites | undefined;
}

export const createIdempotentWrites = ({ maximum = 100, shared }: IdempotentWritesOptions = {}): IdempotentWrites => {
  const results = new LRUCache<string, Promise<ToolResult | NotRun>>({ maxSize: maximum, sizeCalculation: () => 1 });

  return {
    run: async (key, work) => {
      const before = results.get(key);
      if (before) {
        const result = await before;
        return typeof result === 'string' ? result : { ...result, replayed: true };
      }
      const result = shared ? onceIn(shared, key, work) : work();
      results.set(key, result);
      const isDone = await result.then(
        (end) => typeof end === 'object' && end.status === 'done',
        () => false,
      );
      if (!isDone && results.get(key) === result) results.delete(key);
      return result;
    },
  };
};

/** Only one of the processes does the work. What may have been done isn't repeated, since another client would send it. */
const onceIn = async (
  { store, report }: SharedWrites,
  key: string,
  work: () => Promise<ToolResult>,
): Promise<ToolResult | NotRun> => {
  const storeKey = `write:${key}`;
  const claimed = await store.claim(storeKey, { fingerprint: key, leaseMs, retainMs }).catch(report);
  if (!claimed) return 'unavailable';
  if (claimed.state === 'finished') return { ...toResult('done', claimed.result), replayed: true };
  if (claimed.state === 'unknown') {
    await store.renew(storeKey, claimed.claim, { leaseMs: 0, note: claimed.note }).catch(report);
    return { ...toResult('unknown', claimed.note), replayed: true };
  }
  if (claimed.state !== 'new') return 'busy';
  const result = await work();
  const { status, value, text } = result;
  const keep = async () => {
    if (status === 'done') await store.settle(storeKey, claimed.claim, { value, text });
    else if (status === 'unknown') await store.renew(storeKey, claimed.claim, { leaseMs: 0, note: { value, text } });
    else await store.release(storeKey, claimed.claim);
  };
  // Its answer counts, whether or not it could be kept.
  await keep().catch(report);
  return result;
};

/** What {@link onceIn} keeps. */
const toResult = (status: 'done' | 'unknown', kept: Json): ToolResult => {
  const { value, text } = kept as { readonly value: Json; readonly text: string };
  return { status, value, text, replayed: false };
};

/** Longer than a tool call may take. */
const leaseMs = 15_000;

/** As long as a phone call may last. */
const retainMs = 86_400_000;
