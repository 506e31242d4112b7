import { expect, test, vi } from 'vitest';
import { fingerprintSchemas } from '../../src/dev/testing/event-fingerprints.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { type PhoneCallOptions, startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { callCompleted, startFinishWorker } from '../../src/phone-call/finish-later.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import type { MessageQueue } from '../../src/stores/ports/message-queue.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { connectPlatform, keysOf } from '../support/connected-platform.ts';
import { openPlainQueue } from '../support/plain-queue.ts';
import { eventually, passing } from '../support/until.ts';
import { fixRandom } from '../support/fix-random.ts';

const phone = '+14155550100';
const options: PhoneCallOptions = { callId: 'CA1', direction: 'Inbound', phone, startedAt: '2026-03-01T04:30:00Z' };
const said = {
  outcome: 'resolved',
  summary: 'Paid with 4242 4242 4242 4242.',
  transcript: 'Hello.',
  durationSeconds: 312,
};

const setUp = async (worked?: MessageQueue) => {
  // First: a retry budget that is older than the clock would count back.
  const clock = createVirtualClock();
  const connected = await connectPlatform();
  const queue = createMemoryMessageQueue({});
  const published: unknown[] = [];
  const outbox: Pick<Outbox, 'publish'> = {
    publish: async (publication) => {
      published.push(publication);
      return { status: 'queued', destinations: {} };
    },
  };
  const phoneCall = startPhoneCall(connected.clients, { ...options, finishLater: { queue: worked ?? queue, outbox } });
  const work = () => {
    fixRandom(0.5);
    return startFinishWorker(connected.clients, { queue: worked ?? queue });
  };
  const isIdle = async () => {
    const { ready, leased, delayed } = await queue.admin.stats();
    return ready + leased + delayed === 0;
  };
  return {
    ...connected,
    clock,
    queue,
    published,
    phoneCall,
    work,
    isIdle,
    [Symbol.asyncDispose]: async () => {
      await queue.close(0);
      await connected[Symbol.asyncDispose]();
    },
  };
};

test('finish stores what is to be written and resolves; nothing was sent by then', async () => {
  await using under = await setUp();

  const finished = await under.phoneCall.finish(said);

  expect(finished).toEqual({ complete: false, queued: true, steps: [] });
  expect(under.platform.requests).toEqual([]);
  const stored = await under.queue.admin.get('finish-call:CA1:1');
  expect(stored).toMatchObject({
    state: 'waiting',
    group: 'finish-call',
    payload: { input: { callId: 'CA1', phone } },
  });
  expect(JSON.stringify(stored)).not.toContain('4242 4242');
  expect(under.published).toEqual([
    {
      callId: 'CA1',
      event: callCompleted,
      idempotencyKey: 'CA1:completed',
      payload: {
        call_id: 'CA1',
        direction: 'Inbound',
        started_at: '2026-03-01T04:30:00.000Z',
        duration_seconds: 312,
        outcome: 'resolved',
      },
    },
  ]);
});

test('a worker writes it: one contact, one conversation, one Task', async () => {
  await using under = await setUp();
  await under.phoneCall.finish(said);

  under.work();
  await eventually(under.isIdle);

  const { messaging, crm } = under.platform;
  expect([messaging.contacts.length, messaging.conversations.length, crm.tasks.length]).toEqual([1, 1, 1]);
  expect(crm.tasks[0]).toMatchObject({ CallDurationInSeconds: 312 });
});

test('another outcome after everything was stored is refused; the same again stores nothing', async () => {
  await using under = await setUp();
  const { phoneCall, platform } = under;
  await phoneCall.finish({ ...said, tagIds: [] });

  await expect(phoneCall.finish({ outcome: 'escalated' })).rejects.toMatchObject({
    code: 'invalid_argument',
    field: 'outcome',
    message: 'finish: outcome differs from what the first finish stored for the worker: say everything in one',
  });
  expect(await phoneCall.finish({ ...said, tagIds: [] })).toMatchObject({ queued: true });

  under.work();
  await eventually(under.isIdle);
  expect(await under.queue.admin.deadLetters()).toEqual([]);
  expect(keysOf(platform, 'messaging.conversations.create')).toEqual(['CA1:conversation']);
  expect(platform.crm.tasks).toMatchObject([{ Subject: 'Inbound call: resolved' }]);
});

test('another outcome while the first is being stored is refused too', async () => {
  await using under = await setUp();

  const first = under.phoneCall.finish(said);
  await expect(under.phoneCall.finish({ outcome: 'escalated' })).rejects.toMatchObject({ field: 'outcome' });

  expect(await first).toMatchObject({ queued: true });
});

test('a finish that could not be stored can be repeated, also with another outcome', async () => {
  await using under = await setUp();
  vi.spyOn(under.queue, 'enqueue').mockRejectedValueOnce(new Error('the disk is full'));
  await expect(under.phoneCall.finish(said)).rejects.toThrow('the disk is full');

  expect(await under.phoneCall.finish({ outcome: 'escalated' })).toMatchObject({ queued: true });

  expect(await under.queue.admin.get('finish-call:CA1:1')).toMatchObject({
    payload: { input: { outcome: 'escalated' } },
  });
});

test('what fails is tried again on the schedule, and only that', async () => {
  await using under = await setUp();
  const { platform, queue, clock } = under;
  // One for each attempt of the client.
  platform.fault('crm.tasks.create', [{ status: 500 }, { status: 500 }, { status: 500 }]);
  await under.phoneCall.finish(said);
  under.work();
  const rest = 'finish-call:CA1:2';
  await eventually(async () => (await queue.admin.get(rest)) !== undefined);
  expect(await queue.admin.get(rest)).toMatchObject({ state: 'waiting' });
  expect(await queue.admin.stats()).toMatchObject({ delayed: 1 });
  const conversations = keysOf(platform, 'messaging.conversations.create').length;

  await passing(clock, eventually(under.isIdle));

  expect(platform.crm.tasks).toHaveLength(1);
  expect(new Set(keysOf(platform, 'crm.tasks.create')).size).toBe(1);
  expect(keysOf(platform, 'messaging.conversations.create')).toHaveLength(conversations);
});

test('a queue without an admin that holds no delay for long is enough', async () => {
  const { queue, admin, delays } = openPlainQueue({ longestDelayMs: 1_000 });
  await using under = await setUp(queue);
  const { platform, clock, phoneCall } = under;
  // For each of three attempts of the worker, as many as the client makes.
  platform.fault(
    'crm.tasks.create',
    Array.from({ length: 9 }, () => ({ status: 500 })),
  );
  await phoneCall.finish(said);
  under.work();

  const isIdle = async () => {
    const { ready, leased, delayed } = await admin.stats();
    // The last try passes before its job leaves the queue.
    return platform.crm.tasks.length > 0 && ready + leased + delayed === 0;
  };
  await passing(clock, eventually(isIdle));

  expect(platform.crm.tasks).toHaveLength(1);
  expect(keysOf(platform, 'crm.tasks.create')).toHaveLength(10);
  expect(Math.max(...delays)).toBe(1_000);
  await queue.close(0);
});

test('what cannot be written after all tries is a dead letter that names the parts', async () => {
  await using under = await setUp();
  const { platform, queue, clock } = under;
  platform.fault(
    'crm.tasks.create',
    Array.from({ length: 18 }, () => ({ status: 500 })),
  );
  await under.phoneCall.finish(said);
  under.work();
  for (const [index, ms] of [1_000, 3_000, 10_000, 30_000, 120_000].entries()) {
    const next = `finish-call:CA1:${index + 2}`;
    await passing(
      clock,
      eventually(async () => (await queue.admin.get(next)) !== undefined),
    );
    await clock.advance(ms);
  }
  await passing(
    clock,
    eventually(async () => (await queue.admin.deadLetters()).length > 0),
  );

  expect(await queue.admin.deadLetters({ group: 'finish-call' })).toMatchObject([
    { reason: 'attempts_exhausted', note: { failed: ['task'] } },
  ]);
});

test('the event of a finished call says what it accepts, so that its versions can be recorded', () => {
  expect(fingerprintSchemas([callCompleted])).toEqual({ 'call.completed@1': '42bc32fb3b514a2ad41c130af67904ba' });
});
