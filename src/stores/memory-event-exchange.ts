import { assertKnown } from '../core/option-checks.ts';
import { LRUCache } from 'lru-cache';
import type { EventExchange } from './ports/event-exchange.ts';

export interface MemoryEventExchangeOptions {
  /** The most events that are kept while no call waits for them; the oldest goes first. @defaultValue 1000 */
  readonly maximumKept?: number | undefined;
}

/** Carries events within this process: they must arrive where the call waits. */
export const createMemoryEventExchange = (options: MemoryEventExchangeOptions = {}): EventExchange => {
  assertKnown(options, { maximumKept: true });
  const { maximumKept = 1_000 } = options;
  const listeners = new Map<string, Set<(event: unknown) => void>>();
  const kept = new LRUCache<string, { readonly event: unknown }>({ max: maximumKept, ttlResolution: 0 });

  return {
    post: async (key, event, { keepMs }) => {
      const all = listeners.get(key);
      if (all) for (const listener of all) listener(event);
      else kept.set(key, { event }, { ttl: Math.max(1, keepMs) });
    },
    watch: (key, listener) => {
      const all = listeners.get(key) ?? new Set();
      listeners.set(key, all.add(listener));
      const early = kept.get(key);
      kept.delete(key);
      if (early) listener(early.event);
      return () => {
        all.delete(listener);
        if (all.size === 0 && listeners.get(key) === all) listeners.delete(key);
      };
    },
    close: async () => {
      listeners.clear();
      kept.clear();
    },
  };
};
