import { expect, test } from 'vitest';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createIdempotentWrites } from '../../src/tools/idempotent-writes.ts';
import type { ToolResult } from '../../src/tools/context.ts';

const result = (text: string, status: ToolResult['status'] = 'done'): ToolResult => ({
  status,
  value: text,
  text,
  replayed: false,
});

test('the same work is done once, at the same time and afterwards', async () => {
  const { run } = createIdempotentWrites();
  let runs = 0;
  const work = async () => {
    runs += 1;
    return result('done');
  };
  const both = await Promise.all([run('a', work), run('a', work)]);

  expect([...both, await run('a', work)]).toMatchObject([{ replayed: false }, { replayed: true }, { replayed: true }]);
  expect(runs).toBe(1);
});

test('what failed, or threw, is done again', async () => {
  const { run } = createIdempotentWrites();
  const ends = [async () => result('no', 'unknown'), () => Promise.reject(new Error('x')), async () => result('yes')];
  const given: unknown[] = [];
  for (const end of ends) given.push(await run('a', end).catch(String));

  expect(given).toEqual([result('no', 'unknown'), 'Error: x', result('yes')]);
});

test('of too many the oldest is forgotten', async () => {
  const { run } = createIdempotentWrites({ maximum: 2 });
  for (const key of ['a', 'b', 'c']) await run(key, async () => result(key));

  expect(await run('c', async () => result('c'))).toMatchObject({ replayed: true });
  expect(await run('a', async () => result('a'))).toMatchObject({ replayed: false });
});

test('processes that share a store do the work once, and nothing while one is at work or the store fails', async () => {
  const store = createMemoryIdempotencyStore();
  const errors: unknown[] = [];
  const process = (own = store) =>
    createIdempotentWrites({ shared: { store: own, report: (error) => void errors.push(error) } });
  const first = Promise.withResolvers<ToolResult>();
  const running = process().run('a', () => first.promise);

  expect(await process().run('a', async () => result('twice'))).toBe('busy');
  first.resolve(result('once'));
  expect(await running).toEqual(result('once'));
  expect(await process().run('a', async () => result('twice'))).toEqual({ ...result('once'), replayed: true });

  await process().run('b', async () => result('perhaps', 'unknown'));
  expect(await process().run('b', async () => result('twice'))).toEqual({
    ...result('perhaps', 'unknown'),
    replayed: true,
  });

  await process().run('c', async () => result('no', 'failed'));
  expect(await process().run('c', async () => result('yes'))).toEqual(result('yes'));

  const down = { ...store, claim: () => Promise.reject(new Error('the store is down')) };
  expect(await process(down).run('d', async () => result('sent'))).toBe('unavailable');
  expect(errors).toEqual([new Error('the store is down')]);
});
