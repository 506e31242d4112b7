import type { Clock } from '../clock.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../stores/memory-idempotency-store.ts';

/** What is remembered of the payments of each tenant, longer than its integration lives. */
export interface PaymentMemories {
  /** The same store as before, as long as it remembers anything. */
  of(tenantId: string): IdempotencyStore;
  /** Lets go of the stores that remember nothing any more and belong to no open tenant. */
  sweep(isOpen: (tenantId: string) => boolean): void;
}

/**
 * One store in memory per tenant: a caller who rings back after the tenant was evicted or refreshed must not pay twice,
 * and one tenant's unsettled payments must not fill the store of another.
 */
export const createPaymentMemories = ({ clock }: { readonly clock: Clock }): PaymentMemories => {
  const memories = new Map<string, Memory>();

  return {
    of: (tenantId) => {
      const memory = memories.get(tenantId) ?? createMemory(clock);
      memories.set(tenantId, memory);
      return memory.store;
    },
    sweep: (isOpen) => {
      const now = clock.now();
      for (const [tenantId, { keptUntil }] of memories) {
        if (keptUntil() <= now && !isOpen(tenantId)) memories.delete(tenantId);
      }
    },
  };
};

interface Memory {
  readonly store: IdempotencyStore;
  readonly keptUntil: () => number;
}

const createMemory = (clock: Clock): Memory => {
  const inner = createMemoryIdempotencyStore({ clock });
  let keptUntil = Number.NEGATIVE_INFINITY;
  return {
    store: {
      ...inner,
      claim: (key, options) => {
        // A key is settled while its lease lasts, and kept for so long after that.
        keptUntil = Math.max(keptUntil, clock.now() + options.leaseMs + options.retainMs);
        return inner.claim(key, options);
      },
    },
    keptUntil: () => keptUntil,
  };
};
