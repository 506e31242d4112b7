import { expect, test } from 'vitest';
import { createFailingTime } from '../../src/outbox/failing-time.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('a destination has failed for long when nothing succeeded in between, and that is said once', async () => {
  const clock = createVirtualClock();
  const failing = createFailingTime(1_000, clock);
  await clock.advance(5_000);

  const said = [failing.failed()];
  for (const ms of [999, 1, 1, 999, 1]) {
    await clock.advance(ms);
    said.push(failing.failed());
  }

  expect(said).toEqual([false, false, true, false, false, true]);
});

test('a success begins the time anew', async () => {
  const clock = createVirtualClock();
  const failing = createFailingTime(1_000, clock);
  failing.failed();
  await clock.advance(999);
  expect(failing.succeeded()).toBe(false);
  await clock.advance(1);

  expect(failing.failed()).toBe(false);
  await clock.advance(1_000);
  expect(failing.failed()).toBe(true);
});
