import { deepEqual, equal } from 'node:assert/strict';
import type { ChecksOf } from '../check.ts';
import { done, message, type QueueUnderCheck } from './under-check.ts';

/** For queues that say how long they keep the ids of what is done. */
export const keptIdCheck: ChecksOf<QueueUnderCheck> = {
  'takes the id of a message that is done again after keepDoneMs, and not before': async ({
    queue,
    consume,
    until,
    pass,
    keepDoneMs = 0,
    leaseMs,
    twoLeasesLater,
  }) => {
    await queue.enqueue([message('a', 1)]);
    const worker = consume(() => done);
    const { runs } = worker;
    await until(() => runs.length > 0, 'A message that is due must be handed out');
    await pass(Math.max(0, keepDoneMs - 3 * leaseMs));
    await queue.enqueue([message('a', 2)]);
    await twoLeasesLater(worker);
    equal(runs.length, 1, 'The id of a message that is done must be ignored for keepDoneMs');

    await pass(3 * leaseMs + 1_000);
    await queue.enqueue([message('a', 3)]);
    await until(() => runs.length > 1, 'After keepDoneMs an id must be taken again');
    deepEqual([runs[1]?.payload, runs[1]?.attempt], [3, 1], 'After keepDoneMs an id must be that of a new message');
  },
};
