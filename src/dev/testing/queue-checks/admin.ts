import { deepEqual, equal } from 'node:assert/strict';
import type { GroupStats, QueueStats } from '../../../stores/ports/message-queue.ts';
import { noMessages } from '../../../stores/message-ledger.ts';
import type { ChecksOf } from '../check.ts';
import { assertNear, done, group, message, mustReject, otherGroup, type QueueUnderCheck } from './under-check.ts';

/** What a queue says of its messages, and how a group is stopped. */
export const adminChecks: ChecksOf<QueueUnderCheck> = {
  'admin.get() shows a message while it waits and is handled, and not when it is done': async ({
    queue,
    admin,
    consume,
    until,
    settled,
    pass,
    leaseMs,
  }) => {
    equal(await admin().get('unknown'), undefined, 'get() of an id that was never enqueued must be undefined');
    const enqueuedAt = Date.now();
    await queue.enqueue([message('a', { n: 1 })]);
    const waiting = await admin().get('a');
    equal(waiting?.state, 'waiting', "get() of a message that waits must have the state 'waiting'");
    deepEqual(
      [waiting.id, waiting.group, waiting.payload],
      ['a', group, { n: 1 }],
      'get() must give what was enqueued',
    );
    equal(waiting.attempts, 0, 'get() must count no attempt before the first');
    assertNear(waiting.enqueuedAt, enqueuedAt, 'get() must give the moment of enqueue()');

    const worker = consume(() => undefined);
    await until(() => worker.runs.length > 0, 'A message that is due must be handed out');
    equal(
      (await admin().get('a'))?.state,
      'leased',
      "get() of a message that is being handled must have the state 'leased'",
    );
    // Until it was looked at: it may be due by then.
    await admin().pause(group);
    worker.runs[0]?.end({ type: 'retry-at', at: Date.now() + leaseMs / 2, note: { text: 'a note' } });
    await settled(worker, 1);
    const again = await admin().get('a');
    equal(again?.state, 'waiting', "get() of a message that is tried again later must have the state 'waiting'");
    equal(again.attempts, 1, 'get() must count the attempts that were made');
    deepEqual(again.note, { text: 'a note' }, 'get() must give the note of the last handler');

    await admin().resume(group);
    await pass(leaseMs / 2);
    await until(() => worker.runs.length > 1, 'After resume() a message must be handed out again');
    worker.runs[1]?.end(done);
    await settled(worker, 2);
    equal(await admin().get('a'), undefined, 'get() of a message that is done must be undefined');
  },

  'admin.pause() holds a group until admin.resume()': async ({ queue, admin, consume, twoLeasesLater, settled }) => {
    await admin().pause(otherGroup);
    await admin().pause('empty');
    await queue.enqueue(['a', 'b'].map((id) => message(id, null, otherGroup)));
    const worker = consume(() => done, { groups: { [group]: 1, [otherGroup]: 1 } });
    await twoLeasesLater(worker);
    equal(worker.runs.length, 0, 'A paused group must hand out nothing, and others go on');
    const { groups } = await admin().stats();
    equal(groups[otherGroup]?.isPaused, true, 'stats() must say that a group is paused');
    equal(groups[otherGroup]?.ready, 2, 'stats() must count the messages of a paused group');
    equal(groups['empty']?.isPaused, true, 'stats() must say that a group is paused, also an empty one');

    await admin().resume(otherGroup);
    await settled(worker, 2);
    equal(
      (await admin().stats()).groups[otherGroup],
      undefined,
      'stats() must leave out a group that is empty and not paused',
    );
  },

  'admin.stats() counts what waits, is handled and is dead, and says how long': async (under) => {
    const { queue, admin, consume, until, pass, leaseMs } = under;
    await queue.enqueue([message('old'), message('dead', null, otherGroup)]);
    const worker = consume(() => ({ type: 'dead', reason: 'no' }), { groups: { [otherGroup]: 1 } });
    await until(() => worker.runs.length === 1, 'A message that is due must be handed out');
    await under.settled(worker, 1);
    await under.within(worker.consumer.close(0), 'close(0) of a consumer must resolve');
    await pass(4 * leaseMs);
    await queue.enqueue([message('new', null, otherGroup), { ...message('later'), dueAt: Date.now() + 100 * leaseMs }]);
    const holder = consume(() => undefined, { groups: { [otherGroup]: 1 } });
    await until(() => holder.runs.length === 1, 'A message that is due must be handed out');

    const stats = await admin().stats();
    assertStats(stats, { ready: 1, delayed: 1, leased: 1, dead: 1 }, 'stats()');
    assertStats(stats.groups[group], { ready: 1, delayed: 1, leased: 0, dead: 0 }, 'stats() of a group');
    assertStats(stats.groups[otherGroup], { ready: 0, delayed: 0, leased: 1, dead: 1 }, 'stats() of another group');
    assertNear(stats.oldestAgeMs, 4 * leaseMs, 'oldestAgeMs must be the time since the oldest waiting message came');
    assertNear(
      stats.oldestDeadAgeMs,
      4 * leaseMs,
      'oldestDeadAgeMs must be the time since the oldest dead letter died',
    );
    equal(stats.groups[group]?.oldestDeadAgeMs, 0, 'oldestDeadAgeMs must be 0 where none is dead');
    equal(stats.groups[group]?.isPaused, false, 'stats() must not say that a group is paused that is not');
  },

  'admin.stats() of an empty queue is all zero': async ({ queue, admin, consume, settled }) => {
    const empty = { ...noMessages, groups: {} };
    deepEqual({ ...(await admin().stats()) }, empty, 'stats() of a new queue must be zero, without groups');
    await queue.enqueue([message('a')]);
    await settled(
      consume(() => done),
      1,
    );
    deepEqual({ ...(await admin().stats()) }, empty, 'stats() must forget what is done');
  },

  'its admin refuses everything once it is closed': async ({ queue, admin }) => {
    await queue.close(0);
    await mustReject(admin().stats(), 'stats() must reject once the queue is closed');
    await mustReject(admin().get('a'), 'get() must reject once the queue is closed');
  },
};

type Counts = Pick<GroupStats, 'ready' | 'delayed' | 'leased' | 'dead'>;

const assertStats = (stats: QueueStats | GroupStats | undefined, counts: Counts, what: string): void => {
  const { ready, delayed, leased, dead } = { ...noMessages, ...stats };
  deepEqual(
    { ready, delayed, leased, dead },
    counts,
    `${what} must count ready, delayed, leased and dead messages as ${Object.values(counts).join(', ')}`,
  );
};
