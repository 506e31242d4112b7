import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventLoop } from '../../../bench/scale/event-loop.ts';

test('events happen in the order of their time, and of asking where that is the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 50 }), async (delays) => {
      const clock = createEventLoop();
      const seen: (readonly [at: number, which: number])[] = [];
      for (const [which, ms] of delays.entries()) clock.setTimer(() => seen.push([clock.now(), which]), ms);
      await clock.run(20);

      const expected = delays.map((ms, which) => [ms, which] as const).toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
      expect(seen).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

test('code that waits for promises goes on at the moment at which they end', async () => {
  const clock = createEventLoop();
  const seen: number[] = [];
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
  const work = async () => {
    for (let step = 0; step < 3; step += 1) {
      await wait(10);
      await Promise.resolve().then(() => undefined);
      seen.push(clock.now());
    }
  };
  void work();
  clock.setTimer(() => seen.push(-clock.now()), 15);
  await clock.run(1_000);

  expect([seen, clock.now()]).toEqual([[10, -15, 20, 30], 1_000]);
});

test('what was taken back does not happen, and what lies beyond the end waits for the next run', async () => {
  const clock = createEventLoop();
  const seen: string[] = [];
  const cancel = clock.setTimer(() => seen.push('cancelled'), 5);
  clock.setTimer(() => seen.push('later'), 11);
  clock.setTimer(cancel, 4);
  await clock.run(10);
  expect(seen).toEqual([]);

  await clock.run(11);
  expect(seen).toEqual(['later']);
});
