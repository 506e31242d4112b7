import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import type {
  ConsumeOptions,
  MessageHandler,
  MessageQueue,
  QueuedMessage,
} from '../../src/stores/ports/message-queue.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';
import { callCompleted, openOutbox } from '../support/open-outbox.ts';
import { openPlainQueue } from '../support/plain-queue.ts';
import { until } from '../support/until.ts';

const publication = { event: callCompleted, payload: { callId: 'CA1' }, idempotencyKey: 'CA1:completed' };

test('an outbox delivers, tries again and confirms with a queue that has no admin', async () => {
  await using server = await startFaultServer(answer({ status: 503 }), answer());
  const { queue } = openPlainQueue();
  await using under = openOutbox({
    queue,
    destinations: [{ name: 'crm', url: server.origin, version: 1 }],
  });

  const published = await under.outbox.publish({ ...publication, confirmWithinMs: 500 });
  await under.clock.advance(1_000);
  await server.request(2);
  await until(() => under.events.some((event) => event.type === 'delivery' && event.outcome === 'delivered'));
  const next = under.outbox.publish({ ...publication, idempotencyKey: 'CA2:completed', confirmWithinMs: 500 });

  expect(published.status).toBe('queued');
  expect((await next).status).toBe('delivered');
});

test('a queue may be an object of a class', async () => {
  await using server = await startFaultServer(answer());
  const { queue } = openPlainQueue();
  class OwnQueue implements MessageQueue {
    readonly #queue = queue;
    enqueue(messages: readonly QueuedMessage[]) {
      return this.#queue.enqueue(messages);
    }
    consume(options: ConsumeOptions, handle: MessageHandler) {
      return this.#queue.consume(options, handle);
    }
    close(drainMs?: number) {
      return this.#queue.close(drainMs);
    }
  }
  await using under = openOutbox({
    queue: new OwnQueue(),
    destinations: [{ name: 'crm', url: server.origin, version: 1 }],
  });

  expect((await under.outbox.publish({ ...publication, confirmWithinMs: 500 })).status).toBe('delivered');
});

test('what needs an admin says so when it is asked for, in one sentence', async () => {
  const { queue } = openPlainQueue();
  await using under = openOutbox({ queue, destinations: [{ name: 'crm', url: 'https://crm.example', version: 1 }] });
  const { outbox } = under;
  const words = 'queue has no admin: use the tools of its own engine instead';
  const asked: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['outbox.status', () => outbox.status()],
    ['outbox.disable', () => outbox.disable('crm')],
    ['outbox.enable', () => outbox.enable('crm')],
    ['outbox.deadLetters', () => outbox.deadLetters.list()],
    ['outbox.deadLetters', () => outbox.deadLetters.redrive({ ids: ['outbox:a'] })],
    ['outbox.deadLetters', () => outbox.deadLetters.redrive({ since: 0 })],
    ['outbox.deadLetters', () => outbox.deadLetters.discard({ ids: ['outbox:a'] })],
  ];

  for (const [operation, ask] of asked) {
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ message: `${operation}: ${words}`, field: 'queue', operation });
  }
  expect(under.events).toEqual([]);
});

test('a destination that is gone fails instead of being disabled, and that is said once', async () => {
  await using server = await startFaultServer(answer({ status: 410 }));
  const { queue } = openPlainQueue();
  await using under = openOutbox({ queue, destinations: [{ name: 'crm', url: server.origin, version: 1 }] });

  await under.outbox.publish(publication);
  await under.outbox.publish({ ...publication, idempotencyKey: 'CA2:completed' });
  await until(() => under.alerts.filter(({ type }) => type === 'dead-letter').length === 2);

  const failed = under.alerts.flatMap((alert) => (alert.type === 'queue-failed' ? [alert.error] : []));
  expect(failed).toEqual([expect.any(InvalidArgumentError)]);
  expect(failed[0]).toMatchObject({
    message:
      "outbox.disable: queue has no admin: the destination crm (gone) can't be disabled, and its messages go on to fail",
  });
  expect(under.events.map(({ type }) => type)).not.toContain('destination-disabled');
  expect(server.requests).toHaveLength(2);
});

test('a server that asks for a wait of an hour is waited for, by an engine that holds a quarter of one', async () => {
  await using server = await startFaultServer(
    answer({ status: 503, headers: { 'retry-after': '3600' } }),
    answer({ status: 204 }),
  );
  const { queue, delays, admin } = openPlainQueue({ longestDelayMs: 900_000 });
  await using under = openOutbox({ queue, destinations: [{ name: 'crm', url: server.origin, version: 1 }] });

  await under.outbox.publish(publication);
  await server.request(1);
  const isWaiting = async () => (await admin.stats()).delayed === 1;
  for (let quarter = 0; quarter < 4; quarter += 1) {
    await until(() => delays.length === quarter + 1);
    while (!(await isWaiting())) await under.clock.advance(0);
    expect(server.requests).toHaveLength(1);
    await under.clock.advance(900_000);
  }
  await server.request(2);
  await until(() => under.events.some((event) => event.type === 'delivery' && event.outcome === 'delivered'));

  expect(under.events.flatMap((event) => (event.type === 'delivery' ? [event.attempt] : []))).toEqual([1, 2]);
  expect(delays.every((delayMs) => delayMs <= 900_000)).toBe(true);
});
