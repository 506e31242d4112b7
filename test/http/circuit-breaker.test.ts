import { expect, test, vi } from 'vitest';
import { createCircuitBreaker } from '../../src/http/circuit-breaker.ts';
import type { CircuitOptions } from '../../src/http/operation.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const down = new Error('down');

const setUp = (options: CircuitOptions = {}) => {
  const clock = createVirtualClock();
  const changes: string[] = [];
  const breaker = createCircuitBreaker({
    minimumVolume: 4,
    ...options,
    onChange: (from, to) => changes.push(`${from} to ${to}`),
  });
  const run = async (work: () => Promise<string>) => {
    const attempt = breaker.begin();
    if (!attempt) return 'refused';
    try {
      const result = await work();
      await attempt.end('answered');
      return result;
    } catch {
      await attempt.end('failed');
      return 'failed';
    }
  };
  const fail = async (times: number) => {
    for (let count = 0; count < times; count += 1) await run(() => Promise.reject(down));
  };
  const succeed = async (times: number) => {
    for (let count = 0; count < times; count += 1) await run(async () => 'ok');
  };
  return { clock, changes, breaker, run, fail, succeed };
};

test('opens at the share of failures, from the minimum volume on', async () => {
  const { breaker, fail, succeed } = setUp({ failureShare: 0.5 });
  await succeed(2);
  await fail(1);
  expect(breaker.state()).toBe('closed');
  await fail(1);
  expect(breaker.state()).toBe('open');
});

test('what is older than the window does not count', async () => {
  const { breaker, fail, clock } = setUp({ windowMs: 10_000 });
  await fail(3);
  await clock.advance(10_000);
  await fail(3);
  expect(breaker.state()).toBe('closed');
  await fail(1);
  expect(breaker.state()).toBe('open');
});

test('nor does it when an attempt ends after it, and no other began meanwhile', async () => {
  const { breaker, fail, clock } = setUp({ windowMs: 10_000 });
  const slow = breaker.begin();
  await fail(3);
  await clock.advance(11_000);
  await slow?.end('failed');
  expect(breaker.state()).toBe('closed');
});

test('an open circuit refuses without running anything, for its time', async () => {
  const { breaker, run, fail, clock } = setUp();
  await fail(4);
  const work = vi.fn(async () => 'ok');
  await clock.advance(4_999);
  expect([await run(work), work.mock.calls.length, breaker.retryAfterMs()]).toEqual(['refused', 0, 1]);
});

test('one probe passes when the time is over, and closes it', async () => {
  const { run, fail, clock, changes } = setUp();
  await fail(4);
  await clock.advance(5_000);
  const probe = Promise.withResolvers<string>();
  const ends = [run(() => probe.promise), run(async () => 'second')];
  probe.resolve('probe');
  expect(await Promise.all(ends)).toEqual(['probe', 'refused']);
  expect(await run(async () => 'third')).toBe('third');
  expect(changes).toEqual(['closed to open', 'open to half-open', 'half-open to closed']);
});

test('a probe that fails opens it again for its time', async () => {
  const { breaker, fail, clock } = setUp();
  await fail(4);
  await clock.advance(5_000);
  await fail(1);
  expect([breaker.state(), breaker.retryAfterMs()]).toEqual(['open', 5_000]);
});

test('starts over when it closes', async () => {
  const { breaker, fail, succeed, clock } = setUp();
  await fail(4);
  await clock.advance(5_000);
  await succeed(1);
  await fail(3);
  expect(breaker.state()).toBe('closed');
});

test('recovers in a later request also where no timer survives the one that opened it', async () => {
  const { breaker, run, fail, clock } = setUp();
  await fail(4);
  vi.clearAllTimers();
  await clock.advance(5_000);
  expect(breaker.state()).toBe('half-open');
  expect(await run(async () => 'probe')).toBe('probe');
  expect(breaker.state()).toBe('closed');
});

test('lets everything through once it was shut down, and leaves no timer', async () => {
  const { breaker, run, fail } = setUp();
  await fail(4);
  breaker.shutdown();
  expect([breaker.isOpen(), breaker.retryAfterMs()]).toEqual([false, 0]);
  expect(await run(async () => 'ok')).toBe('ok');
  expect(vi.getTimerCount()).toBe(0);
});

test('closed circuits have no timers, however many there are', async () => {
  createVirtualClock();
  const breakers = Array.from({ length: 100 }, () => createCircuitBreaker({}));
  for (const breaker of breakers) await breaker.begin()?.end('answered');
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  [{ failureShare: 0 }, 'circuit.failureShare must be above 0 and at most 1'],
  [{ failureShare: 1.1 }, 'circuit.failureShare must be above 0 and at most 1'],
  [{ minimumVolume: 1.5 }, 'circuit.minimumVolume must be a whole number above 0'],
  [{ windowMs: 0 }, 'circuit.windowMs must be a number of milliseconds above 0'],
  [{ openMs: Number.POSITIVE_INFINITY }, 'circuit.openMs must be a number of milliseconds above 0'],
])('refuses %o', (options, message) => {
  expect(() => setUp(options)).toThrow(message);
});
