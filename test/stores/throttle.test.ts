import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createThrottle } from '../../src/stores/throttle.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const setUp = () => {
  const onRelease = vi.fn();
  return { onRelease, throttle: createThrottle({ limit: 2, perMs: 1_000, clock: systemClock, onRelease }) };
};

test('releases up to the limit come at once and need no timer', () => {
  const { throttle, onRelease } = setUp();
  expect([throttle.take(1), throttle.take(1)]).toEqual([true, true]);
  expect([vi.getTimerCount(), onRelease.mock.calls.length]).toEqual([0, 0]);
});

test('one beyond the limit is on its way, only one, and comes when a place is free', () => {
  const { throttle, onRelease } = setUp();
  throttle.take(2);
  throttle.prepare();
  expect([throttle.take(1), throttle.take(1), vi.getTimerCount()]).toEqual([false, false, 1]);
  vi.advanceTimersByTime(999);
  expect(onRelease).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onRelease).toHaveBeenCalledOnce();
  expect([throttle.take(1), vi.getTimerCount()]).toEqual([true, 0]);
});

test('a release that nobody took yet is kept', () => {
  const { throttle } = setUp();
  throttle.take(1);
  throttle.prepare();
  throttle.prepare();
  vi.advanceTimersByTime(10);
  expect([throttle.take(1), throttle.take(1)]).toEqual([true, false]);
});

test('renewing gives up what was on its way and starts afresh', () => {
  const { throttle, onRelease } = setUp();
  throttle.take(2);
  throttle.take(1);
  throttle.renew();
  expect([vi.getTimerCount(), throttle.take(2)]).toEqual([0, true]);
  vi.advanceTimersByTime(10_000);
  expect(onRelease).not.toHaveBeenCalled();
});

test('resting frees the timer', () => {
  const { throttle } = setUp();
  throttle.take(2);
  throttle.prepare();
  throttle.rest();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  [3_600_000, true],
  [-3_600_000, true],
  [3, false],
])('a wall clock that steps by %i ms makes its time worthless: %s', (stepMs, hasLostTime) => {
  const { throttle } = setUp();
  throttle.take(1);
  vi.advanceTimersByTime(60_000);
  expect(throttle.hasLostTime()).toBe(false);
  vi.setSystemTime(Date.now() + stepMs);
  expect(throttle.hasLostTime()).toBe(hasLostTime);
});
