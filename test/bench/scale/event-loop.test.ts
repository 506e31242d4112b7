import { expect, test } from 'vitest';
import { createEventLoop } from '../../../bench/scale/event-loop.ts';
import fc from '../../support/fast-check.ts';

test('events happen in the order of their time, and of asking where that is the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 50 }), async (delays) => {
      using clock = createEventLoop();
      const seen: (readonly [at: number, which: number])[] = [];
      for (const [which, ms] of delays.entries()) setTimeout(() => seen.push([performance.now(), which]), ms);
      await clock.run(20);

      const expected = delays.map((ms, which) => [ms, which] as const).toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
      expect(seen).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

test('code that waits for promises goes on at the moment at which they end', async () => {
  using clock = createEventLoop();
  const seen: number[] = [];
  const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
  const work = async () => {
    for (let step = 0; step < 3; step += 1) {
      await wait(10);
      await Promise.resolve().then(() => undefined);
      seen.push(performance.now());
    }
  };
  void work();
  setTimeout(() => seen.push(-performance.now()), 15);
  await clock.run(1_000);

  expect([seen, performance.now()]).toEqual([[10, -15, 20, 30], 1_000]);
});

test("a cancelled timer doesn't run, and one beyond the end waits for the next run", async () => {
  using clock = createEventLoop();
  const seen: string[] = [];
  const cancelled = setTimeout(() => seen.push('cancelled'), 5);
  setTimeout(() => seen.push('later'), 11);
  setTimeout(() => clearTimeout(cancelled), 4);
  await clock.run(10);
  expect(seen).toEqual([]);

  await clock.run(11);
  expect(seen).toEqual(['later']);
});
