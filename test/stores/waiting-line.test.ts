import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createLocalPlaces } from '../../src/stores/local-places.ts';
import type { PlaceAnswer, PlaceRequest, Places } from '../../src/stores/places.ts';
import { createWaitingLine } from '../../src/stores/waiting-line.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { rateLimiterConformance } from './rate-limiter.conformance.ts';

rateLimiterConformance('a waiting line for the share of a process', async ({ limit, perMs, perTenant }) => {
  const tenant = perTenant && { limit: perTenant.limit, holdMs: perTenant.perMs };
  return createWaitingLine({
    places: createLocalPlaces({ app: { limit, holdMs: perMs }, tenant, retryMs: 100, clock: systemClock }),
    heaviest: Math.min(limit, tenant?.limit ?? limit),
    onPause: () => undefined,
    clock: systemClock,
  });
});

const asked = (options = {}) => ({ key: 'a', maxWaitMs: 10_000, signal: new AbortController().signal, ...options });

/** Places that are given out by hand. */
const byHand = () => {
  const clock = createVirtualClock();
  const requests: PlaceRequest[] = [];
  const answers: PromiseWithResolvers<PlaceAnswer>[] = [];
  const places: Places = {
    ask: (request) => {
      requests.push(request);
      const answer = Promise.withResolvers<PlaceAnswer>();
      answers.push(answer);
      return answer.promise;
    },
  };
  const line = createWaitingLine({ places, heaviest: 10, onPause: () => undefined, clock });
  return { clock, line, requests, answers };
};

test('a place that comes for somebody who has gone is given back', async () => {
  const { line, answers } = byHand();
  const controller = new AbortController();
  const gone = line.acquire(asked({ signal: controller.signal }));
  controller.abort('hung up');
  await expect(gone).rejects.toBe('hung up');

  const givenBack = Promise.withResolvers<string>();
  answers[0]?.resolve({ granted: true, giveBack: () => givenBack.resolve('given back') });

  expect(await givenBack.promise).toBe('given back');
});

test('a caller says how many stand before it, and what all of them want', async () => {
  const { clock, line, requests, answers } = byHand();
  const first = line.acquire(asked({ weight: 2 }));
  answers[0]?.resolve({ granted: false, waitMs: 1_000, by: 'app' });
  await clock.advance(0);
  void line.acquire(asked({ weight: 3, lane: 'background' }));

  expect(requests.map(({ weight, lane, ahead, wanted }) => [weight, lane, ahead, wanted])).toEqual([
    [2, 'live', 0, 2],
    [3, 'background', 2, 3],
  ]);
  await clock.advance(1_000);
  answers[2]?.resolve({ granted: true, giveBack: () => undefined });
  await first;
  expect(line.state().waiting).toBe(0);
});

test('what the places fail with reaches who waits, and the line goes on', async () => {
  const { clock, line, answers } = byHand();
  const [first, second] = [line.acquire(asked()), line.acquire(asked())];
  for (const answer of answers) answer.resolve({ granted: false, waitMs: 500, by: 'app' });
  const failed = expect(first).rejects.toThrow('out of reach');
  await clock.advance(500);
  answers[2]?.reject(new Error('out of reach'));
  await failed;
  await clock.advance(0);
  answers[3]?.resolve({ granted: true, giveBack: () => undefined });

  await second;
  expect([line.state().waiting, clock.pendingTimers()]).toEqual([0, 0]);
});
