import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ChecksOf } from '../check.ts';
import { assertNear, done, message, type QueueUnderCheck } from './under-check.ts';

/** What becomes of a message whose handler doesn't say that it's done. */
export const attemptChecks: ChecksOf<QueueUnderCheck> = {
  'hands a message out again when its handler says so, and counts the attempts': async ({
    queue,
    consume,
    until,
    pass,
    leaseMs,
  }) => {
    const wanted: number[] = [];
    const enqueuedAt = Date.now();
    await queue.enqueue([message('a', 'payload')]);
    const { runs } = consume(() => {
      const at = Date.now() + leaseMs;
      wanted.push(at);
      return wanted.length < 3 ? { type: 'retry-at', at, note: { text: 'a note' } } : done;
    });
    for (const attempt of [1, 2, 3]) {
      await until(() => runs.length >= attempt, 'A message must be handed out again when its handler says retry-at');
      if (attempt < 3) await pass(Math.max(0, (wanted[attempt - 1] ?? 0) - Date.now()));
    }

    for (const [index, run] of runs.slice(1).entries())
      ok(
        run.at >= (wanted[index] ?? 0),
        'A message must not be handed out again before the moment that its handler named',
      );
    deepEqual(
      runs.map(({ attempt }) => attempt),
      [1, 2, 3],
      'Attempts must be counted one by one',
    );
    deepEqual(runs[2]?.payload, 'payload', 'A message must keep its payload for every attempt');
    assertNear(runs[2]?.enqueuedAt, enqueuedAt, 'enqueuedAt must stay the moment of the first enqueue()');
  },

  'does not count what was not tried: uncounted, or cut short by close()': async ({
    queue,
    consume,
    until,
    within,
    pass,
    leaseMs,
  }) => {
    await queue.enqueue([message('a')]);
    const first = consume(() =>
      first.runs.length < 3 ? { type: 'retry-at', at: Date.now(), uncounted: true } : undefined,
    );
    await until(() => first.runs.length === 3, 'A message must be handed out again when its handler says retry-at');
    deepEqual(
      first.runs.map(({ attempt }) => attempt),
      [1, 1, 1],
      'An attempt that its handler calls uncounted must not be counted',
    );
    const closed = first.consumer.close(leaseMs / 2);
    await pass(leaseMs / 2);
    await within(closed, 'close() of a consumer must resolve when drainMs is over');
    const second = consume(() => done);
    await until(() => second.runs.length > 0, 'What a closed consumer had in hand must be handed out again');
    equal(second.runs[0]?.attempt, 1, 'An attempt that close() cut short must not be counted');
  },

  'hands a message out again when the lease is over whose handler rejected, and reports the error': async ({
    queue,
    consume,
    until,
    pass,
    leaseMs,
  }) => {
    const error = new Error('broken');
    await queue.enqueue([message('a')]);
    const { runs, errors } = consume(
      ({ attempt }) => {
        if (attempt === 1) throw error;
        return done;
      },
      { leaseMs },
    );
    await until(() => runs.length > 0 && errors.length > 0, 'onError must get the error of a handler that rejects');
    ok(errors.includes(error), 'onError must get the error of a handler that rejects');
    await pass(leaseMs);
    await until(() => runs.length > 1, 'A message whose handler rejects must be handed out again');
    ok(
      (runs[1]?.at ?? 0) - (runs[0]?.at ?? 0) >= leaseMs / 2,
      'A message whose handler rejects must be handed out again when its lease is over, not at once',
    );
    equal(runs[1]?.attempt, 2, 'An attempt whose handler rejects must be counted');
  },

  'gives a message up after maximumAttempts whose handler never comes to an end': async ({
    queue,
    consume,
    until,
    pass,
    leaseMs,
    twoLeasesLater,
  }) => {
    await queue.enqueue([message('poison')]);
    const worker = consume(() => undefined, { leaseMs, maximumAttempts: 2 });
    const { runs } = worker;
    await until(() => runs.length > 0, 'A message that is due must be handed out');
    await pass(leaseMs);
    await until(() => runs.length > 1, 'A message whose handler takes longer than its lease must be handed out again');
    await pass(leaseMs);
    await twoLeasesLater(worker);
    equal(runs.length, 2, 'After maximumAttempts without an end a message must not be handed out again');
  },

  'aborts a handler that takes longer than its lease, and ignores what it says then': async ({
    queue,
    consume,
    until,
    pass,
    leaseMs,
  }) => {
    await queue.enqueue([message('a')]);
    const { runs } = consume(({ attempt }) => (attempt > 2 ? done : undefined), { leaseMs });
    await until(() => runs.length > 0, 'A message that is due must be handed out');
    await pass(leaseMs);
    await until(() => runs.length > 1, 'A message whose handler takes longer than its lease must be handed out again');
    ok(runs[0]?.signal.aborted, 'The signal of a lease that is over must be aborted');
    equal(runs[1]?.signal.aborted, false, 'The signal of a lease that goes on must not be aborted');
    runs[0]?.end(done);
    await until(() => runs[0]?.hasEnded() === true, 'A handler must come to its end');
    await pass(leaseMs / 4);
    runs[1]?.end({ type: 'retry-at', at: Date.now() });
    await until(
      () => runs.length > 2,
      'What a handler says after its lease must be ignored: another one has the message by then',
    );
  },

  'does not hand out a message again that its handler gave up': async ({ queue, consume, until, twoLeasesLater }) => {
    await queue.enqueue([message('a')]);
    const worker = consume(() => ({ type: 'dead', reason: 'client_error', note: { status: 404 } }));
    await until(() => worker.runs.length > 0, 'A message that is due must be handed out');
    await twoLeasesLater(worker);
    equal(worker.runs.length, 1, 'A message that its handler called dead must not be handed out again by itself');
  },
};
