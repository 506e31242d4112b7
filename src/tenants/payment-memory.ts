import type { Clock } from '../clock.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../stores/memory-idempotency-store.ts';

/** What is remembered of the payments of each tenant, longer than its integration lives. */
export interface PaymentMemories {
  /** Remembers what the tenant's earlier integrations did too. Costs nothing until something is paid. */
  of(tenantId: string): IdempotencyStore;
  /** Lets go of what need not be remembered any more. */
  sweep(): void;
}

/**
 * One store in memory per tenant: a caller who rings back after the tenant was evicted or refreshed must not pay twice,
 * and one tenant's unsettled payments must not fill the store of another.
 */
export const createPaymentMemories = ({ clock }: { readonly clock: Clock }): PaymentMemories => {
  const memories = new Map<string, { readonly store: IdempotencyStore; keptUntil: number }>();

  const memoryOf = (tenantId: string) => {
    const memory = memories.get(tenantId) ?? { store: createMemoryIdempotencyStore({ clock }), keptUntil: 0 };
    memories.set(tenantId, memory);
    return memory;
  };

  return {
    of: (tenantId) => ({
      claim: (key, options) => {
        const memory = memoryOf(tenantId);
        // A key is settled while its lease lasts, and kept for so long after that.
        memory.keptUntil = Math.max(memory.keptUntil, clock.now() + options.leaseMs + options.retainMs);
        return memory.store.claim(key, options);
      },
      read: (key) => memoryOf(tenantId).store.read(key),
      settle: (...settled) => memoryOf(tenantId).store.settle(...settled),
      release: (...released) => memoryOf(tenantId).store.release(...released),
    }),
    sweep: () => {
      for (const [tenantId, { keptUntil }] of memories) if (keptUntil <= clock.now()) memories.delete(tenantId);
    },
  };
};
