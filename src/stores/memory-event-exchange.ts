import { type Clock, systemClock } from '../clock.ts';
import type { EventExchange } from '../ports/event-exchange.ts';

export interface MemoryEventExchangeOptions {
  /** How many events are kept at most that nobody waits for yet; the oldest goes first. @defaultValue 1000 */
  readonly maximumKept?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Carries events within this process: they must arrive where somebody waits. */
export const createMemoryEventExchange = ({
  maximumKept = 1_000,
  clock = systemClock,
}: MemoryEventExchangeOptions = {}): EventExchange => {
  const listeners = new Map<string, Set<(event: unknown) => void>>();
  const kept = new Map<string, { readonly event: unknown; readonly until: number }>();

  const keep = (key: string, event: unknown, keepMs: number) => {
    kept.delete(key);
    const [oldest] = kept.keys();
    if (kept.size >= maximumKept && oldest !== undefined) kept.delete(oldest);
    kept.set(key, { event, until: clock.now() + keepMs });
  };

  return {
    post: async (key, event, { keepMs }) => {
      const all = listeners.get(key);
      if (all) for (const listener of all) listener(event);
      else keep(key, event, keepMs);
    },
    watch: (key, listener) => {
      const all = listeners.get(key) ?? new Set();
      listeners.set(key, all.add(listener));
      const early = kept.get(key);
      kept.delete(key);
      if (early && early.until > clock.now()) listener(early.event);
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
