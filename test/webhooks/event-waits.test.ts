import { describe, expect, it } from 'vitest';
import { deadlineIn } from '../../src/http/deadline.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { createEventWaits } from '../../src/webhooks/event-waits.ts';

describe('waiting for an event', () => {
  const make = (options = {}) => {
    const clock = createVirtualClock();
    return { clock, waits: createEventWaits<string>({ ...options }) };
  };

  it('ends for all that wait for its key', async () => {
    const { clock, waits } = make();
    const both = [1, 2].map(() => waits.waitForEvent({ key: 'pay_1', deadline: deadlineIn(5_000) }));
    const other = waits.waitForEvent({ key: 'pay_2', deadline: 5_000 });

    await waits.arrived('pay_1', 'confirmed');

    expect(await Promise.all(both)).toEqual(['confirmed', 'confirmed']);
    expect(waits.waiting()).toBe(1);
    await clock.advance(5_000);
    expect(await other).toBeUndefined();
    expect([waits.waiting(), clock.pendingTimers()]).toEqual([0, 0]);
  });

  it('finds an event that came a little before, once', async () => {
    const { clock, waits } = make();

    await waits.arrived('pay_1', 'confirmed');

    expect(await waits.waitForEvent({ key: 'pay_1', deadline: 1_000 })).toBe('confirmed');
    const again = waits.waitForEvent({ key: 'pay_1', deadline: 1_000 });
    await clock.advance(1_000);
    expect(await again).toBeUndefined();
  });

  it('does not find one that came long before, or before too many others', async () => {
    const { clock, waits } = make({ keepMs: 1_000, maximumKept: 2 });

    for (const key of ['a', 'b', 'c']) await waits.arrived(key, key);
    const first = waits.waitForEvent({ key: 'a', deadline: 10 });
    expect(await waits.waitForEvent({ key: 'b', deadline: 10 })).toBe('b');
    await clock.advance(1_001);
    const late = waits.waitForEvent({ key: 'c', deadline: 10 });
    await clock.advance(10);

    expect([await first, await late]).toEqual([undefined, undefined]);
  });

  it('ends when the caller hangs up, and leaves nothing behind', async () => {
    const { clock, waits } = make();
    const hungUp = new AbortController();
    const wait = waits.waitForEvent({ key: 'pay_1', deadline: 5_000, signal: hungUp.signal });

    hungUp.abort();

    await expect(wait).rejects.toThrow('webhooks.waitForEvent was ended by its caller');
    await expect(waits.waitForEvent({ key: 'pay_1', deadline: 5_000, signal: hungUp.signal })).rejects.toThrow(
      'ended by',
    );
    expect([waits.waiting(), clock.pendingTimers()]).toEqual([0, 0]);
  });

  it('needs a key', async () => {
    await expect(make().waits.waitForEvent({ key: '', deadline: 1 })).rejects.toThrow(
      'key must be a text that is not empty',
    );
  });
});
