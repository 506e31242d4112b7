import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Handled, MessageQueueWithAdmin } from '../../src/stores/ports/message-queue.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createSqliteMessageQueue } from '../../src/stores/sqlite/message-queue.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import { makeScratchFolder, type ScratchFolder } from '../support/scratch-folder.ts';
import { eventually, until } from '../support/until.ts';

const hour = 3_600_000;
const message = { id: 'a', group: 'g', payload: null };
const consuming = { groups: { g: 1 }, leaseMs: 10_000, maximumAttempts: 3 };

describe.each<[string, (folder: ScratchFolder) => MessageQueueWithAdmin]>([
  ['a queue in memory', () => createMemoryMessageQueue()],
  ['a queue in a file', (folder) => createSqliteMessageQueue({ file: folder.file('queue.db') })],
])('%s, while the clock is set back by an hour', (_name, make) => {
  const using = async (work: (queue: MessageQueueWithAdmin, time: VirtualClock) => Promise<void>) => {
    await using folder = await makeScratchFolder();
    const time = createVirtualClock();
    const queue = make(folder);
    await work(queue, time);
    await queue.close(0);
  };

  test('tries a message again after its own wait', () =>
    using(async (queue, { advance, stepWall }) => {
      const attempts: number[] = [];
      await queue.enqueue([message]);
      queue.consume(consuming, async (_message, { attempt }): Promise<Handled> => {
        attempts.push(attempt);
        return attempt === 1 ? { type: 'retry-at', at: Date.now() + 5_000 } : { type: 'done' };
      });
      await eventually(async () => (await queue.admin.stats()).delayed === 1);

      stepWall(-hour);
      await queue.admin.stats();
      for (let passed = 0; passed < 6_000; passed += 500) await advance(500);

      await until(() => attempts.length === 2);
      expect(attempts).toEqual([1, 2]);
      await eventually(async () => (await queue.admin.get('a')) === undefined);
    }));

  test('says how long messages and dead letters have been there', () =>
    using(async (queue, { advance, stepWall }) => {
      await queue.enqueue([message, { ...message, id: 'dead', group: 'other' }]);
      queue.consume({ ...consuming, groups: { other: 1 } }, async () => ({ type: 'dead', reason: 'no' }));
      await eventually(async () => (await queue.admin.stats()).dead === 1);
      await advance(600_000);
      await queue.admin.stats();

      stepWall(-hour);
      await queue.admin.stats();
      await advance(60_000);

      expect(await queue.admin.stats()).toMatchObject({ oldestAgeMs: 660_000, oldestDeadAgeMs: 660_000 });
    }));

  test('selects dead letters by the time that people see', () =>
    using(async (queue, { stepWall }) => {
      await queue.enqueue([message]);
      const consumer = queue.consume(consuming, async () => ({ type: 'dead', reason: 'no' }));
      await eventually(async () => (await queue.admin.stats()).dead === 1);
      await consumer.close(0);
      stepWall(-hour);
      await queue.admin.stats();

      const [letter] = await queue.admin.deadLetters();

      expect(letter).toMatchObject({ enqueuedAt: Date.now(), diedAt: Date.now() });
      expect(await queue.admin.redrive({ since: Date.now() + 1 })).toBe(0);
      expect(await queue.admin.redrive({ since: Date.now() })).toBe(1);
    }));
});

test('a lease of a process that died ends after its own length, in the process that starts next', async () => {
  await using folder = await makeScratchFolder();
  const { advance, stepWall } = createVirtualClock();
  const options = { file: folder.file('queue.db') };
  const first = createSqliteMessageQueue(options);
  await first.enqueue([message, { ...message, id: 'waits', group: 'other' }]);
  await first.close(0);
  // As a process leaves it that was killed while it handled the message.
  using sql = new DatabaseSync(options.file);
  sql.prepare("UPDATE messages SET state = 1, token = 'dead', at = ? WHERE id = 'a'").run(Date.now() + 10_000);

  stepWall(-hour);
  const second = createSqliteMessageQueue(options);
  const seen: number[] = [];
  second.consume(consuming, async (_message, { attempt }) => {
    seen.push(attempt);
    return { type: 'done' };
  });
  await second.admin.stats();
  for (let passed = 0; passed < 20_000 && seen.length === 0; passed += 500) await advance(500);

  await until(() => seen.length === 1);
  expect(seen).toEqual([1]);
  await second.close(0);
});
