import { expect, test } from 'vitest';
import { simulateOutage } from '../../../bench/scale/outage.ts';
import { simulateQueueing } from '../../../bench/scale/queueing.ts';
import { simulateLanes } from '../../../bench/scale/lanes.ts';

const small = { phoneCalls: 200, processes: 2, outage: 'silent', variant: 'delivered' } as const;

test('a simulation is the same each time, and without breaker, budget and jitter an API that is down gets many times as much', async () => {
  const [delivered, again, naive] = [
    await simulateOutage(small),
    await simulateOutage(small),
    await simulateOutage({ ...small, variant: 'naive' }),
  ];

  expect(again).toEqual(delivered);

  expect(naive.usualPerSecond / delivered.usualPerSecond).toBeCloseTo(1, 1);
  expect(naive.duringOutage / delivered.duringOutage).toBeGreaterThan(3);
  expect(naive.peakAfter).toBeGreaterThan(2 * delivered.peakAfter);
});

test('a limit that is too small for the phone calls is used up and never passed', async () => {
  const { mostPerMinute, failedShare } = await simulateQueueing({
    phoneCalls: 200,
    processes: 5,
    limit: 100,
    minutes: 3,
  });

  expect(mostPerMinute).toBe(100);
  expect(failedShare).toBeGreaterThan(0.3);
});

test('messages that ask as if a person waited for them keep people waiting', async () => {
  const options = { phoneCalls: 150, backlog: 900 } as const;
  const slow = async (lanes: 'one' | 'two') =>
    (await simulateLanes({ ...options, lanes })).turns.filter(({ tookMs }) => tookMs > 1_000).length;

  expect(await slow('two')).toBe(0);
  expect(await slow('one')).toBeGreaterThan(50);
});
