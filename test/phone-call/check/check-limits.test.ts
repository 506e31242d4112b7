import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { checkLimits } from '../../../src/phone-call/check/check-limits.ts';
import type { IntegrationOptions } from '../../../src/integration.ts';
import type { ApisToCheck } from '../../../src/phone-call/check/parts.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';

const connection = { baseUrl: 'https://a.example', authenticate: bearer(() => 'x') };
const messaging = { ...connection, platform: 'Acme', version: '1', adminId: 'a' };
const crm = { ...connection, version: '60.0' };
const billing = { ...connection, version: 'in-base-url' } as const;
const limit = { limit: 10, perMs: 1_000 };

const told = (options: ApisToCheck, rules: Pick<IntegrationOptions, 'payments' | 'store'> = {}) =>
  checkLimits({ ...options, payments: rules.payments, stores: rules }).map(
    ({ level, about, check }) => `${level} ${about} ${check}`,
  );

describe('limits', () => {
  test('that are not set are warned of, where there is no usual one', () => {
    expect(told({ messaging, crm })).toEqual(['ok messaging limit', 'warning crm limit']);
  });

  test('that are set are fine, as a rate or as a quota', () => {
    expect(told({ messaging: { ...messaging, rateLimit: false }, crm: { ...crm, quota: limit } })).toEqual([
      'warning messaging limit',
      'ok crm limit',
    ]);
    expect(told({ crm: { ...crm, rateLimit: limit } })).toEqual(['ok crm limit']);
  });

  test('what is switched off is warned of', () => {
    const careless = { ...crm, rateLimit: limit, circuit: false, retryBudget: false, allowInsecure: true } as const;

    expect(told({ crm: careless })).toEqual([
      'ok crm limit',
      'warning crm circuit',
      'warning crm retry-budget',
      'warning crm https',
    ]);
  });

  test('of payments are a memory that outlives the process', () => {
    const billingOnly = { billing: { ...billing, rateLimit: limit } };
    const store = createMemoryIdempotencyStore();

    const payments = { below: 500 };

    expect(told(billingOnly)).toEqual(['ok billing limit']);
    expect(told(billingOnly, { payments })).toEqual(['ok billing limit', 'warning payments payment-memory']);
    for (const kept of [store, 'memory'] as const)
      expect(told(billingOnly, { payments, store: kept })).toEqual(['ok billing limit', 'ok payments payment-memory']);
  });
});
