import { describe, expect, test } from 'vitest';
import type { IdempotencyStore } from '../../src/stores/ports/idempotency-store.ts';

/** A store to test, and the way to let its time pass. */
export interface StoreUnderTest {
  readonly store: IdempotencyStore;
  /** Lets leases and keys grow older by `ms`. */
  readonly pass: (ms: number) => Promise<void>;
  /** Sets the clock back that leases are counted by. */
  readonly setClockBack: (ms: number) => Promise<void>;
  readonly close?: () => Promise<void>;
}

/** What every idempotency store must do, whatever it is made of. */
export const idempotencyStoreConformance = (name: string, open: () => Promise<StoreUnderTest>): void => {
  const options = { fingerprint: 'f', leaseMs: 1_000, retainMs: 60_000 };

  const using = async (work: (under: StoreUnderTest) => Promise<void>) => {
    const under = await open();
    try {
      await work(under);
    } finally {
      await under.close?.();
    }
  };

  const claimed = async (store: IdempotencyStore, key: string, own = options) => {
    const claim = await store.claim(key, own);
    if (claim.state !== 'new' && claim.state !== 'unknown')
      throw new Error(`expected a claim on ${key}, got ${claim.state}`);
    return claim;
  };

  describe(`${name} as an idempotency store`, () => {
    test('grants a key to the first claim, and makes the others wait', () =>
      using(async ({ store }) => {
        expect(await store.claim('k', options)).toEqual({ state: 'new', claim: expect.any(String) });

        const second = await store.claim('k', options);

        expect(second).toEqual({ state: 'in-progress', retryAfterMs: expect.any(Number) });
        expect(second.state === 'in-progress' && second.retryAfterMs > 0 && second.retryAfterMs <= 1_000).toBe(true);
      }));

    test('gives a key to exactly one of many who ask at once', () =>
      using(async ({ store }) => {
        const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim('k', options)));

        expect(claims.filter(({ state }) => state === 'new')).toHaveLength(1);
        expect(claims.filter(({ state }) => state === 'in-progress')).toHaveLength(19);
      }));

    test('keys do not know each other', () =>
      using(async ({ store }) => {
        await claimed(store, 'a');

        expect(await store.claim('b', options)).toMatchObject({ state: 'new' });
      }));

    test.each([
      ['an object', { paid: true, list: [1, 'two', null] }],
      ['nothing', null],
      ['false', false],
      ['an object with a field called unknown', { unknown: 1 }],
    ])('hands out the result of finished work: %s', (_what, result) =>
      using(async ({ store }) => {
        const { claim } = await claimed(store, 'k');

        expect(await store.settle('k', claim, result)).toBe(true);

        expect(await store.claim('k', options)).toEqual({ state: 'finished', result });
      }),
    );

    test('refuses the same key for other work, also when it is finished', () =>
      using(async ({ store }) => {
        const { claim } = await claimed(store, 'k');
        const other = { ...options, fingerprint: 'g' };

        expect(await store.claim('k', other)).toEqual({ state: 'conflict' });
        await store.settle('k', claim, 'done');
        expect(await store.claim('k', other)).toEqual({ state: 'conflict' });
      }));

    test('gives work of unknown outcome, with its note, to the next who asks', () =>
      using(async ({ store }) => {
        const { claim } = await claimed(store, 'k');

        expect(await store.renew('k', claim, { leaseMs: 0, note: { key: 'a' } })).toBe(true);

        expect(await store.claim('k', options)).toEqual({
          state: 'unknown',
          claim: expect.any(String),
          note: { key: 'a' },
        });
        expect(await store.claim('k', options)).toMatchObject({ state: 'in-progress' });
      }));

    test('gives an abandoned key back as it was: new before, new again', () =>
      using(async ({ store, pass }) => {
        await claimed(store, 'k');
        await pass(1_500);

        expect(await store.claim('k', options)).toMatchObject({ state: 'new' });
      }));

    test('gives an abandoned key back as it was: unknown before, unknown again with its note', () =>
      using(async ({ store, pass }) => {
        const { claim } = await claimed(store, 'k');
        await store.renew('k', claim, { leaseMs: 0, note: 'note' });
        await claimed(store, 'k');
        await pass(1_500);

        expect(await store.claim('k', options)).toMatchObject({ state: 'unknown', note: 'note' });
      }));

    test('does not settle after the lease has ended', () =>
      using(async ({ store, pass }) => {
        const { claim } = await claimed(store, 'k');
        await pass(1_500);
        const second = await claimed(store, 'k');

        expect(await store.settle('k', claim, 'late')).toBe(false);
        expect(await store.settle('k', second.claim, 'in time')).toBe(true);
        expect(await store.claim('k', options)).toEqual({ state: 'finished', result: 'in time' });
      }));

    test('does not let anybody settle twice, or with a claim of another', () =>
      using(async ({ store }) => {
        const { claim } = await claimed(store, 'k');

        expect(await store.settle('k', 'not-a-claim', 'x')).toBe(false);
        expect(await store.settle('k', claim, 'first')).toBe(true);
        expect(await store.settle('k', claim, 'second')).toBe(false);
        expect(await store.claim('k', options)).toEqual({ state: 'finished', result: 'first' });
      }));

    test('holds a renewed claim for longer, and gives it back as unknown with its note', () =>
      using(async ({ store, pass }) => {
        const { claim } = await claimed(store, 'k');
        await pass(500);

        expect(await store.renew('k', claim, { leaseMs: 2_000, note: { key: 'a' } })).toBe(true);

        await pass(1_500);
        expect(await store.claim('k', options)).toMatchObject({ state: 'in-progress' });
        await pass(1_000);
        expect(await store.claim('k', options)).toMatchObject({ state: 'unknown', note: { key: 'a' } });
      }));

    test('settles a renewed claim', () =>
      using(async ({ store }) => {
        const { claim } = await claimed(store, 'k');
        await store.renew('k', claim, { leaseMs: 2_000, note: null });

        expect(await store.settle('k', claim, 'done')).toBe(true);
        expect(await store.claim('k', options)).toEqual({ state: 'finished', result: 'done' });
      }));

    test('forgets the result of a finished key that is renewed', () =>
      using(async ({ store, pass }) => {
        const { claim } = await claimed(store, 'k');
        await store.settle('k', claim, 'first');
        const again = await store.claim('k', { ...options, reopen: true });
        const own = again.state === 'finished' ? (again.claim ?? '') : '';

        expect(await store.renew('k', own, { leaseMs: 1_000, note: 'second' })).toBe(true);

        expect(await store.claim('k', options)).toMatchObject({ state: 'in-progress' });
        await pass(1_500);
        expect(await store.read('k')).toEqual({ state: 'unknown', note: 'second' });
      }));

    test('does not renew after the lease has ended, or with a claim of another', () =>
      using(async ({ store, pass }) => {
        const { claim } = await claimed(store, 'k');
        expect(await store.renew('k', 'not-a-claim', { leaseMs: 9_000, note: 'x' })).toBe(false);
        await pass(1_500);

        expect(await store.renew('k', claim, { leaseMs: 9_000, note: 'x' })).toBe(false);
        expect(await store.renew('other', claim, { leaseMs: 9_000, note: 'x' })).toBe(false);
        expect(await store.claim('k', options)).toMatchObject({ state: 'new' });
      }));

    test('forgets a key that is released', () =>
      using(async ({ store }) => {
        const first = await claimed(store, 'k');
        await store.renew('k', first.claim, { leaseMs: 0, note: 'note' });
        const second = await claimed(store, 'k');

        await store.release('k', second.claim);

        expect(await store.claim('k', options)).toMatchObject({ state: 'new' });
      }));

    test('does not release a key whose claim is lost', () =>
      using(async ({ store, pass }) => {
        const first = await claimed(store, 'k');
        await pass(1_500);
        await claimed(store, 'k');

        await store.release('k', first.claim);

        expect(await store.claim('k', options)).toMatchObject({ state: 'in-progress' });
      }));

    test('forgets what is older than it was asked to keep it, counted from the last change', () =>
      using(async ({ store, pass }) => {
        const { claim } = await claimed(store, 'k', { ...options, retainMs: 5_000 });
        await pass(500);
        await store.settle('k', claim, 'done');

        await pass(4_500);
        expect(await store.claim('k', options)).toMatchObject({ state: 'finished' });
        await pass(1_000);
        expect(await store.claim('k', options)).toMatchObject({ state: 'new' });
      }));

    test('reads the state of a key without claiming it', () =>
      using(async ({ store, pass }) => {
        expect(await store.read('k')).toBeUndefined();

        const first = await claimed(store, 'k');
        const held = await store.read('k');
        expect(held).toEqual({ state: 'in-progress', retryAfterMs: expect.any(Number) });
        expect(held?.state === 'in-progress' && held.retryAfterMs > 0 && held.retryAfterMs <= 1_000).toBe(true);

        await store.renew('k', first.claim, { leaseMs: 0, note: { key: 'a' } });
        expect(await store.read('k')).toEqual({ state: 'unknown', note: { key: 'a' } });
        expect(await store.read('k')).toEqual({ state: 'unknown', note: { key: 'a' } });

        const second = await claimed(store, 'k');
        await store.settle('k', second.claim, { paid: [1] });
        expect(await store.read('k')).toEqual({ state: 'finished', result: { paid: [1] } });

        await pass(61_000);
        expect(await store.read('k')).toBeUndefined();
      }));

    test('reads a key that was claimed and abandoned as unknown to it', () =>
      using(async ({ store, pass }) => {
        await claimed(store, 'k');
        await pass(1_500);

        expect(await store.read('k')).toBeUndefined();
        expect(await store.claim('k', options)).toMatchObject({ state: 'new' });
      }));

    test('claims a finished key again for one who asks for it, and for no other meanwhile', () =>
      using(async ({ store }) => {
        const { claim } = await claimed(store, 'k');
        await store.settle('k', claim, 'first');
        const reopen = { ...options, reopen: true };

        const again = await store.claim('k', reopen);

        expect(again).toEqual({ state: 'finished', result: 'first', claim: expect.any(String) });
        expect(await store.claim('k', reopen)).toMatchObject({ state: 'in-progress' });
        expect(await store.read('k')).toMatchObject({ state: 'in-progress' });
        const own = again.state === 'finished' ? (again.claim ?? '') : '';
        expect(await store.renew('k', own, { leaseMs: 0, note: 'second' })).toBe(true);
        expect(await store.claim('k', reopen)).toMatchObject({ state: 'unknown', note: 'second' });
      }));

    test('gives an abandoned key back as it was: finished before, finished again', () =>
      using(async ({ store, pass }) => {
        const { claim } = await claimed(store, 'k');
        await store.settle('k', claim, 'first');
        await store.claim('k', { ...options, reopen: true });
        await pass(1_500);

        expect(await store.read('k')).toEqual({ state: 'finished', result: 'first' });
        expect(await store.claim('k', options)).toEqual({ state: 'finished', result: 'first' });
      }));

    test('a lease lasts no longer after the clock was set back by an hour', () =>
      using(async ({ store, pass, setClockBack }) => {
        await claimed(store, 'k');
        await setClockBack(3_600_000);

        const second = await store.claim('k', options);
        expect(second).toMatchObject({ state: 'in-progress' });
        expect(second.state === 'in-progress' && second.retryAfterMs <= 1_000).toBe(true);
        await pass(1_500);
        expect(await store.claim('k', options)).toMatchObject({ state: 'new' });
      }));

    test('keeps what it was given, whatever becomes of the object afterwards', () =>
      using(async ({ store }) => {
        const { claim } = await claimed(store, 'k');
        const result = { paid: ['a'] };
        await store.settle('k', claim, result);
        result.paid.push('b');

        expect(await store.claim('k', options)).toEqual({ state: 'finished', result: { paid: ['a'] } });
      }));
  });
};
