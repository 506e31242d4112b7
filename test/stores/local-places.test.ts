import { expect, test } from 'vitest';
import type { Lane } from '../../src/ports/rate-limiter.ts';
import { createLocalPlaces } from '../../src/stores/local-places.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const setUp = () => {
  const clock = createVirtualClock();
  const places = createLocalPlaces({ app: { limit: 10, holdMs: 1_000 }, tenant: undefined, retryMs: 100, clock });
  const ask = (lane: Lane) => places.ask({ key: '', weight: 1, lane, ahead: 0, wanted: 1, maxWaitMs: 0 });
  const granted = async (lane: Lane, times: number) => {
    let count = 0;
    for (let time = 0; time < times; time += 1) if ((await ask(lane)).granted) count += 1;
    return count;
  };
  return { clock, granted };
};

test('within its share, a process keeps a tenth free for live callers for as long as some came within the window', async () => {
  const { clock, granted } = setUp();

  expect(await granted('live', 1)).toBe(1);
  expect(await granted('background', 10)).toBe(8);
  expect(await granted('live', 10)).toBe(1);

  await clock.advance(1_000);
  expect(await granted('background', 20)).toBe(10);
});
