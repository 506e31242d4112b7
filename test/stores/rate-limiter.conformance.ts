import { getEventListeners } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { InvalidArgumentError, RateLimitedError } from '../../src/core/errors.ts';
import type { RateLimiter } from '../../src/stores/ports/rate-limiter.ts';

export interface LimitUnderTest {
  readonly limit: number;
  readonly perMs: number;
  readonly perTenant?: { readonly limit: number; readonly perMs: number };
}

/** What every rate limiter must do, whatever it is made of. It runs in real time, on windows of a fraction of a second. */
export const rateLimiterConformance = (name: string, open: (limit: LimitUnderTest) => Promise<RateLimiter>): void => {
  const asked = (options: Partial<Parameters<RateLimiter['acquire']>[0]> = {}) => ({
    key: 'tenant',
    maxWaitMs: 60_000,
    signal: new AbortController().signal,
    ...options,
  });

  const using = async (limit: LimitUnderTest, work: (limiter: RateLimiter) => Promise<void>) => {
    const limiter = await open(limit);
    try {
      await work(limiter);
    } finally {
      await limiter.close();
    }
  };

  /** Takes all free permits. */
  const fill = (limiter: RateLimiter, count: number) =>
    Promise.all(Array.from({ length: count }, () => limiter.acquire(asked())));

  const refused = (limiter: RateLimiter, options: Partial<Parameters<RateLimiter['acquire']>[0]>) =>
    limiter.acquire(asked(options)).then(
      () => undefined,
      (error: unknown) => (error instanceof RateLimitedError ? (error.retryAfterMs ?? 0) : error),
    );

  describe(`${name} as a rate limiter`, () => {
    test('lets the whole limit through at once, never more within a window, and wastes no permit', () =>
      using({ limit: 40, perMs: 400 }, async (limiter) => {
        const moments: number[] = [];
        const stalls = monitorEventLoopDelay({ resolution: 5 });
        stalls.enable();
        await Promise.all(
          Array.from({ length: 140 }, () => limiter.acquire(asked()).then(() => moments.push(performance.now()))),
        );

        stalls.disable();

        // What another process grants arrives here a little later, and is seen after what stalls this one.
        const closest = Math.min(...moments.slice(40).map((at, index) => at - (moments[index] ?? 0)));
        expect(moments).toHaveLength(140);
        expect(closest).toBeGreaterThan(400 - onTheWayMs - stalls.max / 1_000_000);
        expect(limiter.state()).toMatchObject({ waiting: 0, pausedForMs: 0 });
      }));

    test('refuses at once what cannot be served in time, and says when it could be', () =>
      using({ limit: 2, perMs: 60_000 }, async (limiter) => {
        await fill(limiter, 2);
        const retryAfterMs = Number(await refused(limiter, { maxWaitMs: 59_000 }));

        expect(retryAfterMs > 59_000 && retryAfterMs <= 62_000).toBe(true);
        expect(limiter.state().waiting).toBe(0);
      }));

    test('live callers pass background ones, each lane in order', () =>
      using({ limit: 1, perMs: 60 }, async (limiter) => {
        await fill(limiter, 1);
        const order: string[] = [];
        const ask = async (lane: 'live' | 'background', who: string) => {
          await limiter.acquire(asked({ lane }));
          order.push(who);
        };
        const all = [ask('background', 'b1')];
        while (limiter.state().waiting < 1) await nextTurn();
        all.push(ask('background', 'b2'), ask('live', 'l1'), ask('live', 'l2'));
        await Promise.all(all);

        expect(order).toEqual(['l1', 'l2', 'b1', 'b2']);
      }));

    test('background callers leave a tenth of the permits free while live ones come', () =>
      using({ limit: 10, perMs: 60_000 }, async (limiter) => {
        await limiter.acquire(asked());
        const background = { lane: 'background', maxWaitMs: 0 } as const;
        for (let place = 2; place <= 9; place += 1) await limiter.acquire(asked(background));

        expect(await refused(limiter, background)).toBeGreaterThan(50_000);
        await limiter.acquire(asked({ maxWaitMs: 0 }));
      }));

    test('background callers take the whole limit when no live caller comes', () =>
      using({ limit: 10, perMs: 60_000 }, async (limiter) => {
        const background = { lane: 'background', maxWaitMs: 0 } as const;
        for (let place = 1; place <= 10; place += 1) await limiter.acquire(asked(background));

        expect(await refused(limiter, background)).toBeGreaterThan(50_000);
      }));

    test('a tenant that has used up its share does not hold up another', () =>
      using({ limit: 100, perMs: 60_000, perTenant: { limit: 1, perMs: 60_000 } }, async (limiter) => {
        await limiter.acquire(asked({ key: 'a' }));
        const controller = new AbortController();
        const second = limiter.acquire(asked({ key: 'a', maxWaitMs: 120_000, signal: controller.signal }));
        while (limiter.state().waiting < 1) await nextTurn();

        await limiter.acquire(asked({ key: 'b', maxWaitMs: 0 }));

        expect(await refused(limiter, { key: 'b', maxWaitMs: 0 })).toBeGreaterThan(50_000);
        controller.abort('hung up');
        await expect(second).rejects.toBe('hung up');
      }));

    test('tenants share the limit of the app', () =>
      using({ limit: 3, perMs: 60_000, perTenant: { limit: 2, perMs: 60_000 } }, async (limiter) => {
        for (const key of ['a', 'a', 'b']) await limiter.acquire(asked({ key, maxWaitMs: 0 }));

        expect(await refused(limiter, { key: 'b', maxWaitMs: 0 })).toBeGreaterThan(50_000);
        expect(await refused(limiter, { key: 'c', maxWaitMs: 0 })).toBeGreaterThan(50_000);
      }));

    test('a permit refused by one limit is not lost in the other', () =>
      using({ limit: 3, perMs: 60_000, perTenant: { limit: 1, perMs: 60_000 } }, async (limiter) => {
        await limiter.acquire(asked({ key: 'a' }));
        for (let time = 0; time < 5; time += 1) await refused(limiter, { key: 'a', maxWaitMs: 0 });

        await limiter.acquire(asked({ key: 'b', maxWaitMs: 0 }));
        await limiter.acquire(asked({ key: 'c', maxWaitMs: 0 }));
        expect(await refused(limiter, { key: 'd', maxWaitMs: 0 })).toBeGreaterThan(50_000);
      }));

    test('a heavy caller takes as many permits as it weighs', () =>
      using({ limit: 5, perMs: 60_000 }, async (limiter) => {
        await limiter.acquire(asked({ weight: 3 }));

        expect(await refused(limiter, { weight: 3, maxWaitMs: 0 })).toBeGreaterThan(50_000);
        expect(await refused(limiter, { weight: 2, maxWaitMs: 0 })).toBeUndefined();
      }));

    test('a weight that can never fit is an invalid argument', () =>
      using({ limit: 5, perMs: 1_000, perTenant: { limit: 3, perMs: 1_000 } }, async (limiter) => {
        for (const weight of [4, 0, 1.5, Number.NaN])
          expect(await refused(limiter, { weight })).toEqual(
            new InvalidArgumentError('weight', 'must be a whole number from 1 to 3'),
          );
      }));

    test('a pause makes all tenants wait, whichever got the 429', () =>
      using({ limit: 100, perMs: 1_000 }, async (limiter) => {
        limiter.pause('a', 60_000);

        expect(await refused(limiter, { key: 'b', maxWaitMs: 10_000 })).toBeGreaterThan(50_000);
        expect(limiter.state().pausedForMs).toBeGreaterThan(50_000);
      }));

    test('a pause refuses waiters that it delays too long, and ends', () =>
      using({ limit: 1, perMs: 200 }, async (limiter) => {
        await fill(limiter, 1);
        const impatient = refused(limiter, { maxWaitMs: 300 });
        const patient = refused(limiter, { maxWaitMs: 60_000 });
        while (limiter.state().waiting < 2) await nextTurn();

        limiter.pause('a', 500);

        expect(await impatient).toBeGreaterThan(300);
        expect(await patient).toBeUndefined();
      }));

    test('an aborted caller gives up its turn and leaves nothing behind', () =>
      using({ limit: 1, perMs: 100 }, async (limiter) => {
        await fill(limiter, 1);
        const controller = new AbortController();
        const first = limiter.acquire(asked({ signal: controller.signal }));
        const second = limiter.acquire(asked());
        while (limiter.state().waiting < 2) await nextTurn();

        controller.abort('hung up');

        await expect(first).rejects.toBe('hung up');
        await second;
        expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
        await expect(limiter.acquire(asked({ signal: controller.signal }))).rejects.toBe('hung up');
      }));

    test('closing refuses waiting and later callers', async () => {
      const limiter = await open({ limit: 1, perMs: 60_000 });
      await fill(limiter, 1);
      const waiting = refused(limiter, { maxWaitMs: 120_000 });
      while (limiter.state().waiting < 1) await nextTurn();

      await limiter.close();

      expect([await waiting, await refused(limiter, {})]).toEqual([0, 0]);
    });
  });
};

/** How much the moments that this process sees may be off, on a busy machine. */
const onTheWayMs = 60;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
