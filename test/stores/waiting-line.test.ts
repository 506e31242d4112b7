import { expect, test } from 'vitest';
import { createRemotePermits, type PermitAnswer, type PermitRequest } from '../../src/stores/permits.ts';
import { createWaitingLine } from '../../src/stores/waiting-line.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const asked = (options = {}) => ({ key: 'a', maxWaitMs: 10_000, signal: new AbortController().signal, ...options });

/** Permits that the test grants. */
const byHand = () => {
  const clock = createVirtualClock();
  const requests: PermitRequest[] = [];
  const answers: PromiseWithResolvers<PermitAnswer>[] = [];
  const permits = createRemotePermits((request) => {
    requests.push(request);
    const answer = Promise.withResolvers<PermitAnswer>();
    answers.push(answer);
    return answer.promise;
  });
  const line = createWaitingLine({ permits, heaviest: 10 });
  return { clock, line, requests, answers };
};

test('a permit that comes after its caller has gone is released', async () => {
  const { line, answers } = byHand();
  const controller = new AbortController();
  const gone = line.acquire(asked({ signal: controller.signal }));
  controller.abort('hung up');
  await expect(gone).rejects.toBe('hung up');

  const released = Promise.withResolvers<string>();
  answers[0]?.resolve({ granted: true, release: () => released.resolve('released') });

  expect(await released.promise).toBe('released');
});

test('a request says how many permits the callers ahead want', async () => {
  const { clock, line, requests, answers } = byHand();
  const first = line.acquire(asked({ weight: 2 }));
  answers[0]?.resolve({ granted: false, waitMs: 1_000, by: 'app' });
  await clock.advance(0);
  void line.acquire(asked({ weight: 3, lane: 'background' }));

  expect(requests.map(({ weight, lane, ahead }) => [weight, lane, ahead.app])).toEqual([
    [2, 'live', 0],
    [3, 'background', 2],
  ]);
  await clock.advance(1_000);
  answers[2]?.resolve({ granted: true, release: () => undefined });
  await first;
  expect(line.state().waiting).toBe(0);
});

test('an error of the server reaches the first waiter, and the line goes on', async () => {
  const { clock, line, answers } = byHand();
  const [first, second] = [line.acquire(asked()), line.acquire(asked())];
  for (const answer of answers) answer.resolve({ granted: false, waitMs: 500, by: 'app' });
  const failed = expect(first).rejects.toThrow('out of reach');
  await clock.advance(500);
  answers[2]?.reject(new Error('out of reach'));
  await failed;
  await clock.advance(0);
  answers[3]?.resolve({ granted: true, release: () => undefined });

  await second;
  expect([line.state().waiting, clock.pendingTimers()]).toEqual([0, 0]);
});
