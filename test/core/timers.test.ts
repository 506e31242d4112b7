import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { settleWithin } from '../../src/core/timers.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const never = () => new Promise<never>(() => {});

describe('settleWithin', () => {
  test('settles as the work does, and leaves no listener and no timer behind', async () => {
    const clock = createVirtualClock();
    const { signal } = new AbortController();
    const limits = { signal, deadline: 1_000 };

    expect(await settleWithin(async () => 'done', limits)).toBe('done');
    expect(await settleWithin(Promise.resolve('done'), limits)).toBe('done');
    await expect(settleWithin(() => Promise.reject(new Error('no')), limits)).rejects.toThrow('no');
    const throwing = () => {
      throw new Error('at once');
    };
    await expect(settleWithin(throwing, limits)).rejects.toThrow('at once');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('does not start the work under a signal that has aborted', async () => {
    const end = settleWithin(() => expect.unreachable(), { signal: AbortSignal.abort('too late') });
    await expect(end).rejects.toBe('too late');
    await expect(settleWithin(never(), { signal: AbortSignal.abort('too late') })).rejects.toBe('too late');
  });

  test('rejects at once when the signal aborts, with the same reason inside, though the work does not listen', async () => {
    const outer = new AbortController();
    let inner: AbortSignal | undefined;
    const end = settleWithin(
      (signal) =>
        settleWithin(
          (innermost) => {
            inner = innermost;
            return never();
          },
          { signal },
        ),
      { signal: outer.signal },
    );
    outer.abort('hung up');
    expect(inner?.reason).toBe('hung up');
    await expect(end).rejects.toBe('hung up');
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });

  test('rejects when the deadline has passed, and does not abort the signal outside', async () => {
    const clock = createVirtualClock();
    const outer = new AbortController();
    let inner: AbortSignal | undefined;
    const end = settleWithin(
      (signal) => {
        inner = signal;
        return never();
      },
      { signal: outer.signal, deadline: { remainingMs: () => 100 }, late: () => 'too slow' },
    );
    const caught = end.catch((error: unknown) => error);
    await clock.advance(100);
    expect([await caught, inner?.reason, outer.signal.aborted]).toEqual(['too slow', 'too slow', false]);
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });

  test('rejects with a TimeoutError where nothing else is said', async () => {
    const clock = createVirtualClock();
    const end = settleWithin(never(), { deadline: 100 }).catch((error: unknown) => error);
    await clock.advance(100);
    expect(await end).toMatchObject({ name: 'TimeoutError' });
  });

  test('ignores what the work does after an abort', async () => {
    const outer = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const end = settleWithin(() => promise, { signal: outer.signal });
    outer.abort('hung up');
    await expect(end).rejects.toBe('hung up');
    reject(new Error('too late'));
    await new Promise(setImmediate);
  });
});
