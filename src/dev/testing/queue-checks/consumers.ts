import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Handled } from '../../../stores/ports/message-queue.ts';
import type { ChecksOf } from '../check.ts';
import { done, group, message, mustReject, type QueueUnderCheck, type Run } from './under-check.ts';

/** Several consumers of one queue, and their ends. */
export const consumerChecks: ChecksOf<QueueUnderCheck> = {
  'hands each message to one of two consumers': async ({ queue, consume, until, twoLeasesLater }) => {
    const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
    await queue.enqueue(ids.map((id) => message(id)));
    const workers = [consume(() => done), consume(() => done)] as const;
    const seen = () => workers.flatMap(({ runs }) => runs.map(({ id }) => id));
    await until(() => new Set(seen()).size === ids.length, 'Every message must be handed out');
    await twoLeasesLater(workers[0]);
    deepEqual(seen().toSorted(), ids.toSorted(), 'A message must be handed to one consumer only');
  },

  'hands a message to one handler at a time, whatever two consumers do': async (under) => {
    for (const [index, steps] of scripts.entries()) await play(under, `script${index}`, steps);
  },

  'lets handlers end when a consumer is closed, and hands out nothing more': async ({
    queue,
    consume,
    until,
    within,
    twoLeasesLater,
  }) => {
    await queue.enqueue(['a', 'b'].map((id) => message(id)));
    const first = consume(() => undefined, { groups: { [group]: 1 } });
    await until(() => first.runs.length > 0, 'A message that is due must be handed out');
    const closed = first.consumer.close(60_000);
    first.runs[0]?.end(done);
    await within(closed, 'close() of a consumer must resolve once its handlers have ended');
    equal(first.runs[0]?.signal.aborted, false, 'A handler that ends within drainMs must not be aborted');
    equal(first.runs.length, 1, 'A consumer that is being closed must hand out nothing more');
    const second = consume(() => done);
    await twoLeasesLater(second);
    const left = ['a', 'b'].filter((id) => id !== first.runs[0]?.id);
    deepEqual(
      second.runs.map(({ id, attempt }) => [id, attempt]),
      left.map((id) => [id, 1]),
      'After close() the next consumer must get what was not handed out, and not what was done',
    );
  },

  'hands back what does not end in time when a consumer is closed': async ({
    queue,
    consume,
    until,
    within,
    pass,
    leaseMs,
  }) => {
    await queue.enqueue([message('a')]);
    const first = consume(() => undefined);
    await until(() => first.runs.length > 0, 'A message that is due must be handed out');
    const closed = first.consumer.close(leaseMs / 2);
    await pass(leaseMs / 2);
    await within(closed, 'close() of a consumer must resolve when drainMs is over');
    ok(first.runs[0]?.signal.aborted, 'The signal of a handler that does not end within drainMs must be aborted');
    const second = consume(() => done);
    await until(() => second.runs.length > 0, 'What a closed consumer had in hand must be handed out again');
  },

  'refuses everything once it is closed': async ({ queue }) => {
    await queue.close(0);
    await queue.close(0);
    await mustReject(queue.enqueue([message('a')]), 'enqueue() must reject once the queue is closed');
    const options = { groups: { [group]: 1 }, leaseMs: 1_000, maximumAttempts: 1 };
    let hasThrown = false;
    try {
      queue.consume(options, async () => done);
    } catch {
      hasThrown = true;
    }
    ok(hasThrown, 'consume() must throw once the queue is closed');
  },
};

type Step = 'end' | 'retry' | 'run out of time' | 'end too late';

/** What the holder of a message does, one after the other. Messages that it gives back go to either of the two. */
const scripts: readonly (readonly Step[])[] = [
  ['retry', 'retry', 'end'],
  ['run out of time', 'end'],
  ['run out of time', 'end too late', 'retry', 'end'],
  ['retry', 'run out of time', 'run out of time', 'end too late', 'end too late', 'end'],
];

const play = async (
  { queue, consume, until, within, pass, leaseMs }: QueueUnderCheck,
  id: string,
  steps: readonly Step[],
): Promise<void> => {
  await queue.enqueue([message(id)]);
  const workers = [consume(() => undefined, { leaseMs }), consume(() => undefined, { leaseMs })];
  const runs = () => workers.flatMap((worker) => worker.runs);
  const held = (): readonly Run[] => runs().filter((run) => !run.signal.aborted && !run.hasEnded());
  const end = async (run: Run | undefined, handled: Handled) => {
    run?.end(handled);
    await until(() => run?.hasEnded() === true, 'A handler must come to its end');
  };

  for (const step of steps) {
    await until(() => held().length > 0, 'A message that is due must be handed to one of two consumers');
    equal(held().length, 1, 'A message must be with one handler at a time');
    const [holder] = held();
    if (step === 'run out of time') {
      const before = runs().length;
      await pass(leaseMs);
      await until(() => runs().length > before, 'A message must be handed out again when its lease is over');
    } else if (step === 'end too late')
      await end(
        runs().find((run) => run.signal.aborted && !run.hasEnded()),
        done,
      );
    else await end(holder, step === 'end' ? done : { type: 'retry-at', at: Date.now() });
  }
  const closed = Promise.all(workers.map(({ consumer }) => consumer.close(0)));
  await within(closed, 'close(0) of a consumer must resolve');
  equal(held().length, 0, 'A message that is done must not be handed out again');
};
