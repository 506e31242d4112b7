import { expect, test } from 'vitest';
import type { Lane } from '../../src/stores/ports/rate-limiter.ts';
import { createLocalPermits } from '../../src/stores/permits.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const setUp = () => {
  const clock = createVirtualClock();
  const permits = createLocalPermits({ app: { limit: 10, holdMs: 1_000 }, tenant: undefined });
  const ask = (lane: Lane) =>
    permits.tryAcquire({ key: '', weight: 1, lane, ahead: { app: 0, tenant: 0 }, maxWaitMs: 0 });
  const granted = (lane: Lane, times: number) => {
    let count = 0;
    for (let time = 0; time < times; time += 1) if (ask(lane).granted) count += 1;
    return count;
  };
  return { clock, granted };
};

test('background callers leave a tenth of the limit free while live ones come', async () => {
  const { clock, granted } = setUp();

  expect(granted('live', 1)).toBe(1);
  expect(granted('background', 10)).toBe(8);
  expect(granted('live', 10)).toBe(1);

  await clock.advance(1_000);
  expect(granted('background', 20)).toBe(10);
});
