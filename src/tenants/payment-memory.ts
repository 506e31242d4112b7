import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../stores/memory-idempotency-store.ts';

/**
 * Remembers the payments of each tenant, longer than its integration lives. A caller who rings back after the tenant
 * was evicted or refreshed must not pay twice. Each tenant has a store in memory, so one tenant's unsettled payments
 * don't fill the store of another. Costs nothing until something is paid.
 */
export const createPaymentMemories = (): ((tenantId: string) => IdempotencyStore) => {
  const memories = new Map<string, { readonly store: IdempotencyStore; keptUntil: number }>();

  const memoryOf = (tenantId: string) => {
    const memory = memories.get(tenantId) ?? { store: createMemoryIdempotencyStore(), keptUntil: 0 };
    memories.set(tenantId, memory);
    return memory;
  };

  const forgetOld = () => {
    for (const [tenantId, { keptUntil }] of memories) if (keptUntil <= performance.now()) memories.delete(tenantId);
  };

  return (tenantId) => {
    forgetOld();
    return {
      claim: (key, options) => {
        const memory = memoryOf(tenantId);
        // A key is settled while its lease lasts, and kept for so long after that.
        memory.keptUntil = Math.max(memory.keptUntil, performance.now() + options.leaseMs + options.retainMs);
        return memory.store.claim(key, options);
      },
      read: (key) => memoryOf(tenantId).store.read(key),
      renew: (key, claim, options) => {
        const memory = memoryOf(tenantId);
        memory.keptUntil = Math.max(memory.keptUntil, performance.now() + options.leaseMs);
        return memory.store.renew(key, claim, options);
      },
      settle: (...settled) => memoryOf(tenantId).store.settle(...settled),
      release: (...released) => memoryOf(tenantId).store.release(...released),
    };
  };
};
