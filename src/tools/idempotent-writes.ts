import { LRUCache } from 'lru-cache';
import { once } from '../stores/once.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { Json } from '../stores/ports/json.ts';
import type { ToolResult } from './context.ts';

/** The results of idempotent writes, so that the same work is done once in a phone call. */
export interface IdempotentWrites {
  /**
   * Runs `work`, or gives the result of the same key if that is in flight or done. What failed runs again. With
   * `isKept: false` only what is in flight counts.
   */
  run(key: string, work: () => Promise<ToolResult>, end?: KeptEnd): Promise<ToolResult | NotRun>;
}

interface KeptEnd {
  /** @defaultValue true */
  readonly isKept?: boolean | undefined;
}

/** The reason why nothing was run: another process is at work, or the store is down. */
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
    run: async (key, work, { isKept = true } = {}) => {
      const before = results.get(key);
      if (before) {
        const result = await before;
        return typeof result === 'string' ? result : { ...result, replayed: true };
      }
      const result = shared ? onceIn(shared, key, work, isKept) : work();
      results.set(key, result);
      const isDone = await result.then(
        (end) => typeof end === 'object' && end.status === 'done',
        () => false,
      );
      if (!(isDone && isKept) && results.get(key) === result) results.delete(key);
      return result;
    },
  };
};

/** Only one of the processes does the work. What may have been done isn't repeated, since another client would send it. */
const onceIn = async (
  { store, report }: SharedWrites,
  key: string,
  work: () => Promise<ToolResult>,
  isKept: boolean,
): Promise<ToolResult | NotRun> => {
  const options = { fingerprint: key, leaseMs, retainMs, onStoreError: report };
  const end = await once<ToolResult>(store, `write:${key}`, options, async (note) => {
    if (note !== undefined) return { result: toReplay('unknown', note), kept: { note } };
    const result = await work();
    const { status, value, text } = result;
    if (!isKept) return { result, kept: undefined };
    if (status === 'done') return { result, kept: { result: { value, text } } };
    return { result, kept: status === 'unknown' ? { note: { value, text } } : undefined };
  });
  if (end.state === 'worked') return end.result;
  if (end.state === 'finished') return toReplay('done', end.result);
  if (end.state !== 'unavailable') return 'busy';
  report(end.error);
  return 'unavailable';
};

/** Reads what {@link onceIn} has kept. */
const toReplay = (status: 'done' | 'unknown', kept: Json): ToolResult => {
  const { value, text } = kept as { readonly value: Json; readonly text: string };
  return { status, value, text, replayed: true };
};

/** Longer than a tool call may take. */
const leaseMs = 15_000;

/** The longest phone call. */
const retainMs = 86_400_000;
