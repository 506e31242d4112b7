import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Json } from '../../../stores/ports/json.ts';
import type { ChecksOf } from '../check.ts';
import { assertNear, done, group, message, otherGroup, type QueueUnderCheck } from './under-check.ts';

/** What is handed out, to whom and when. */
export const messageChecks: ChecksOf<QueueUnderCheck> = {
  'hands a message to its handler, once': async ({ queue, consume, until, twoLeasesLater }) => {
    const enqueuedAt = Date.now();
    await queue.enqueue([message('a', { text: 'hello' })]);
    const worker = consume(() => done);
    const { runs } = worker;
    await until(() => runs.length > 0, isHandedOut);
    await twoLeasesLater(worker);

    equal(runs.length, 1, 'A message that is done must not be handed out again');
    const [run] = runs;
    equal(run?.id, 'a', 'A handler must get the id that was enqueued');
    equal(run.group, group, 'A handler must get the group that was enqueued');
    equal(run.attempt, 1, 'The first attempt must be number 1');
    assertNear(run.enqueuedAt, enqueuedAt, 'enqueuedAt must be the moment of enqueue(), in milliseconds since 1970');
  },

  'gives back the payload that it was given': async ({ queue, consume, until }) => {
    const list = ['a'];
    const payloads: readonly Json[] = [
      null,
      false,
      'text',
      { list: [1, 'two', null, true, { deep: '\u{1f4de}' }], empty: '', none: [] },
      { text: 'NUL \u0000, quotes " and \' and \\' },
      { list },
    ];
    const enqueued = queue.enqueue(payloads.map((payload, index) => message(`m${index}`, payload)));
    list.push('b');
    await enqueued;
    const { runs } = consume(() => done);
    await until(() => runs.length === payloads.length, 'All messages of one enqueue() must be handed out');

    const given = [...payloads.slice(0, -1), { list: ['a'] }];
    for (const [index, payload] of given.entries()) {
      const run = runs.find(({ id }) => id === `m${index}`);
      deepEqual(run?.payload, payload, 'A payload must be as it was when enqueue() was called');
    }
  },

  'handles a message once whose id comes again: waiting, being handled and done': async ({
    queue,
    consume,
    until,
    twoLeasesLater,
  }) => {
    await queue.enqueue([message('a', 1)]);
    await queue.enqueue([message('a', 2), message('a', 3)]);
    const worker = consume(() => undefined);
    const { runs } = worker;
    await until(() => runs.length > 0, isHandedOut);
    await queue.enqueue([message('a', 4)]);
    runs[0]?.end(done);
    await until(() => runs[0]?.hasEnded() === true, 'A handler must come to its end');
    await queue.enqueue([message('a', 5)]);
    await twoLeasesLater(worker);

    deepEqual(
      runs.map(({ payload }) => payload),
      [1],
      'An id that the queue keeps must be ignored when it is enqueued again',
    );
  },

  'does not hand a message out before it is due': async ({ queue, consume, until, pass, leaseMs }) => {
    const dueAt = Date.now() + 2 * leaseMs;
    await queue.enqueue([{ ...message('later'), dueAt }, message('now')]);
    const { runs } = consume(() => done);
    await until(() => runs.length > 0, isHandedOut);
    await pass(Math.max(0, dueAt - Date.now()));
    await until(() => runs.length > 1, 'A message must be handed out once it is due');

    deepEqual(
      runs.map(({ id }) => id),
      ['now', 'later'],
      'A message that is not due must keep no other one waiting',
    );
    ok((runs[1]?.at ?? 0) >= dueAt, 'A message must not be handed out before its dueAt');
  },

  'leaves the messages of other groups alone': async ({ queue, consume, until, twoLeasesLater }) => {
    await queue.enqueue([message('theirs', null, otherGroup), message('mine')]);
    const mine = consume(() => done);
    await until(() => mine.runs.length > 0, isHandedOut);
    await twoLeasesLater(mine);
    deepEqual(
      mine.runs.map(({ id }) => id),
      ['mine'],
      'A consumer must get messages of its own groups only',
    );
    const theirs = consume(() => done, { groups: { [otherGroup]: 1 } });
    await until(() => theirs.runs.length > 0, 'A message must wait for a consumer of its group');
    equal(theirs.runs[0]?.attempt, 1, 'A message that waited for a consumer of its group was not tried yet');
  },

  'hands out no more of a group at once than it is asked for': async ({ queue, consume, until }) => {
    const ids = ['a', 'b', 'c', 'd'];
    await queue.enqueue(ids.flatMap((id) => [message(`${id}1`), message(`${id}2`, null, otherGroup)]));
    const limits: Readonly<Record<string, number>> = { [group]: 2, [otherGroup]: 1 };
    const most: Record<string, number> = {};
    const { runs } = consume(
      (run) => {
        const open = runs.filter((one) => one.group === run.group && !one.hasEnded()).length;
        most[run.group] = Math.max(most[run.group] ?? 0, open);
        return undefined;
      },
      { groups: limits },
    );
    await until(() => runs.length >= 3, 'As many messages of each group as were asked for must be handed out at once');
    for (let ended = 0; ended < 2 * ids.length; ended += 1) {
      await until(() => runs.length > ended, 'When a handler ends, the next message must be handed out');
      runs[ended]?.end(done);
    }
    for (const [name, limit] of Object.entries(limits))
      ok((most[name] ?? 0) <= limit, `A group must have at most as many messages being handled as it was asked for`);
  },

  'keeps no group waiting for another one that is stuck': async ({ queue, consume, until }) => {
    await queue.enqueue(Array.from({ length: 30 }, (_, index) => message(`stuck${index}`, null, otherGroup)));
    const { runs } = consume((run) => (run.group === group ? done : undefined), {
      groups: { [otherGroup]: 2, [group]: 2 },
    });
    await until(() => runs.length > 0, isHandedOut);
    await queue.enqueue([message('free')]);
    await until(
      () => runs.some(({ id }) => id === 'free'),
      'A group whose handlers do not end must not keep another group waiting',
    );
  },
};

const isHandedOut = 'A message that is due must be handed to a handler of its group';
