import { expect, test } from 'vitest';
import { createSlidingWindow } from '../../src/stores/sliding-window.ts';
import { liveHeapBytes } from '../support/live-heap-bytes.ts';
import fc from '../support/fast-check.ts';

test('room comes back one grant at a time, a window after each', () => {
  const window = createSlidingWindow({ limit: 2, perMs: 100 });
  window.take(1, 0);
  window.take(1, 30);
  expect([1, 2, 3, 4, 5].map((units) => window.freeAt(units, 40))).toEqual([100, 130, 200, 230, 300]);
  expect([window.freeAt(1, 100), window.freeAt(2, 100), window.isIdle(129), window.isIdle(130)]).toEqual([
    100,
    130,
    false,
    true,
  ]);
});

test('what may not start before a moment is counted from it', () => {
  const window = createSlidingWindow({ limit: 2, perMs: 100 });
  window.take(1, 0);
  expect([1, 2, 3, 4].map((units) => window.freeAt(units, 10, 50))).toEqual([50, 100, 150, 200]);
});

test('what it foretells for those in a queue is what they get', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 30 }),
      (limit, pauses, queued) => {
        const window = createSlidingWindow({ limit, perMs: 100 });
        let now = 0;
        for (const pause of pauses) {
          now = window.freeAt(1, now + pause);
          window.take(1, now);
        }
        const foretold = Array.from({ length: queued }, (_, index) => window.freeAt(index + 1, now));
        const got = foretold.map(() => {
          now = window.freeAt(1, now);
          window.take(1, now);
          return now;
        });
        expect(foretold).toEqual(got);
      },
    ),
  );
});

test('forgets what has passed, also where nothing asks when more is free', () => {
  const window = createSlidingWindow({ limit: 10, perMs: 10 });
  const before = liveHeapBytes();
  for (let now = 0; now < 5_000_000; now += 1) window.take(1, now);
  // Kept, they would be 40 MB at least.
  expect(liveHeapBytes() - before).toBeLessThan(10_000_000);
  expect(window.isIdle(5_000_010)).toBe(true);
});
