import { expect, test } from 'vitest';
import { createIdempotentWrites } from '../../src/tools/idempotent-writes.ts';
import type { ToolResult } from '../../src/tools/result.ts';

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

  expect([...both, await run('a', work)].map(({ replayed }) => replayed)).toEqual([false, true, true]);
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

  expect((await run('c', async () => result('c'))).replayed).toBe(true);
  expect((await run('a', async () => result('a'))).replayed).toBe(false);
});
