import { expect, test } from 'vitest';
import { createQuota, type Quota } from '../../src/http/middleware/quota.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** What is left after each of so many requests. */
const spend = (quota: Quota, times: number) =>
  Array.from({ length: times }, () => {
    const spent = quota.take();
    return spent.taken ? quota.left() : spent;
  });

test('a spent budget says when the next period starts, and is full again then', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 2, perMs: 60_000 });
  await clock.advance(5_000);
  expect(quota.left()).toBe(2);
  expect(spend(quota, 2)).toEqual([1, 0]);
  await clock.advance(20_000);
  expect(quota.take()).toEqual({ taken: false, retryAfterMs: 40_000 });
  await clock.advance(40_000);
  expect(quota.left()).toBe(2);
  expect(spend(quota, 1)).toEqual([1]);
});

test('a period starts with its first request', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 1, perMs: 1_000 });
  quota.take();
  await clock.advance(1_700);
  expect(spend(quota, 2)).toEqual([0, { taken: false, retryAfterMs: 1_000 }]);
});

test('what is given back can be spent again', () => {
  createVirtualClock();
  const quota = createQuota({ limit: 1, perMs: 1_000 });
  const spent = quota.take();
  if (spent.taken) spent.release();
  expect(quota.left()).toBe(1);
  expect(spend(quota, 2)).toEqual([0, { taken: false, retryAfterMs: 1_000 }]);
});

test('what belongs to the last period is not given to the next, however late it is given back', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 2, perMs: 1_000 });
  const spent = quota.take();
  await clock.advance(1_000);
  quota.take();
  if (spent.taken) spent.release();
  expect(quota.left()).toBe(1);
});

test.each([
  [{ limit: 0, perMs: 1 }, 'quota.limit must be a whole number above 0'],
  [{ limit: 1, perMs: 0 }, 'quota.perMs must be a number of milliseconds above 0'],
])('%j is refused when it is made', (limit, message) => {
  expect(() => createQuota({ ...limit })).toThrow(message);
});
