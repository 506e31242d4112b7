import { type Clock, setQuietTimer } from '../clock.ts';
import type { Instance } from './instance.ts';

/** The instances that are held: at most so many, idle ones not for long. */
export interface Pool<Integration> {
  get(tenantId: string): Instance<Integration> | undefined;
  /** Whether another tenant can be held, if necessary instead of one that is idle. */
  hasPlace(): boolean;
  /** Instead of the tenant's last one, which is retired; else in a place of its own, which must be there. */
  put(tenantId: string, instance: Instance<Integration>): void;
  /** Whoever comes from now on does not get it; it is closed when its last use has ended. */
  retire(tenantId: string): void;
  /** Stands at the end of the line of those that may be evicted. */
  touch(tenantId: string): void;
  /** The least recently used first. */
  entries(): readonly (readonly [tenantId: string, instance: Instance<Integration>])[];
  /** Retired, and in use. */
  draining(): readonly Instance<Integration>[];
  close(drainMs: number): Promise<void>;
}

/** Evicts the least recently used one when there is no place, and by one timer for all what was idle for long enough. */
export const createPool = <Integration>({
  max,
  sweepMs,
  clock,
  onSweep,
}: {
  readonly max: number;
  /** The timer comes no more often than this. */
  readonly sweepMs: number;
  readonly clock: Clock;
  readonly onSweep: () => void;
}): Pool<Integration> => {
  /** The least recently used first. */
  const held = new Map<string, Instance<Integration>>();
  const retired = new Set<Instance<Integration>>();
  let cancelSweep: (() => void) | undefined;
  let isClosed = false;

  const draining = () => [...retired].filter((instance) => instance.uses() > 0);

  const isFull = () => held.size + draining().length >= max;

  const leastRecentlyUsed = () => {
    for (const [tenantId, instance] of held) if (instance.uses() === 0) return tenantId;
    return undefined;
  };

  const retire = (tenantId: string) => {
    const instance = held.get(tenantId);
    if (!instance) return;
    held.delete(tenantId);
    retired.add(instance);
    void instance.retire().then(() => retired.delete(instance));
  };

  const sweep = () => {
    cancelSweep = undefined;
    for (const instance of [...held.values(), ...retired]) instance.endLapsed();
    for (const [tenantId, instance] of held) if (instance.isDue()) retire(tenantId);
    onSweep();
    planSweep();
  };

  const planSweep = () => {
    if (isClosed || cancelSweep || held.size + retired.size === 0) return;
    cancelSweep = setQuietTimer(clock, sweep, sweepMs);
  };

  return {
    get: (tenantId) => held.get(tenantId),
    hasPlace: () => !isFull() || leastRecentlyUsed() !== undefined,
    put: (tenantId, instance) => {
      retire(tenantId);
      const idle = isFull() ? leastRecentlyUsed() : undefined;
      if (idle !== undefined) retire(idle);
      held.set(tenantId, instance);
      planSweep();
    },
    retire,
    touch: (tenantId) => {
      const instance = held.get(tenantId);
      if (!instance) return;
      held.delete(tenantId);
      held.set(tenantId, instance);
    },
    entries: () => [...held],
    draining,
    close: async (drainMs) => {
      isClosed = true;
      cancelSweep?.();
      const all = [...held.values(), ...retired];
      held.clear();
      const drained = Promise.all(all.map((instance) => instance.retire()));
      if (drainMs > 0) await within(drained, drainMs, clock);
      await Promise.all(all.map((instance) => instance.close()));
    },
  };
};

const within = async (work: Promise<unknown>, ms: number, clock: Clock): Promise<void> => {
  let cancel = () => {};
  const tooLong = new Promise<void>((resolve) => {
    cancel = clock.setTimer(resolve, ms);
  });
  await Promise.race([work, tooLong]);
  cancel();
};
