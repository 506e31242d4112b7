import { describe, expect, test } from 'vitest';
import { checksOfStore, type StoreCheckOptions } from '../../src/dev/testing/store-checks.ts';

type StoreUnderTest = Required<Pick<StoreCheckOptions, 'open' | 'pass' | 'setClockBack'>> &
  Pick<StoreCheckOptions, 'leaseMs'>;

/** What every idempotency store must do, whatever it is made of. */
export const idempotencyStoreConformance = (name: string, under: StoreUnderTest): void => {
  describe(`${name} as an idempotency store`, () => {
    test.each(checksOfStore(under))('$name', async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });
  });
};
