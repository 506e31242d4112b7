import { expect, test } from 'vitest';
import { createQuota } from '../../src/http/quota.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

test('a spent budget says when the next period starts, and is full again then', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 2, perMs: 60_000, clock });
  await clock.advance(5_000);
  expect([quota.left(), quota.take(), quota.left(), quota.take(), quota.left()]).toEqual([
    2,
    undefined,
    1,
    undefined,
    0,
  ]);
  await clock.advance(20_000);
  expect(quota.take()).toEqual({ retryAfterMs: 40_000 });
  await clock.advance(40_000);
  expect([quota.left(), quota.take(), quota.left()]).toEqual([2, undefined, 1]);
});

test('a period starts with its first request', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 1, perMs: 1_000, clock });
  quota.take();
  await clock.advance(1_700);
  quota.take();
  expect(quota.take()).toEqual({ retryAfterMs: 1_000 });
});

test('what is given back can be spent again, and never more than the limit', () => {
  const quota = createQuota({ limit: 1, perMs: 1_000, clock: createVirtualClock() });
  quota.take();
  quota.giveBack();
  quota.giveBack();
  expect([quota.left(), quota.take(), quota.take()]).toEqual([1, undefined, { retryAfterMs: 1_000 }]);
});

test('what belongs to the last period is not given to the next', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 2, perMs: 1_000, clock });
  quota.take();
  await clock.advance(1_000);
  quota.giveBack();
  quota.take();
  expect(quota.left()).toBe(1);
});

test.each([
  [{ limit: 0, perMs: 1 }, 'quota.limit must be a whole number above 0'],
  [{ limit: 1, perMs: 0 }, 'quota.perMs must be a number of milliseconds above 0'],
])('%j is refused when it is made', (limit, message) => {
  expect(() => createQuota({ ...limit, clock: createVirtualClock() })).toThrow(message);
});
