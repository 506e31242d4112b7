import { StoreError } from '../core/errors.ts';
import type { WarmUp, WarmUpOptions } from '../http/operation.ts';
import { assertUsable } from '../stores/ports/assert-usable.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { MessageQueue } from '../stores/ports/message-queue.ts';
import { tryStore } from '../stores/ports/try-store.ts';
import { settleWithin } from '../core/timers.ts';
import type { Report } from '../tools/on-error.ts';
import { sharedStore, type StoreOption } from '../tools/store-option.ts';
import type { FinishLater } from './finish-later.ts';

/** The stores and queues that the phone calls of an integration use. */
export type StoreName = 'store' | 'queue';

/** The options in which stores and queues are. */
export interface StoreOptions {
  readonly store?: StoreOption | undefined;
  readonly finishLater?: FinishLater | undefined;
}

/** Throws `StoreError` for a store or queue that is known not to work. */
export const assertStoresUsable = (options: StoreOptions | undefined): void => {
  for (const { name, part } of storesOf(options)) assertUsable(name, part);
};

/** Asks each store and queue for something, so that one that can't be reached is reported before a caller needs it. */
export const warmUpStores = async (
  options: StoreOptions | undefined,
  { deadline = 5_000, signal }: WarmUpOptions,
  report: Report,
): Promise<Readonly<Partial<Record<StoreName, WarmUp>>>> => {
  const warm = async (name: StoreName, reach: () => Promise<unknown>): Promise<readonly [StoreName, WarmUp]> => {
    try {
      await settleWithin(reach(), { signal, deadline });
      return [name, { ready: true }];
    } catch (cause) {
      if (signal?.aborted) return [name, { ready: false, error: new StoreError(`${name} was not asked to the end`) }];
      const why = cause instanceof StoreError ? cause.message : 'it does not answer';
      const error = new StoreError(`${name} can't be used: ${why}`, { cause });
      report(error, { part: 'store' });
      return [name, { ready: false, error }];
    }
  };
  const asked = storesOf(options).flatMap(({ name, reach }) => (reach ? [warm(name, reach)] : []));
  return Object.fromEntries(await Promise.all(asked));
};

/** A store or queue, and a request that shows whether it works. */
export interface Kept {
  readonly name: StoreName;
  readonly part: IdempotencyStore | MessageQueue;
  /** `undefined`: it can't be asked. */
  readonly reach: (() => Promise<unknown>) | undefined;
}

/** Returns the stores and queues, each once. */
export const storesOf = ({ store: option, finishLater }: StoreOptions = {}): readonly Kept[] => {
  const store = sharedStore(option);
  const ofStore = (name: StoreName, part: IdempotencyStore): Kept => ({
    name,
    part,
    reach: () => tryStore(part, 'warm-up'),
  });
  const { queue } = finishLater ?? {};
  const admin = queue?.admin;
  return [
    ...(store ? [ofStore('store', store)] : []),
    ...(queue ? [{ name: 'queue' as const, part: queue, reach: admin && (async () => admin.stats()) }] : []),
  ];
};
