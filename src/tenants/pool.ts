import { LRUCache } from 'lru-cache';
import { waitAtMost } from '../core/timers.ts';

/** One use of what is held. It has to end, whatever happens. */
export interface Use {
  /** Only the first call counts. */
  end(): void;
}

/** The integration that is held for a tenant. */
export interface Held<Value> {
  readonly tenantId: string;
  readonly value: Value;
  /** The number of current uses. */
  readonly uses: () => number;
  /** The time since its last use; 0 while it's in use. */
  readonly idleForMs: () => number;
  /** Begins a use. It keeps the value open, unless that's closed already. */
  readonly use: () => Use;
}

/** The integration made of a tenant's options. */
export interface NewValue<Value> {
  readonly value: Value;
  /** The time for which it may be idle. */
  readonly idleMs: number;
  /** Called once, after the last use. Must not throw. */
  readonly onClose: () => Promise<void>;
}

/** Holds the integrations of tenants: at most so many, idle ones not for long. */
export interface Pool<Value> {
  get(tenantId: string): Held<Value> | undefined;
  /** Says if another tenant can be held, if necessary instead of one that is idle. */
  hasPlace(): boolean;
  /** Instead of the tenant's last one, which is retired; else in a place of its own, which must be there. */
  put(tenantId: string, made: NewValue<Value>): Held<Value>;
  /** It's no longer given to anyone, and closed when its last use has ended. */
  retire(tenantId: string): void;
  /** The idle ones first, the least recently used of them before the others. */
  entries(): readonly Held<Value>[];
  /** The number of those that are retired, and still in use. */
  draining(): number;
  close(drainMs: number): Promise<void>;
}

/** Closes the least recently used idle one when there is no place, and those that were idle for long enough. */
export const createPool = <Value>({ max }: { readonly max: number }): Pool<Value> => {
  // No `max` of its own: those in use count too.
  const idle = new LRUCache<string, Entry<Value>>({
    ttl: longestTimerMs,
    ttlAutopurge: true,
    // What is due is held until its timer comes, so that closing the pool closes it too.
    allowStale: true,
    dispose: (entry, _tenantId, reason) => {
      if (reason !== 'delete') void entry.close();
    },
  });
  const busy = new Map<string, Entry<Value>>();
  const draining = new Set<Entry<Value>>();

  const isFull = () => idle.size + busy.size + draining.size >= max;

  const createEntry = (tenantId: string, { value, idleMs, onClose }: NewValue<Value>): Entry<Value> => {
    const closed = Promise.withResolvers<void>();
    let uses = 0;
    let idleSince = performance.now();
    let isClosing = false;
    const entry: Entry<Value> = {
      tenantId,
      value,
      isRetired: false,
      closed: closed.promise,
      close: () => {
        // A use that comes too late, such as by a phone call that was kept, must not bring it back.
        entry.isRetired = true;
        if (!isClosing) closed.resolve(onClose());
        isClosing = true;
        draining.delete(entry);
        return closed.promise;
      },
      uses: () => uses,
      idleForMs: () => (uses > 0 ? 0 : performance.now() - idleSince),
      rest: () => void idle.set(tenantId, entry, { ttl: Math.min(idleMs, longestTimerMs) }),
      use: () => {
        uses += 1;
        if (!entry.isRetired) {
          idle.delete(tenantId);
          busy.set(tenantId, entry);
        }
        let isOver = false;
        return {
          end: () => {
            if (isOver) return;
            isOver = true;
            uses -= 1;
            if (uses > 0) return;
            idleSince = performance.now();
            if (entry.isRetired) return void entry.close();
            busy.delete(tenantId);
            entry.rest();
          },
        };
      },
    };
    return entry;
  };

  const get = (tenantId: string) => busy.get(tenantId) ?? idle.peek(tenantId);

  const retire = (tenantId: string) => {
    const entry = get(tenantId);
    if (!entry) return;
    entry.isRetired = true;
    idle.delete(tenantId);
    busy.delete(tenantId);
    if (entry.uses() > 0) draining.add(entry);
    else void entry.close();
  };

  const entries = () => [...idle.rvalues(), ...busy.values()].filter((entry) => entry !== undefined);

  return {
    get,
    hasPlace: () => !isFull() || idle.size > 0,
    put: (tenantId, made) => {
      retire(tenantId);
      if (isFull()) idle.pop();
      const entry = createEntry(tenantId, made);
      entry.rest();
      return entry;
    },
    retire,
    entries,
    draining: () => draining.size,
    close: async (drainMs) => {
      const all = [...entries(), ...draining];
      for (const { tenantId } of all) retire(tenantId);
      const drained = Promise.all(all.map(({ closed }) => closed));
      await waitAtMost(drained, drainMs);
      await Promise.all(all.map((entry) => entry.close()));
    },
  };
};

interface Entry<Value> extends Held<Value> {
  isRetired: boolean;
  readonly closed: Promise<void>;
  readonly close: () => Promise<void>;
  /** From now on nothing uses it. */
  readonly rest: () => void;
}

/** The longest time that a timer can wait: 24.8 days. */
const longestTimerMs = 2 ** 31 - 2;
