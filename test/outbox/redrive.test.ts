import { expect, test } from 'vitest';
import { createDeadLetters } from '../../src/outbox/dead-letters.ts';
import { createRedrive } from '../../src/outbox/dead-letters.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { eventually } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** A queue with as many dead letters of each group. */
const withDeadLetters = async (counts: Readonly<Record<string, number>>) => {
  const clock = createVirtualClock();
  const queue = createMemoryMessageQueue({});
  const idsOf = (group: string) => Array.from({ length: counts[group] ?? 0 }, (_, index) => `${group}:${index}`);
  const messages = Object.keys(counts).flatMap((group) => idsOf(group).map((id) => ({ id, group, payload: null })));
  await queue.enqueue(messages);
  const groups = Object.fromEntries(Object.keys(counts).map((group) => [group, 100]));
  const consumer = queue.consume({ groups, leaseMs: 1_000, maximumAttempts: 1 }, async () => ({
    type: 'dead',
    reason: 'client_error',
  }));
  await eventually(async () => (await queue.admin.stats()).dead === messages.length);
  await consumer.close(0);
  const dead = async () => (await queue.admin.stats()).dead;
  return { clock, queue, idsOf, dead, [Symbol.asyncDispose]: () => queue.close(0) };
};

test('ten dead letters are redriven a second, by their ids', async () => {
  await using letters = await withDeadLetters({ crm: 25 });
  const { clock, queue, idsOf, dead } = letters;

  const redriven = createRedrive(() => queue.admin)({ ids: idsOf('crm') });

  await clock.advance(500);
  expect(await dead()).toBe(15);
  await clock.advance(1_000);
  expect(await dead()).toBe(5);
  await clock.advance(1_000);
  expect(await redriven).toBe(25);
});

test('all of one group are redriven at the same pace, the longest dead first', async () => {
  await using letters = await withDeadLetters({ crm: 120, billing: 3 });
  const { clock, queue, dead } = letters;
  const longestDead = (await queue.admin.deadLetters({ group: 'crm', limit: 10 })).map(({ id }) => id);

  const redriven = createRedrive(() => queue.admin)({ since: 0, group: 'crm' });

  await clock.advance(500);
  expect(await Promise.all(longestDead.map(async (id) => (await queue.admin.get(id))?.state))).toEqual(
    longestDead.map(() => 'waiting'),
  );
  expect(await dead()).toBe(113);
  await clock.advance(12_000);
  expect(await redriven).toBe(120);
  expect(await dead()).toBe(3);
});

test('an outbox redrives ten a second for all its destinations together', async () => {
  await using letters = await withDeadLetters({ 'outbox:crm': 8, 'outbox:billing': 8, webhooks: 2 });
  const { clock, queue, dead } = letters;
  const deadLetters = createDeadLetters(() => queue.admin, ['crm', 'billing']);

  const redriven = deadLetters.redrive({ since: 0 });

  await clock.advance(500);
  expect(await dead()).toBe(8);
  await clock.advance(1_000);
  expect(await redriven).toBe(16);
  expect(await dead()).toBe(2);
});

test('only those since a moment are redriven, each once', async () => {
  await using letters = await withDeadLetters({ crm: 3 });
  const { clock, queue, idsOf } = letters;
  const redrive = createRedrive(() => queue.admin);

  const none = redrive({ since: Date.now() + 1 });
  const twice = redrive({ ids: [...idsOf('crm'), ...idsOf('crm')] });

  await clock.advance(500);
  expect([await none, await twice]).toEqual([0, 3]);
});
