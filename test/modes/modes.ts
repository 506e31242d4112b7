import { vi } from 'vitest';
import { createIntegration, type Integration } from '../../src/integration.ts';
import type { FakeApiOptions, FakeBillingOptions, FakePlatform } from '../../src/dev/testing/index.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { inFakeTime, useFakeTime } from '../support/fake-time.ts';

/** One way in which the three APIs differ from the fake platform's usual behaviour. */
export interface Mode {
  readonly name: string;
  /** For all three APIs. */
  readonly every?: FakeApiOptions;
  readonly billing?: FakeBillingOptions;
}

export const modes: readonly Mode[] = [
  { name: 'the usual behaviour' },
  { name: 'the documented endpoints alone', every: { endpoints: 'documented' } },
  { name: 'no idempotency keys', every: { idempotency: 'none' } },
  { name: 'slow answers', every: { latencyMs: 3000 } },
  { name: 'bodies in one-byte chunks', every: { bodies: 'bytes' } },
  { name: 'formatted phone numbers', every: { phones: 'formatted' } },
  { name: 'bare lists', every: { envelope: 'array' } },
  { name: 'invoices of all customers', billing: { invoiceFilter: 'ignored' } },
  {
    name: 'all of it at once',
    every: {
      endpoints: 'documented',
      idempotency: 'none',
      latencyMs: 3000,
      bodies: 'bytes',
      phones: 'formatted',
      envelope: 'array',
    },
    billing: { invoiceFilter: 'ignored' },
  },
];

/** An integration with the three APIs in a mode. */
export interface InMode extends AsyncDisposable {
  readonly platform: FakePlatform;
  readonly integration: Integration;
  /** Waits for work; where the mode is slow, on fake time. */
  readonly carryOut: <T>(work: Promise<T>) => Promise<T>;
}

export const startInMode = async ({ every = {}, billing = {} }: Mode): Promise<InMode> => {
  const isSlow = every.latencyMs !== undefined;
  if (isSlow) useFakeTime();
  const { platform, clientOptions } = await connectPlatform({
    messaging: every,
    crm: every,
    billing: { ...every, ...billing },
  });
  const keys = every.idempotency === undefined ? {} : { idempotency: every.idempotency };
  const integration = createIntegration({
    // `connectPlatform` says that the APIs honour keys.
    messaging: { ...clientOptions.messaging, ...keys },
    crm: { ...clientOptions.crm, ...keys },
    billing: { ...clientOptions.billing, ...keys },
    payments: { card: 'from-model', below: 5000, confirm: false },
  });
  return {
    platform,
    integration,
    carryOut: (work) => (isSlow ? inFakeTime(work) : work),
    [Symbol.asyncDispose]: async () => {
      vi.useRealTimers();
      await integration.close();
      await platform.close();
    },
  };
};
