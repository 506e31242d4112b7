import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CircuitBreaker, CircuitResult, Permit } from '../../src/http/circuit-breaker.ts';
import { createCircuitBreaker } from '../../src/http/circuit-breaker.ts';
import type { CircuitOptions } from '../../src/http/operation.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { liveHeapBytes } from '../support/live-heap-bytes.ts';

const setUp = (options: CircuitOptions = {}) => {
  const clock = createVirtualClock();
  const changes: string[] = [];
  const breaker = createCircuitBreaker({ ...options, clock, onChange: (from, to) => changes.push(`${from} > ${to}`) });
  return { clock, changes, breaker };
};

const admitted = (breaker: CircuitBreaker): Permit => {
  const admission = breaker.admit();
  if (!admission.admitted) throw new Error(`refused for ${admission.retryAfterMs} ms`);
  return admission.permit;
};

const send = async (breaker: CircuitBreaker, result: CircuitResult, times = 1) => {
  for (let sent = 0; sent < times; sent += 1) await admitted(breaker).settle(result);
};

afterEach(() => void vi.useRealTimers());

describe('opening', () => {
  test('exactly the share of failures opens it', async () => {
    const { breaker } = setUp({ failureShare: 0.5, minimumVolume: 10 });
    await send(breaker, 'success', 5);
    await send(breaker, 'failure', 4);
    expect(breaker.state()).toBe('closed');
    await send(breaker, 'failure');
    expect([breaker.state(), breaker.admit()]).toEqual(['open', { admitted: false, retryAfterMs: 5_000 }]);
  });

  test.each([
    [0.3, 7, 3],
    [1 / 3, 8, 4],
    [1, 0, 12],
    [0.1, 9, 1],
  ])(
    'a share of %d opens after %i successes at failure number %i and not before',
    async (failureShare, successes, failures) => {
      const { breaker } = setUp({ failureShare, minimumVolume: successes + failures });
      await send(breaker, 'success', successes);
      await send(breaker, 'failure', failures - 1);
      expect(breaker.state()).toBe('closed');
      await send(breaker, 'failure');
      expect(breaker.state()).toBe('open');
    },
  );

  test('below the minimum volume it stays closed, whatever fails', async () => {
    const { breaker } = setUp({ minimumVolume: 10 });
    await send(breaker, 'failure', 9);
    expect(breaker.state()).toBe('closed');
    await send(breaker, 'failure');
    expect(breaker.state()).toBe('open');
  });

  test('less than the share stays closed', async () => {
    const { breaker } = setUp();
    for (let round = 0; round < 100; round += 1) {
      await send(breaker, 'success', 3);
      await send(breaker, 'failure', 2);
    }
    expect(breaker.state()).toBe('closed');
  });

  test('neutral ends neither count as failures nor as volume', async () => {
    const { breaker } = setUp();
    await send(breaker, 'neutral', 1_000);
    await send(breaker, 'failure', 9);
    await send(breaker, 'neutral', 1_000);
    expect(breaker.state()).toBe('closed');
    await send(breaker, 'failure');
    expect(breaker.state()).toBe('open');
  });

  test('requests in flight do not water down the share', async () => {
    const { breaker } = setUp();
    for (let hanging = 0; hanging < 50; hanging += 1) breaker.admit();
    await send(breaker, 'failure', 10);
    expect(breaker.state()).toBe('open');
  });

  test('failures older than the window are forgotten', async () => {
    const { breaker, clock } = setUp({ windowMs: 10_000 });
    await send(breaker, 'failure', 9);
    await clock.advance(10_000);
    await send(breaker, 'failure', 9);
    expect(breaker.state()).toBe('closed');
    await clock.advance(5_000);
    await send(breaker, 'failure', 1);
    expect(breaker.state()).toBe('open');
  });

  test('successes before the first failure count until they are older than the window, each at its own time', async () => {
    const { breaker, clock } = setUp({ windowMs: 10_000 });
    await send(breaker, 'success', 10);
    await clock.advance(6_000);
    await send(breaker, 'success', 8);
    await clock.advance(3_000);
    await send(breaker, 'failure', 17);
    expect(breaker.state()).toBe('closed');
    await clock.advance(1_000);
    await send(breaker, 'failure', 1);
    expect(breaker.state()).toBe('open');
  });

  test('a long silence forgets everything', async () => {
    const { breaker, clock } = setUp();
    await send(breaker, 'failure', 9);
    await clock.advance(1e9);
    await send(breaker, 'failure', 9);
    expect(breaker.state()).toBe('closed');
  });
});

describe('half-open', () => {
  const opened = async (options?: CircuitOptions) => {
    const parts = setUp(options);
    const late = admitted(parts.breaker);
    await send(parts.breaker, 'failure', 10);
    return { ...parts, late };
  };

  test('lets one probe through once the time is up, and its success closes the circuit', async () => {
    const { breaker, clock, changes } = await opened({ openMs: 5_000 });
    await clock.advance(4_999);
    expect([breaker.admit(), breaker.state()]).toEqual([{ admitted: false, retryAfterMs: 1 }, 'open']);
    await clock.advance(1);
    expect([breaker.peek(), breaker.peek(), breaker.state()]).toEqual([
      { admitted: true },
      { admitted: true },
      'half-open',
    ]);
    const probe = admitted(breaker);
    expect([breaker.admit(), breaker.peek(), breaker.retryAfterMs()]).toEqual([
      { admitted: false, retryAfterMs: 10_000 },
      { admitted: false, retryAfterMs: 10_000 },
      10_000,
    ]);
    await probe.settle('success');
    expect([breaker.state(), breaker.retryAfterMs()]).toEqual(['closed', 0]);
    expect(changes).toEqual(['closed > open', 'open > half-open', 'half-open > closed']);
  });

  test('one failure after it closed does not open it again', async () => {
    const { breaker, clock } = await opened();
    await clock.advance(5_000);
    await send(breaker, 'success');
    await send(breaker, 'failure', 9);
    expect(breaker.state()).toBe('closed');
    await send(breaker, 'failure');
    expect(breaker.state()).toBe('open');
  });

  test('a probe that fails opens it for the whole time again', async () => {
    const { breaker, clock, changes } = await opened();
    await clock.advance(7_000);
    await send(breaker, 'failure');
    expect([breaker.state(), breaker.retryAfterMs()]).toEqual(['open', 5_000]);
    expect(changes).toEqual(['closed > open', 'open > half-open', 'half-open > open']);
  });

  test('a probe that says nothing makes room for the next one at once', async () => {
    const { breaker, clock } = await opened();
    await clock.advance(5_000);
    await send(breaker, 'neutral');
    expect(breaker.state()).toBe('half-open');
    await send(breaker, 'success');
    expect(breaker.state()).toBe('closed');
  });

  test('a probe that hangs is given up when its lease ends', async () => {
    const { breaker, clock } = await opened({ probeLeaseMs: 3_000 });
    await clock.advance(5_000);
    const hanging = admitted(breaker);
    await clock.advance(2_999);
    expect(breaker.admit()).toEqual({ admitted: false, retryAfterMs: 1 });
    await clock.advance(1);
    const next = admitted(breaker);
    await hanging.settle('success');
    expect(breaker.state()).toBe('half-open');
    await next.settle('success');
    expect(breaker.state()).toBe('closed');
    await hanging.settle('failure');
    expect(breaker.state()).toBe('closed');
  });

  test('a probe that ends after its lease still counts when no other has taken its place', async () => {
    const { breaker, clock } = await opened({ probeLeaseMs: 3_000 });
    await clock.advance(5_000);
    const slow = admitted(breaker);
    await clock.advance(60_000);
    await slow.settle('success');
    expect(breaker.state()).toBe('closed');
  });

  test.each(['success', 'failure'] as const)(
    'a late %s from before it opened changes nothing, open, half-open or closed',
    async (result) => {
      const { breaker, clock, late } = await opened();
      await late.settle(result);
      expect([breaker.state(), breaker.retryAfterMs()]).toEqual(['open', 5_000]);
      await clock.advance(5_000);
      await late.settle(result);
      const probe = admitted(breaker);
      await late.settle(result);
      expect(breaker.state()).toBe('half-open');
      await probe.settle('success');
      await late.settle(result);
      await send(breaker, 'failure', 9);
      expect(breaker.state()).toBe('closed');
    },
  );
});

test('a permit counts once, however often it is settled', async () => {
  const { breaker } = setUp();
  const permit = admitted(breaker);
  for (let again = 0; again < 50; again += 1) await permit.settle('failure');
  expect(breaker.state()).toBe('closed');
});

test('a thousand breakers have no timer, in whatever state, and an unused one weighs next to nothing', async () => {
  vi.useFakeTimers();
  const before = liveHeapBytes();
  const idle = Array.from({ length: 1_000 }, () => setUp());
  const bytesEach = (liveHeapBytes() - before) / idle.length;
  expect(bytesEach).toBeLessThan(4_000);
  for (const { breaker } of idle) await send(breaker, 'failure', 10);
  for (const { breaker, clock } of idle.slice(500)) {
    await clock.advance(5_000);
    await send(breaker, 'success');
  }
  expect(idle.map(({ breaker }) => breaker.state()).filter((state) => state === 'open')).toHaveLength(500);
  expect(idle.reduce((sum, { clock }) => sum + clock.pendingTimers(), 0)).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  [{ failureShare: 0 }, 'circuit.failureShare must be above 0 and at most 1'],
  [{ failureShare: Number.NaN }, 'circuit.failureShare must be above 0 and at most 1'],
  [{ minimumVolume: 0 }, 'circuit.minimumVolume must be a whole number above 0'],
  [{ windowMs: 0 }, 'circuit.windowMs must be a number of milliseconds above 0'],
  [{ openMs: -1 }, 'circuit.openMs must be a number of milliseconds above 0'],
  [{ probeLeaseMs: Number.POSITIVE_INFINITY }, 'circuit.probeLeaseMs must be a number of milliseconds above 0'],
])('%j is refused when it is made', (options, message) => {
  expect(() => setUp(options)).toThrow(message);
});
