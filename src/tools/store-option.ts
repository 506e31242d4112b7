import { must, type OptionCheck } from '../core/option-checks.ts';
import { warn } from '../observability/warn.ts';
import { createMemoryIdempotencyStore } from '../stores/memory-idempotency-store.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';

/** The option `store`: what outlives the process. `'memory'` says that you know it doesn't. */
export type StoreOption = IdempotencyStore | 'memory';

/** The check of {@link StoreOption}. */
export const storeCheck = (store: StoreOption | undefined): OptionCheck =>
  must(
    store === undefined || store === 'memory' || (typeof store === 'object' && typeof store?.claim === 'function'),
    'store',
    "must be an idempotency store, such as sqlite({ file }).idempotencyStore(), or 'memory'",
  );

/** Names of options that are `store` now. */
export const oldStoreNames: Readonly<Record<string, string>> = {
  phoneCallStore: 'store',
  confirmation: 'store, which keeps the secret of confirmations',
};

/** The stores that are a part of this process; whether the application knows it. */
const memories = new WeakMap<object, boolean>();

/** The stores that nothing warns about: those of a sandbox. */
const quiet = new WeakSet<object>();

/** Marks a store that no other process shares. */
export const asMemory = (store: IdempotencyStore, isKnown: boolean): IdempotencyStore => {
  memories.set(store, isKnown);
  return store;
};

/** Returns the store of payments: the application's, or one in memory. */
export const storeOf = (store: StoreOption | undefined, isSandbox = false): IdempotencyStore => {
  const used = typeof store === 'object' ? store : asMemory(createMemoryIdempotencyStore(), store === 'memory');
  if (isSandbox) quiet.add(used);
  return used;
};

/** True if the application knows that its payments are in memory. */
export const isKnownMemory = (store: StoreOption | undefined): boolean =>
  store === 'memory' || (typeof store === 'object' && memories.get(store) === true);

/** Returns the store that other processes share; `undefined` for the memory of this one. */
export const sharedStore = (store: StoreOption | undefined): IdempotencyStore | undefined =>
  typeof store === 'object' && !memories.has(store) ? store : undefined;

/** Returns the memory of this process that several toolboxes share, such as those of an integration. */
export const memoryIn = (store: StoreOption | undefined): object | undefined =>
  typeof store === 'object' && memories.has(store) ? store : undefined;

let hasWarned = false;

/** Warns once in a process about payments that only its memory keeps, unless the application knows it. */
export const warnOfMemory = (store: IdempotencyStore): void => {
  if (hasWarned || quiet.has(store) || memories.get(store) !== false) return;
  hasWarned = true;
  warn(
    'a model makes a payment that only the memory of this process keeps: after a restart, or in another process, the ' +
      'same one may be made again. Give createIntegration a store, such as sqlite({ file }).idempotencyStore(). ' +
      "store: 'memory' says that you know it",
    { type: 'VoiceAgentWarning', code: 'payments_in_memory' },
  );
};
