import { expect, test } from 'vitest';
import { createDeadLetters } from '../../src/outbox/dead-letters.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { eventually } from '../support/until.ts';

/** Letters of two destinations and of a webhook receiver, one a second; those of the receiver are in between. */
const withLetters = async (letters: readonly (readonly [group: string, key: string])[]) => {
  const clock = createVirtualClock();
  const queue = createMemoryMessageQueue({});
  const diedAt: Record<string, number> = {};
  for (const [index, [group, key]] of letters.entries()) {
    const payload = { event: 'call.completed', version: 1, idempotencyKey: key, body: `{"id":"${key}"}` };
    await queue.enqueue([{ id: `${group}:call.completed/${key}`, group, payload }]);
    const options = { groups: { [group]: 1 }, leaseMs: 1_000, maximumAttempts: 1 };
    const consumer = queue.consume(options, async () => ({ type: 'dead', reason: 'client_error' }));
    await eventually(async () => (await queue.admin.stats()).dead === index + 1);
    await consumer.close(0);
    diedAt[key] = Date.now();
    await clock.advance(1_000);
  }
  const keysOf = async (group: string) =>
    (await queue.admin.deadLetters({ group, limit: 100 })).map(({ id }) => id.slice(id.indexOf('/') + 1));
  return { queue, clock, diedAt, keysOf, deadLetters: createDeadLetters(() => queue.admin, ['crm', 'billing']) };
};

const letters = [
  ['outbox:crm', 'a'],
  ['webhook:webhooks', 'x'],
  ['outbox:billing', 'b'],
  ['webhook:webhooks', 'y'],
  ['outbox:crm', 'c'],
] as const;

test('dead letters come in pages, the longest dead first, past those of others', async () => {
  const { deadLetters } = await withLetters(letters);

  const first = await deadLetters.list({ limit: 2 });
  const second = await deadLetters.list({ limit: 2, after: first.at(-1)?.cursor ?? '' });

  expect([first, second].map((page) => page.map(({ idempotencyKey }) => idempotencyKey))).toEqual([['a', 'b'], ['c']]);
});

test('one destination has only its own', async () => {
  const { deadLetters } = await withLetters(letters);

  expect(await deadLetters.list({ destination: 'crm' })).toMatchObject([
    { destination: 'crm', idempotencyKey: 'a' },
    { destination: 'crm', idempotencyKey: 'c' },
  ]);
});

test('a dead letter has everything about the message except internals', async () => {
  const { deadLetters, diedAt } = await withLetters([['outbox:crm', 'a']]);

  expect(await deadLetters.list()).toEqual([
    {
      id: 'outbox:crm:call.completed/a',
      destination: 'crm',
      event: 'call.completed',
      version: 1,
      idempotencyKey: 'a',
      attempts: 1,
      publishedAt: diedAt['a'],
      diedAt: diedAt['a'],
      reason: 'client_error',
      body: { id: 'a' },
      cursor: expect.any(String) as string,
    },
  ]);
});

test('discarding all since a moment counts the destinations of this outbox alone', async () => {
  const { deadLetters, diedAt, keysOf } = await withLetters(letters);

  expect(await deadLetters.discard({ since: diedAt['b'] ?? 0 })).toBe(2);
  expect([await keysOf('outbox:crm'), await keysOf('outbox:billing'), await keysOf('webhook:webhooks')]).toEqual([
    ['a'],
    [],
    ['x', 'y'],
  ]);
});

test('giving up those of one destination leaves the others', async () => {
  const { deadLetters, keysOf } = await withLetters(letters);

  expect(await deadLetters.discard({ since: 0, destination: 'crm' })).toBe(2);
  expect([await keysOf('outbox:crm'), await keysOf('outbox:billing')]).toEqual([[], ['b']]);
});

test('redriving by ids takes those of the outbox alone', async () => {
  const { deadLetters, keysOf, queue } = await withLetters(letters);

  const ids = ['outbox:crm:call.completed/a', 'webhook:webhooks:call.completed/x', 'outbox:crm:unknown/z'];
  expect(await deadLetters.redrive({ ids })).toBe(1);
  expect(await keysOf('webhook:webhooks')).toEqual(['x', 'y']);
  expect(await queue.admin.get('outbox:crm:call.completed/a')).toMatchObject({ state: 'waiting' });
});

/** As JavaScript may write them. Nothing is left out or taken for all. */
test.each<[what: string, which: object | undefined, problem: string]>([
  ['a destination without a moment', { destination: 'crm' }, 'since must be a moment in milliseconds since 1970'],
  ['nothing', {}, 'since must be a moment'],
  ['no selection', undefined, 'since must be a moment'],
  ['a misspelt destination', { since: 0, destinaton: 'crm' }, 'destinaton is not an option: did you mean destination?'],
  ['the word of a queue', { since: 0, group: 'outbox:crm' }, 'group is not an option'],
  ['misspelt ids', { id: ['a'] }, 'id is not an option: did you mean ids?'],
  ['a moment as a text', { since: '2026-01-01' }, 'since must be a moment'],
  ['a moment that is none', { since: Number.NaN }, 'since must be a moment'],
  ['both', { since: 0, ids: ['a'] }, 'ids must not be given together with since'],
  ['one id as a text', { ids: 'outbox:crm:call.completed/a' }, 'ids must be a list of ids'],
  ['ids that are numbers', { ids: [1] }, 'ids must be a list of ids'],
])('%s is refused, and nothing is redriven or discarded', async (_what, which, problem) => {
  const { deadLetters, keysOf } = await withLetters(letters);

  await expect(deadLetters.redrive(which as never)).rejects.toThrow(problem);
  await expect(deadLetters.discard(which as never)).rejects.toThrow(problem);
  expect([await keysOf('outbox:crm'), await keysOf('outbox:billing')]).toEqual([['a', 'c'], ['b']]);
});

test.each<[page: object, problem: string]>([
  [{ destinaton: 'crm' }, 'destinaton is not an option: did you mean destination?'],
  [{ group: 'outbox:crm' }, 'group is not an option'],
  [{ limit: 0 }, 'limit must be a whole number above 0'],
  [{ limit: '10' }, 'limit must be a whole number above 0'],
])('a page of %j is refused', async (page, problem) => {
  const { deadLetters } = await withLetters([]);

  await expect(deadLetters.list(page)).rejects.toThrow(problem);
});
