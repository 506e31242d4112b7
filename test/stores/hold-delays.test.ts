import { expect, test } from 'vitest';
import { holdDelays } from '../../src/stores/hold-delays.ts';
import type { Handled, Lease, MessageQueue, QueuedMessage } from '../../src/stores/ports/message-queue.ts';
import { openPlainQueue } from '../support/plain-queue.ts';
import { eventually, until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const quarterMs = 900_000;
const consuming = { groups: { g: 1 }, leaseMs: 10_000, maximumAttempts: 9 };
const message = { id: 'a', group: 'g', payload: { text: 'hello' } };

/** A queue that holds a quarter of an hour, and what its handler was given. */
const openHolding = (handle: (attempt: number) => Handled) => {
  const clock = createVirtualClock();
  const startedAt = Date.now();
  const plain = openPlainQueue({ longestDelayMs: quarterMs });
  const holding = holdDelays(plain.queue);
  const seen: (QueuedMessage & Pick<Lease, 'attempt' | 'enqueuedAt'> & { readonly afterMs: number })[] = [];
  holding.consume(consuming, async (given, { attempt, enqueuedAt }) => {
    seen.push({ ...given, attempt, enqueuedAt, afterMs: Date.now() - startedAt });
    return handle(attempt);
  });
  const settled = () =>
    eventually(async () => {
      const { ready, leased } = await plain.admin.stats();
      return ready + leased === 0;
    });
  /** So many quarters pass, one after the other. */
  const pass = async (quarters: number) => {
    for (let quarter = 0; quarter < quarters; quarter += 1) {
      await clock.advance(quarterMs);
      await settled();
    }
  };
  return { ...plain, holding, seen, startedAt, settled, pass };
};

test('a message that is due in a day waits so long in an engine that holds a quarter of an hour', async () => {
  const { holding, delays, seen, pass, startedAt, queue } = openHolding(() => ({ type: 'done' }));
  await holding.enqueue([{ ...message, dueAt: startedAt + 86_400_000 + 60_000 }]);

  await pass(96);
  expect(seen).toEqual([]);
  await pass(1);

  expect(seen).toEqual([{ ...message, attempt: 1, enqueuedAt: startedAt, afterMs: 86_400_000 + 60_000 }]);
  expect(Math.max(...delays)).toBe(quarterMs);
  await queue.close(0);
});

test('a retry in an hour keeps the attempts before it, however often the message is stored again', async () => {
  const { holding, delays, seen, pass, settled, startedAt, queue, admin } = openHolding((attempt) => {
    const at = Date.now() + (attempt === 1 ? 3_600_000 : 1_000);
    return attempt < 3 ? { type: 'retry-at', at } : { type: 'dead', reason: 'no' };
  });
  await holding.enqueue([message]);
  await settled();
  await pass(4);
  await pass(1);

  expect(seen.map(({ id, attempt, enqueuedAt, afterMs }) => [id, attempt, enqueuedAt, afterMs])).toEqual([
    ['a', 1, startedAt, 0],
    ['a', 2, startedAt, 3_600_000],
    ['a', 3, startedAt, 3_601_000],
  ]);
  expect(Math.max(...delays)).toBe(quarterMs);
  // What an operator sees of it holds the fields that were enqueued.
  expect(await admin.deadLetters()).toMatchObject([{ payload: message.payload }]);
  await queue.close(0);
});

test('what was not tried is not counted, also when it is stored again', async () => {
  let runs = 0;
  const { holding, seen, pass, settled, queue } = openHolding(() => {
    runs += 1;
    return runs < 3 ? { type: 'retry-at', at: Date.now() + 2 * quarterMs, uncounted: true } : { type: 'done' };
  });
  await holding.enqueue([message]);
  await settled();
  await pass(4);

  expect(seen.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  await queue.close(0);
});

test('a message that an engine hands out twice, since a worker died, is stored again once', async () => {
  const clock = createVirtualClock();
  const { queue, admin } = openPlainQueue({ longestDelayMs: quarterMs });
  const twice: MessageQueue['consume'] = (options, handle) =>
    queue.consume(options, async (given, lease) => {
      await handle(given, lease);
      return handle(given, lease);
    });
  const holding = holdDelays({ ...queue, consume: twice });
  holding.consume(consuming, async () => ({ type: 'done' }));
  await holding.enqueue([{ ...message, dueAt: Date.now() + 3 * quarterMs }]);

  await clock.advance(quarterMs);
  await eventually(async () => (await admin.get('a')) === undefined);

  expect(await admin.stats()).toMatchObject({ delayed: 1, ready: 0, leased: 0 });
  await queue.close(0);
});

test('an engine without a limit is left alone', () => {
  const { queue } = openPlainQueue();
  expect(holdDelays(queue)).toBe(queue);
});

test.each([0, 999, -1, Number.NaN, '900000'])('a limit of %j is refused', (longestDelayMs) => {
  const { queue } = openPlainQueue({ longestDelayMs: longestDelayMs as number });
  expect(() => holdDelays(queue)).toThrow('queue.longestDelayMs must be a number of milliseconds from 1000');
});

test('what a handler says in another word reaches the engine as it is', async () => {
  const { holding, settled, admin, queue } = openHolding(() => undefined as never);
  await holding.enqueue([message]);
  await until(() => true);
  await settled();

  expect(await admin.get('a')).toMatchObject({ state: 'waiting', attempts: 1 });
  await queue.close(0);
});
