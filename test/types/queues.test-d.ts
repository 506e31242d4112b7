import { expectTypeOf, test } from 'vitest';
import { createOutbox, type MessageQueue, type QueueAdmin } from 'voice-agent-integrations/outbox';
import { bullmq } from 'voice-agent-integrations/stores/bullmq';
import { createMemoryIdempotencyStore, createMemoryMessageQueue } from 'voice-agent-integrations/stores/memory';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import { type Check, checksOfQueue, checksOfStore } from 'voice-agent-integrations/testing';

test('a queue of many machines takes the place of one in a file', () => {
  const queue = bullmq({ connection: 'redis://localhost' });

  expectTypeOf(queue).toExtend<MessageQueue>();
  createOutbox({ queue: sqlite({ file: 'outbox.db' }).messageQueue(), destinations: [] });
  createOutbox({ queue, destinations: [] });
});

test('the connection is a URL or options of a driver', () => {
  bullmq({ connection: { host: 'localhost', port: 6379, tls: {} } });
  bullmq({ connection: { connectionString: 'postgres://localhost/app', schema: 'queues', migrate: false } });
  // @ts-expect-error a telemetry has a tracer
  bullmq({ connection: 'redis://localhost', telemetry: {} });
  // @ts-expect-error a number names no server
  bullmq({ connection: 6379 });
  // @ts-expect-error a queue needs to know where it lies
  bullmq({});
});

test('a queue of your own needs three methods, and those of this package can be looked into', () => {
  const { enqueue, consume, close } = bullmq({ connection: 'redis://localhost' });
  const own: MessageQueue = { enqueue, consume, close };

  createOutbox({ queue: own, destinations: [] });
  // @ts-expect-error it may have no admin
  void own.admin.stats();
  const { stats } = sqlite({ file: 'a.db' }).messageQueue().admin;
  // @ts-expect-error an admin has all seven
  const partly: MessageQueue = { ...own, admin: { stats } };
  createOutbox({ queue: partly, destinations: [] });
  expectTypeOf(sqlite({ file: 'a.db' }).messageQueue().admin).toEqualTypeOf<QueueAdmin>();
  expectTypeOf(createMemoryMessageQueue().admin).toEqualTypeOf<QueueAdmin>();
});

test('checks are for a queue or a store of your own, each with its own options', () => {
  const open = async () => createMemoryMessageQueue();
  expectTypeOf(checksOfQueue({ open, without: { 'a name': 'a reason' } })).toEqualTypeOf<readonly Check[]>();
  expectTypeOf(checksOfStore({ open: createMemoryIdempotencyStore })).toEqualTypeOf<readonly Check[]>();
  // @ts-expect-error a queue is no store
  checksOfStore({ open });
  // @ts-expect-error a store has no admin
  checksOfStore({ open: createMemoryIdempotencyStore, admin: true });
  // @ts-expect-error a reason is a text
  checksOfQueue({ open, without: { 'a name': true } });
});
