import { expect, test } from 'vitest';
import { createFailingTime } from '../../src/outbox/worker.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('a destination that fails for too long without a success is reported once per time', async () => {
  const clock = createVirtualClock();
  const failedForLong = createFailingTime(1_000);
  await clock.advance(5_000);

  const reported = [failedForLong(true)];
  for (const ms of [999, 1, 1, 999, 1]) {
    await clock.advance(ms);
    reported.push(failedForLong(true));
  }

  expect(reported).toEqual([false, false, true, false, false, true]);
});

test('a success starts the time again', async () => {
  const clock = createVirtualClock();
  const failedForLong = createFailingTime(1_000);
  failedForLong(true);
  await clock.advance(999);
  expect(failedForLong(false)).toBe(false);
  await clock.advance(1);

  expect(failedForLong(true)).toBe(false);
  await clock.advance(1_000);
  expect(failedForLong(true)).toBe(true);
});
