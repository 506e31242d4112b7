import { afterEach, expect, test, vi } from 'vitest';
import { sleepOn } from '../../src/clock.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

afterEach(() => void vi.useRealTimers());

test('timers run in the order of their moments, each at its own moment', async () => {
  const clock = createVirtualClock();
  const ran: [string, number][] = [];
  clock.setTimer(() => ran.push(['late', clock.now()]), 30);
  clock.setTimer(() => ran.push(['early', clock.now()]), 10);
  clock.setTimer(() => ran.push(['early, set second', clock.now()]), 10);
  await clock.advance(29);
  expect(ran).toEqual([
    ['early', 10],
    ['early, set second', 10],
  ]);
  await clock.advance(1);
  expect(ran.at(-1)).toEqual(['late', 30]);
  expect([clock.now(), clock.pendingTimers()]).toEqual([30, 0]);
});

test('code that waits several times in a row goes on within one advance', async () => {
  const clock = createVirtualClock();
  const sleep = sleepOn(clock);
  const moments: number[] = [];
  const work = async () => {
    for (let turn = 0; turn < 5; turn++) {
      await sleep(100, new AbortController().signal);
      moments.push(clock.now());
    }
  };
  void work();
  await clock.advance(450);
  expect(moments).toEqual([100, 200, 300, 400]);
});

test('a timer that was taken back does not run', async () => {
  const clock = createVirtualClock();
  const callback = vi.fn();
  clock.setTimer(callback, 5)();
  await clock.advance(10);
  expect(callback).not.toHaveBeenCalled();
});

test('a step of the wall clock moves dates and nothing else', async () => {
  const clock = createVirtualClock({ wallNow: 1_000_000 });
  const callback = vi.fn();
  clock.setTimer(callback, 10);
  clock.stepWall(-5_000);
  await clock.advance(9);
  expect([clock.now(), clock.wallNow(), callback.mock.calls.length]).toEqual([9, 995_009, 0]);
});

test('advances while the test runner fakes timers', async () => {
  vi.useFakeTimers();
  const clock = createVirtualClock();
  const callback = vi.fn();
  clock.setTimer(callback, 10);
  await clock.advance(10);
  expect(callback).toHaveBeenCalledOnce();
});
