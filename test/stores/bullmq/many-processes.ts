import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Handled, Lease, MessageQueueWithAdmin, QueuedMessage } from '../../../src/stores/ports/message-queue.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { startFinishWorker } from '../../../src/phone-call/finish-later.ts';
import { bullmq, type BullmqOptions } from '../../../src/stores/bullmq/message-queue.ts';
import { connectPlatform } from '../../support/connected-platform.ts';
import type { TestServer } from '../../support/server-process.ts';
import { eventually, until } from '../../support/until.ts';
import { delivery, makeReceiver } from '../../webhooks/receiver-parts.ts';
import type { QueueUnderTest } from '../message-queue.conformance.ts';
import { expectPoisonToDieAlone } from '../poison/poison.ts';

/** Leases and retention are short here, since BullMQ goes by the time of the machine. */
export const onRealTime = (open: (options: Partial<BullmqOptions>) => MessageQueueWithAdmin): QueueUnderTest => ({
  open: () => open({ keepDoneMs: 3_000, timeoutMs: 5_000 }),
  keepDoneMs: 3_000,
  leaseMs: 600,
  pass: (ms) => sleep(ms),
  numRuns: 3,
});

/** What only a queue of many machines has to do. Two queues of one name stand for two processes. */
export const manyProcesses = (server: () => TestServer): void => {
  let names = 0;
  const openers = (options: Partial<BullmqOptions> = {}) => {
    names += 1;
    const name = `many-${names}`;
    return () => bullmq({ connection: server().url, name, ...options });
  };

  test('what one process enqueues wakes another that has nothing to do, without asking all the time', async () => {
    const open = openers();
    const [publisher, worker] = [open(), open()];
    const seen: string[] = [];
    worker.consume(consuming, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });
    await publisher.enqueue([message('first')]);
    await until(() => seen.length === 1);

    await publisher.enqueue([message('second')]);
    await until(() => seen.length === 2);

    await Promise.all([publisher.close(0), worker.close(0)]);
    expect(seen).toEqual(['first', 'second']);
  });

  test('a group that one process pauses is paused for all, and every group is known to all', async () => {
    const open = openers();
    const [one, other] = [open(), open()];
    await one.admin.pause('slow');
    await one.enqueue([message('a', 'slow'), message('b', 'quick')]);
    const seen: string[] = [];
    other.consume({ ...consuming, groups: { slow: 1, quick: 1 } }, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });
    await until(() => seen.length === 1);
    await eventually(async () => (await other.admin.stats()).leased === 0);

    expect(seen).toEqual(['b']);
    expect((await other.admin.stats()).groups).toMatchObject({ slow: { ready: 1, isPaused: true } });
    await other.admin.resume('slow');
    await until(() => seen.length === 2);

    await Promise.all([one.close(0), other.close(0)]);
  });

  test('ids may contain anything and stay distinct', async () => {
    const queue = openers()();
    const ids = ['1', '-1', 'a:b', 'a:lock', 'a/b?c', 'a b', '%41', 'A', '\u{1f4de}', 'id'];

    await queue.enqueue(ids.map((id) => message(id, 'g:1/ä')));

    expect(await queue.admin.stats()).toMatchObject({ ready: ids.length, groups: { 'g:1/ä': { ready: ids.length } } });
    expect((await Promise.all(ids.map((id) => queue.admin.get(id)))).map((found) => found?.id)).toEqual(ids);
    await queue.close(0);
  });

  test('a message that took too long in one process goes to another, and the late result of the first is ignored', async () => {
    const open = openers();
    const [slow, healthy] = [open(), open()];
    const leases: Lease[] = [];
    const ends: ((handled: Handled) => void)[] = [];
    const briefly = { ...consuming, leaseMs: 300, maximumAttempts: 1_000 };
    slow.consume(briefly, async (_message, lease) => {
      leases.push(lease);
      return new Promise<Handled>((resolve) => ends.push(resolve));
    });
    await slow.enqueue([message('a')]);
    await until(() => leases.length >= 3);
    expect(leases[0]?.signal.aborted).toBe(true);
    for (const end of ends.slice(0, 2)) end({ type: 'dead', reason: 'late' });
    const attempts: number[] = [];
    healthy.consume({ ...consuming, maximumAttempts: 1_000 }, async (_message, { attempt }) => {
      attempts.push(attempt);
      return { type: 'done' };
    });
    await slow.close(0);

    await eventually(async () => (await healthy.admin.get('a')) === undefined);
    // What took too long counts; what was handed back does not.
    expect(leases.slice(0, 3).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toBeGreaterThanOrEqual(3);
    await healthy.close(0);
  });

  test('dead letters of one millisecond are all read, page by page', async () => {
    const queue = openers()();
    const ids = Array.from({ length: 130 }, (_, index) => `m${index}`);
    const groups = { g: 50, other: 50 };
    await queue.enqueue(ids.map((id, index) => message(id, index % 2 === 0 ? 'g' : 'other')));
    queue.consume({ ...consuming, groups }, async () => ({ type: 'dead', reason: 'no' }));
    await eventually(async () => (await queue.admin.stats()).dead === ids.length);

    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = await queue.admin.deadLetters({ limit: 20, after });
      if (page.length === 0) break;
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1)?.cursor ?? '';
    }

    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(await queue.admin.discard({ since: 0, group: 'g' })).toBe(65);
    expect(await queue.admin.stats()).toMatchObject({ dead: 65, delayed: 0, ready: 0, oldestAgeMs: 0 });
    await queue.close(0);
  });

  test('a message that kills its process takes no other with it to the dead letters', async () => {
    const queue = bullmq({ connection: server().url });

    await expectPoisonToDieAlone(server().url, queue);

    await queue.close(0);
  });

  test('while the server is down a call fails within its time; when it is back everything goes on', async () => {
    const queue = openers()();
    const seen: string[] = [];
    const errors: unknown[] = [];
    const isOver = Promise.withResolvers<void>();
    await queue.enqueue([message('before')]);
    queue.consume({ ...consuming, leaseMs: 60_000, onError: (error) => errors.push(error) }, async ({ id }) => {
      seen.push(id);
      await isOver.promise;
      return { type: 'done' };
    });
    await until(() => seen.length === 1);

    await server().kill();
    // The processes of a killed PostgreSQL answer for a moment.
    await eventually(async () =>
      queue.admin.stats().then(
        () => false,
        () => true,
      ),
    );
    const refused = [queue.enqueue([message('meanwhile')]), queue.admin.stats()];
    for (const call of await Promise.allSettled(refused))
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'store_failed' } });
    await until(() => errors.length >= 1);
    isOver.resolve();
    await server().restart();

    // What was done while the server was down is written when it is back, or done a second time.
    await eventually(async () =>
      queue.admin.get('before').then(
        (found) => found === undefined,
        () => false,
      ),
    );
    await queue.enqueue([message('after')]);
    await until(() => seen.includes('after'));
    await queue.close(0);
    expect(seen.filter((id) => id === 'before').length).toBeLessThanOrEqual(2);
    expect(seen.filter((id) => id === 'after')).toHaveLength(1);
    expect(errors.length).toBeLessThan(30);
  });

  test('webhooks that one process acknowledges are handled by another', async () => {
    const open = openers();
    const [edge, back] = [open(), open()];
    const receiving = makeReceiver({ queue: edge });
    const working = makeReceiver({ queue: back });

    expect((await receiving.receive(delivery())).status).toBe(202);
    expect((await receiving.receive(delivery())).status).toBe(202);
    const worker = working.receive.startWorker();
    await until(() => working.handled.length === 1);
    await worker.close(1_000);

    expect([receiving.handled, await back.admin.stats()]).toMatchObject([[], { ready: 0, leased: 0 }]);
    await Promise.all([edge.close(0), back.close(0)]);
  });

  test('a phone call that one process finishes is written down by another', async () => {
    await using connected = await connectPlatform();
    const open = openers();
    const [voice, back] = [open(), open()];
    const phoneCall = startPhoneCall(connected.clients, {
      callId: 'CA1',
      direction: 'Inbound',
      phone: '+14155550100',
      startedAt: '2026-03-01T04:30:00Z',
      finishLater: { queue: voice },
    });

    expect(await phoneCall.finish({ outcome: 'resolved', summary: 'Paid.', durationSeconds: 12 })).toMatchObject({
      queued: true,
    });
    const worker = startFinishWorker(connected.clients, { queue: back });
    await until(() => connected.platform.crm.tasks.length === 1);
    await worker.close(5_000);

    expect(await back.admin.stats()).toMatchObject({ ready: 0, delayed: 0, leased: 0, dead: 0 });
    await Promise.all([voice.close(0), back.close(0)]);
  });
};

export const message = (id: string, group = 'g'): QueuedMessage => ({ id, group, payload: { secret: 'of its own' } });
export const consuming = { groups: { g: 4 }, leaseMs: 10_000, maximumAttempts: 3 };
