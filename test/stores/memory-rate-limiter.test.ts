import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { RateLimitedError } from '../../src/core/errors.ts';
import type { RateLimiter } from '../../src/stores/ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../../src/stores/memory-rate-limiter.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { liveHeapBytes } from '../support/live-heap-bytes.ts';
import { rateLimiterConformance } from './rate-limiter.conformance.ts';
import fc from '../support/fast-check.ts';

type Asked = Partial<Parameters<RateLimiter['acquire']>[0]>;

/** Writes down when each caller was let through, or how it was refused. */
const createLog = (limiter: RateLimiter) => {
  const log: [name: string, at: number, result: string][] = [];
  const ask = (name: string, asked: Asked = {}) => {
    const caller = { key: 'tenant', maxWaitMs: 60_000, signal: new AbortController().signal, ...asked };
    void limiter.acquire(caller).then(
      () => log.push([name, performance.now(), 'sent']),
      (error: unknown) =>
        log.push([
          name,
          performance.now(),
          error instanceof RateLimitedError ? `refused ${error.retryAfterMs}` : `${error}`,
        ]),
    );
  };
  return { log, ask };
};

const setUp = (options: Omit<Parameters<typeof createMemoryRateLimiter>[0], 'clock'>) => {
  const clock = createVirtualClock();
  const limiter = createMemoryRateLimiter({ ...options });
  return { clock, limiter, ...createLog(limiter) };
};

afterEach(() => void vi.useRealTimers());

describe('one app', () => {
  test('lets the limit through at once and the next caller when the first grant is a window old', async () => {
    const { clock, log, ask, limiter } = setUp({ limit: 2, perMs: 1_000 });
    ask('first');
    await clock.advance(300);
    for (const name of ['second', 'third', 'fourth', 'fifth']) ask(name);
    await clock.advance(0);
    expect(limiter.state()).toEqual({ waiting: 3, nextFreeInMs: 2_000, pausedForMs: 0 });
    await clock.advance(5_000);
    expect(log).toEqual([
      ['first', 0, 'sent'],
      ['second', 300, 'sent'],
      ['third', 1_000, 'sent'],
      ['fourth', 1_300, 'sent'],
      ['fifth', 2_000, 'sent'],
    ]);
    expect(limiter.state()).toEqual({ waiting: 0, nextFreeInMs: 0, pausedForMs: 0 });
  });

  test('a free permit needs no timer', async () => {
    const { clock, log, ask } = setUp({ limit: 1_000, perMs: 60_000 });
    for (let caller = 0; caller < 1_000; caller += 1) ask(String(caller));
    await clock.advance(0);
    expect([log.length, clock.pendingTimers()]).toEqual([1_000, 0]);
  });

  test('a wait that does not fit is refused before queueing and says how long it would be', async () => {
    const { clock, log, ask, limiter } = setUp({ limit: 1, perMs: 1_000 });
    ask('first');
    ask('fits exactly', { maxWaitMs: 1_000 });
    ask('does not fit', { maxWaitMs: 1_999 });
    await clock.advance(0);
    expect(log).toEqual([
      ['first', 0, 'sent'],
      ['does not fit', 0, 'refused 2000'],
    ]);
    expect(limiter.state().waiting).toBe(1);
    await clock.advance(1_000);
    expect(log.at(-1)).toEqual(['fits exactly', 1_000, 'sent']);
  });

  test('an aborted waiter gives up its turn at once and leaves no listener', async () => {
    const { clock, log, ask } = setUp({ limit: 1, perMs: 1_000 });
    const controller = new AbortController();
    ask('first', { signal: controller.signal });
    ask('hangs up', { signal: controller.signal });
    ask('next');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    await clock.advance(400);
    controller.abort('hung up');
    await clock.advance(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await clock.advance(600);
    expect(log).toEqual([
      ['first', 0, 'sent'],
      ['hangs up', 400, 'hung up'],
      ['next', 1_000, 'sent'],
    ]);
  });

  test('an aborted signal is not let through', async () => {
    const { clock, log, ask, limiter } = setUp({ limit: 1, perMs: 1_000 });
    ask('late', { signal: AbortSignal.abort('gone') });
    await clock.advance(0);
    expect([log, limiter.state().nextFreeInMs]).toEqual([[['late', 0, 'gone']], 0]);
  });

  test('a long-lived signal has no listener once its caller was served', async () => {
    const { clock, ask } = setUp({ limit: 1, perMs: 10 });
    const { signal } = new AbortController();
    for (let caller = 0; caller < 5; caller += 1) ask(String(caller), { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(4);
    await clock.advance(50);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('no timer is left when the last waiter is gone', async () => {
    const clock = createVirtualClock();
    const limiter = createMemoryRateLimiter({ limit: 1, perMs: 1_000 });
    const { ask } = createLog(limiter);
    const controller = new AbortController();
    ask('first');
    ask('second', { signal: controller.signal });
    expect(clock.pendingTimers()).toBe(1);
    controller.abort();
    expect([clock.pendingTimers(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('a background caller that live ones push beyond its wait is refused at once', async () => {
    const { clock, log, ask } = setUp({ limit: 1, perMs: 1_000 });
    ask('first');
    ask('background', { lane: 'background', maxWaitMs: 1_500 });
    await clock.advance(200);
    ask('live');
    await clock.advance(0);
    expect(log).toEqual([
      ['first', 0, 'sent'],
      ['background', 200, 'refused 1800'],
    ]);
  });

  test('a heavy caller waits until all its permits are free, and no caller slips past it', async () => {
    const { clock, log, ask } = setUp({ limit: 3, perMs: 1_000 });
    ask('one');
    await clock.advance(500);
    ask('another');
    ask('heavy', { weight: 3 });
    ask('light');
    await clock.advance(3_000);
    expect(log).toEqual([
      ['one', 0, 'sent'],
      ['another', 500, 'sent'],
      ['heavy', 1_500, 'sent'],
      ['light', 2_500, 'sent'],
    ]);
  });

  test('headroom leaves its share of the limit free', async () => {
    const { clock, log, ask } = setUp({ limit: 10, perMs: 1_000, headroom: 0.3 });
    for (let caller = 0; caller < 10; caller += 1) ask(String(caller), { maxWaitMs: 0 });
    await clock.advance(0);
    expect(log.filter(([, , result]) => result === 'sent')).toHaveLength(7);
  });

  test.each([
    [{ limit: 0, perMs: 1_000 }, 'limit must be a whole number above 0'],
    [{ limit: 1.5, perMs: 1_000 }, 'limit must be a whole number above 0'],
    [{ limit: 1, perMs: 0 }, 'perMs must be a number of milliseconds above 0'],
    [{ limit: 1, perMs: 1, headroom: 1 }, 'headroom must be at least 0 and below 1'],
    [{ limit: 1, perMs: 1, perTenant: { limit: -1, perMs: 1 } }, 'perTenant.limit must be a whole number above 0'],
  ])('%j is refused when it is made', (options, message) => {
    expect(() => createMemoryRateLimiter(options)).toThrow(message);
  });
});

describe('a pause', () => {
  test('never shortens a longer one', () => {
    const { limiter } = setUp({ limit: 1, perMs: 1_000 });
    limiter.pause('a', 5_000);
    limiter.pause('a', 1_000);
    limiter.pause('a', -1);
    limiter.pause('a', Number.NaN);
    expect(limiter.state().pausedForMs).toBe(5_000);
  });

  test('of years lasts ten minutes, since the next 429 renews it', () => {
    const { limiter } = setUp({ limit: 1, perMs: 1_000 });
    limiter.pause('a', 1e12);
    expect(limiter.state().pausedForMs).toBe(600_000);
  });

  test('refuses at once those in the queue whose time it takes away, and keeps the others', async () => {
    const { clock, log, ask, limiter } = setUp({ limit: 1, perMs: 1_000 });
    ask('first');
    ask('impatient', { maxWaitMs: 3_000 });
    ask('patient', { maxWaitMs: 5_000 });
    await clock.advance(500);
    limiter.pause('a', 4_000);
    await clock.advance(0);
    expect(log.slice(1)).toEqual([['impatient', 500, 'refused 4000']]);
    await clock.advance(10_000);
    expect(log.slice(2)).toEqual([['patient', 4_500, 'sent']]);
  });
});

describe('tenants', () => {
  test('share the limit of the app, and each has its own', async () => {
    const { clock, log, ask } = setUp({ limit: 3, perMs: 1_000, perTenant: { limit: 2, perMs: 1_000 } });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) ask(name, { key: name[0] ?? '' });
    await clock.advance(0);
    expect(log.map(([name]) => name)).toEqual(['a1', 'a2', 'b1']);
    await clock.advance(1_000);
    expect(log.slice(3).map(([name, at]) => [name, at])).toEqual([
      ['a3', 1_000],
      ['b2', 1_000],
    ]);
  });

  test('a free permit is not refused because of callers that wait for their own share', async () => {
    const { clock, log, ask } = setUp({ limit: 3, perMs: 1_000, perTenant: { limit: 2, perMs: 1_000 } });
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name, { key: 'a' });
    ask('b1', { key: 'b', maxWaitMs: 0 });
    ask('b2', { key: 'b', maxWaitMs: 0 });
    await clock.advance(0);
    // Within one moment, the order in which promises settle doesn't matter.
    expect(log.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
      ['a1', 0, 'sent'],
      ['a2', 0, 'sent'],
      ['b1', 0, 'sent'],
      ['b2', 0, 'refused 1000'],
    ]);
  });

  test('within one, no caller slips past a heavy one', async () => {
    const { clock, log, ask } = setUp({ limit: 100, perMs: 1_000, perTenant: { limit: 3, perMs: 1_000 } });
    ask('first', { weight: 2 });
    await clock.advance(100);
    ask('heavy', { weight: 2 });
    ask('light');
    await clock.advance(2_000);
    expect(log).toEqual([
      ['first', 0, 'sent'],
      ['heavy', 1_000, 'sent'],
      ['light', 1_000, 'sent'],
    ]);
  });

  test('the wait of a tenant comes from its own share', async () => {
    const { clock, log, ask } = setUp({ limit: 100, perMs: 1_000, perTenant: { limit: 1, perMs: 30_000 } });
    ask('a1', { key: 'a' });
    ask('a2', { key: 'a', maxWaitMs: 8_000 });
    await clock.advance(0);
    expect(log.at(-1)).toEqual(['a2', 0, 'refused 30000']);
  });

  test('a hundred thousand that came and went leave next to nothing behind', async () => {
    const { clock, limiter } = setUp({ limit: 2_000, perMs: 1_000, perTenant: { limit: 10, perMs: 1_000 } });
    const { signal } = new AbortController();
    const visit = async (count: number, name: string) => {
      for (let tenant = 0; tenant < count; tenant += 1) {
        await limiter.acquire({ key: `${name} ${tenant}`, maxWaitMs: 0, signal });
        if (tenant % 1_000 === 999) await clock.advance(1_000);
      }
      await clock.advance(2_000);
      await limiter.acquire({ key: 'last', maxWaitMs: 0, signal });
    };
    await visit(5_000, 'warm-up');
    const before = liveHeapBytes();
    await visit(100_000, 'tenant');
    // Kept, they would be 20 MB at least.
    expect(liveHeapBytes() - before).toBeLessThan(8_000_000);
    expect(clock.pendingTimers()).toBe(0);
  });
});

describe('when the wall clock steps', () => {
  test('never more than the limit passes in any window, whatever comes when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 200 }),
        fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        fc.array(
          fc.record({
            afterMs: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.double({ min: 0, max: 60, noNaN: true })),
            stepMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -7_200_000, max: 7_200_000 })),
            tenant: fc.constantFrom('a', 'b'),
            lane: fc.constantFrom('live' as const, 'background' as const),
            weight: fc.integer({ min: 1, max: 2 }),
            maxWaitMs: fc.constantFrom(0, 100, 1_000),
            abortAfterMs: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
            pauseMs: fc.constantFrom(0, 0, 0, 50),
          }),
          { maxLength: 40 },
        ),
        async (limit, perMs, tenantLimit, arrivals) => {
          vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
          try {
            const grants = await play({ limit, perMs, tenantLimit, arrivals });
            expectSpread(grants, limit, perMs);
            for (const key of ['a', 'b']) {
              if (tenantLimit)
                expectSpread(
                  grants.filter((grant) => grant.tenant === key),
                  tenantLimit,
                  perMs,
                );
            }
          } finally {
            vi.useRealTimers();
            vi.restoreAllMocks();
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test('the queue drains as usual', async () => {
    vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const limiter = createMemoryRateLimiter({ limit: 10, perMs: 1_000 });
    const { signal } = new AbortController();
    const startedAt = performance.now();
    const moments: number[] = [];
    for (let caller = 0; caller < 40; caller += 1) {
      void limiter
        .acquire({ key: 'a', maxWaitMs: 60_000, signal })
        .then(() => moments.push(Math.round(performance.now() - startedAt)));
    }
    await vi.advanceTimersByTimeAsync(500);
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(Date.now() - 7_200_000);
    await vi.advanceTimersByTimeAsync(3_000);
    expect([0, 10, 20, 30].map((index) => moments[index])).toEqual([0, 1_000, 2_000, 3_000]);
    expect(moments).toHaveLength(40);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('in real time, all waiters are served in order', async () => {
  const limiter = createMemoryRateLimiter({ limit: 5, perMs: 20 });
  const { signal } = new AbortController();
  const served: number[] = [];
  const callers = Array.from({ length: 20 }, (_, index) => index);
  await Promise.all(
    callers.map((caller) =>
      limiter.acquire({ key: 'a', maxWaitMs: 10_000, signal }).then(() => void served.push(caller)),
    ),
  );
  expect(served).toEqual(callers);
});

test('closing refuses waiting and later callers, and frees the timer', async () => {
  const { clock, log, ask, limiter } = setUp({ limit: 1, perMs: 1_000 });
  ask('first');
  ask('waits');
  await limiter.close();
  ask('late');
  await clock.advance(0);
  expect(log).toEqual([
    ['first', 0, 'sent'],
    ['waits', 0, 'refused undefined'],
    ['late', 0, 'refused undefined'],
  ]);
  expect([clock.pendingTimers(), limiter.state().waiting]).toEqual([0, 0]);
});

interface Arrival {
  readonly afterMs: number;
  readonly stepMs: number;
  readonly tenant: string;
  readonly lane: 'live' | 'background';
  readonly weight: number;
  readonly maxWaitMs: number;
  readonly abortAfterMs: number | undefined;
  readonly pauseMs: number;
}

interface Grant {
  readonly at: number;
  readonly weight: number;
  readonly tenant: string;
}

/** Lets the arrivals come, and waits for all that aren't refused. */
const play = async (scene: {
  limit: number;
  perMs: number;
  tenantLimit: number | undefined;
  arrivals: readonly Arrival[];
}) => {
  const { limit, perMs, tenantLimit, arrivals } = scene;
  // Not `vi.setSystemTime`: within a millisecond it sets the clock back that must never step.
  let wallAheadMs = 1_700_000_000_000;
  vi.spyOn(Date, 'now').mockImplementation(() => Math.floor(performance.now() + wallAheadMs));
  const limiter = createMemoryRateLimiter({
    limit,
    perMs,
    ...(tenantLimit === undefined ? {} : { perTenant: { limit: tenantLimit, perMs } }),
  });
  const grants: Grant[] = [];
  const ended: Promise<unknown>[] = [];
  for (const arrival of arrivals) {
    await vi.advanceTimersByTimeAsync(arrival.afterMs);
    wallAheadMs += arrival.stepMs;
    if (arrival.pauseMs) limiter.pause(arrival.tenant, arrival.pauseMs);
    const controller = new AbortController();
    if (arrival.abortAfterMs !== undefined) setTimeout(() => controller.abort(), arrival.abortAfterMs);
    const weight = Math.min(arrival.weight, limit, tenantLimit ?? limit);
    const { tenant, lane, maxWaitMs } = arrival;
    const deadlineAt = performance.now() + maxWaitMs;
    ended.push(
      limiter.acquire({ key: tenant, lane, maxWaitMs, weight, signal: controller.signal }).then(
        () => {
          const at = performance.now();
          grants.push({ at, weight, tenant });
          expect(at).toBeLessThanOrEqual(deadlineAt + wholeTimersMs);
        },
        (error: unknown) => expect(error instanceof RateLimitedError || controller.signal.aborted).toBe(true),
      ),
    );
  }
  await vi.advanceTimersByTimeAsync(2_000);
  await Promise.all(ended);
  expect([vi.getTimerCount(), limiter.state().waiting]).toEqual([0, 0]);
  return grants;
};

/** Fake timers end on whole milliseconds only, and a caller may wait for several of them. */
const wholeTimersMs = 5;

const expectSpread = (grants: readonly { at: number; weight: number }[], limit: number, perMs: number) => {
  for (const { at } of grants) {
    const within = grants.filter((other) => at <= other.at && other.at + 1e-6 < at + perMs);
    expect(within.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(limit);
  }
};

rateLimiterConformance('the memory', async (limit) => createMemoryRateLimiter(limit));
