import { expect, test } from 'vitest';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { eventually } from '../support/until.ts';
import { messageQueueConformance, onVirtualClock } from './message-queue.conformance.ts';

messageQueueConformance('the memory', onVirtualClock(createMemoryMessageQueue));

test('the ids of what is done do not grow without end', async () => {
  const queue = createMemoryMessageQueue({ maximumDone: 2 });
  let handled = 0;
  queue.consume({ groups: { g: 1 }, leaseMs: 1_000, maximumAttempts: 1 }, async () => {
    handled += 1;
    return { type: 'done' };
  });

  await queue.enqueue(['a', 'b', 'c'].map((id) => ({ id, group: 'g', payload: null })));
  await eventually(async () => handled === 3 && (await queue.admin.get('c')) === undefined);
  await queue.enqueue(['c', 'a'].map((id) => ({ id, group: 'g', payload: null })));
  await eventually(async () => handled === 4 && (await queue.admin.get('a')) === undefined);
  expect(handled).toBe(4);
  await queue.close(0);
});
