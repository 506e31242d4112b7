import { beforeEach, describe, expect, it } from 'vitest';
import type { Handled, MessageQueueWithAdmin, QueuedMessage } from '../../src/stores/ports/message-queue.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { type HandleQueued, retryDelayMs, startEventWorker } from '../../src/webhooks/event-worker.ts';
import { hmac } from '../../src/webhooks/authentication/hmac.ts';
import { openPlainQueue } from '../support/plain-queue.ts';
import { until } from '../support/until.ts';
import { delivery, makeReceiver, payment, secret, seen, type TestOptions } from './receiver-parts.ts';
import { fixRandom } from '../support/fix-random.ts';

const make = (options: TestOptions = {}) => {
  const clock = createVirtualClock();
  const queue = createMemoryMessageQueue({});
  const store = createMemoryIdempotencyStore({});
  return { queue, ...makeReceiver({ queue, store, ...options }), clock };
};

describe('a receiver with a queue', () => {
  it('acknowledges what is stored, and handles it later', async () => {
    const { receive, queue, handled, contexts, told } = make({
      authentication: [hmac({ secrets: () => secret, sender: 'billing' })],
    });

    expect(await seen(await receive(delivery()))).toEqual({ status: 202 });
    expect([handled.length, (await queue.admin.stats()).ready]).toEqual([0, 1]);

    const worker = receive.startWorker();
    await until(() => told.length === 2);
    await worker.close(0);

    expect(handled).toEqual([
      {
        type: 'payment.confirmed',
        version: undefined,
        id: told[0]?.eventId,
        occurredAt: undefined,
        payload: payment(),
      },
    ]);
    expect(contexts).toEqual([{ sender: 'billing', tenant: undefined, signal: expect.any(AbortSignal) }]);
    expect(told.map(({ outcome, status, source }) => [outcome, status, source])).toEqual([
      ['queued', 202, 'billing'],
      ['handled', undefined, 'billing'],
    ]);
    expect(told[1]).not.toHaveProperty('status');
    expect(await queue.admin.stats()).toMatchObject({ ready: 0, delayed: 0, leased: 0, dead: 0 });
    await queue.close(0);
  });

  it('needs no admin, and no engine that holds long delays', async () => {
    const { queue } = openPlainQueue({ longestDelayMs: 900_000 });
    const { receive, told } = make({ queue });

    expect(await seen(await receive(delivery()))).toEqual({ status: 202 });
    receive.startWorker();
    await until(() => told.length === 2);
    await queue.close(0);

    expect(told.map(({ outcome }) => outcome)).toEqual(['queued', 'handled']);
  });

  it('stores a repeated delivery once', async () => {
    const { receive, queue } = make();

    const statuses = [await receive(delivery()), await receive(delivery())].map(({ status }) => status);

    expect([statuses, (await queue.admin.stats()).ready]).toEqual([[202, 202], 1]);
    await queue.close(0);
  });

  it('acknowledges nothing that could not be stored, and takes the next delivery', async () => {
    const { queue } = make();
    let isFull = true;
    const fragile: MessageQueueWithAdmin = {
      ...queue,
      enqueue: (messages) => (isFull ? Promise.reject(new Error('disk full')) : queue.enqueue(messages)),
    };
    const { receive, errors } = make({ queue: fragile });

    expect((await receive(delivery())).status).toBe(503);
    isFull = false;
    expect((await receive(delivery())).status).toBe(202);
    expect(errors).toEqual([new Error('disk full')]);
    await queue.close(0);
  });

  it('tries a failed handler again, waiting longer each time, and keeps what never works as a dead letter', async () => {
    const { receive, queue, clock, handled, errors } = make({
      handler: () => {
        throw new Error('the CRM is down');
      },
    });
    fixRandom(0.5);
    await receive(delivery());
    const worker = receive.startWorker({ maximumAttempts: 3 });

    await until(() => handled.length === 1 && clock.pendingTimers() > 0);
    await clock.advance(999);
    expect(handled.length).toBe(1);
    await clock.advance(1);
    await until(() => handled.length === 2);
    await clock.advance(3_000);
    await until(() => handled.length === 3);
    await until(() => errors.length === 3);
    const [dead] = await untilDead(queue);
    await worker.close(0);

    expect(dead).toMatchObject({ group: 'webhook:webhooks', reason: 'handler_failed', attempts: 3 });
    expect(errors).toEqual(Array.from({ length: 3 }, () => new Error('the CRM is down')));
    await queue.close(0);
  });

  it('does not run a handler again that ended when its message comes a second time', async () => {
    const { queue } = make();
    const handed: Promise<unknown>[] = [];
    // As if the process had died between the end of the handler and that of its lease.
    const twice: MessageQueueWithAdmin = {
      ...queue,
      consume: (_, handle) => {
        const lease = { attempt: 1, enqueuedAt: 0, signal: new AbortController().signal, extend: async () => true };
        for (const message of enqueued)
          handed.push(handle(message, lease).then((first) => [first, handle(message, lease)]));
        return { close: async () => {} };
      },
      enqueue: async (messages) => void enqueued.push(...messages),
    };
    const enqueued: QueuedMessage[] = [];
    const { receive, handled } = make({ queue: twice });
    await receive(delivery());

    receive.startWorker();
    const [outcomes] = (await Promise.all(handed)) as [readonly Promise<unknown>[]];

    expect(await Promise.all(outcomes)).toEqual([{ type: 'done' }, { type: 'done' }]);
    expect(handled.length).toBe(1);
    await queue.close(0);
  });

  it('has no worker without a queue', () => {
    expect(() => makeReceiver().receive.startWorker()).toThrow('queue must be given to the receiver');
  });
});

describe('what an event from the queue comes to', () => {
  beforeEach(() => {
    createVirtualClock();
  });

  const outcomes = async (handle: HandleQueued, attempts: readonly number[]) => {
    fixRandom(0.5);
    const handled: Promise<Handled>[] = [];
    const errors: unknown[] = [];
    const queue: MessageQueueWithAdmin = {
      ...createMemoryMessageQueue({}),
      consume: (_, handleMessage) => {
        const message = { id: 'key', group: 'webhook:a', payload: {} };
        for (const attempt of attempts) {
          const lease = { attempt, enqueuedAt: 0, signal: new AbortController().signal, extend: async () => true };
          handled.push(Promise.resolve(handleMessage(message, lease)));
        }
        return { close: async () => {} };
      },
    };
    const onError = (error: unknown) => errors.push(error);
    startEventWorker(queue, { group: 'webhook:a', leaseMs: 1_000, handle, onError });
    return { outcomes: await Promise.all(handled), errors };
  };

  it('is done when its handler has ended', async () => {
    const done = { state: 'done', answer: { status: 204 }, isReplayed: false } as const;

    expect(await outcomes(async () => done, [1])).toEqual({ outcomes: [{ type: 'done' }], errors: [] });
  });

  it('is a dead letter when its id belongs to another event', async () => {
    expect(await outcomes(async () => ({ state: 'conflict' }), [1])).toEqual({
      outcomes: [{ type: 'dead', reason: 'conflict' }],
      errors: [],
    });
  });

  it('comes again, and keeps its attempt, when another process is at it', async () => {
    expect(await outcomes(async () => ({ state: 'in-progress', retryAfterMs: 700 }), [1])).toEqual({
      outcomes: [{ type: 'retry-at', at: Date.now() + 700, uncounted: true }],
      errors: [],
    });
  });

  it('comes again when its handler fails, and is a dead letter after the sixth time', async () => {
    const error = new Error('the CRM is down');

    expect(await outcomes(() => Promise.reject(error), [1, 5, 6])).toEqual({
      outcomes: [
        { type: 'retry-at', at: Date.now() + 1_000 },
        { type: 'retry-at', at: Date.now() + 81_000 },
        { type: 'dead', reason: 'handler_failed' },
      ],
      errors: [error, error, error],
    });
  });
});

it('the waits grow up to two minutes, within 20 %', () => {
  expect([1, 2, 3, 4, 5, 6, 20].map((attempt) => retryDelayMs(attempt, 0.5))).toEqual([
    1_000, 3_000, 9_000, 27_000, 81_000, 120_000, 120_000,
  ]);
  expect([retryDelayMs(1, 0), retryDelayMs(1, 1)]).toEqual([800, 1_200]);
});

const untilDead = async (queue: MessageQueueWithAdmin) => {
  for (;;) {
    const dead = await queue.admin.deadLetters();
    if (dead.length > 0) return dead;
    await new Promise((resolve) => setImmediate(resolve));
  }
};
