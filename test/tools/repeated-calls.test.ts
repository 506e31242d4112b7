import { expect, test } from 'vitest';
import { createRepeatedCalls } from '../../src/tools/repeated-calls.ts';
import type { ToolResult } from '../../src/tools/result.ts';

const result = (text: string, status: ToolResult['status'] = 'done'): ToolResult => ({
  status,
  value: text,
  text,
  replayed: false,
});

test('the same call under the same id runs once, while it runs and afterwards', async () => {
  const { run } = createRepeatedCalls();
  let runs = 0;
  const first = Promise.withResolvers<ToolResult>();
  const work = () => {
    runs += 1;
    return first.promise;
  };

  const both = [run('a', () => 'x', work), run('a', () => 'x', work)];
  first.resolve(result('done'));

  expect(await Promise.all(both)).toEqual([result('done'), { ...result('done'), replayed: true }]);
  expect(await run('a', () => 'x', work)).toEqual({ ...result('done'), replayed: true });
  expect(runs).toBe(1);
});

test('something else under an id that is in flight is a conflict, and afterwards a call of its own', async () => {
  const { run } = createRepeatedCalls();
  const first = Promise.withResolvers<ToolResult>();
  const running = run(
    'a',
    () => 'x',
    () => first.promise,
  );

  expect(
    await run(
      'a',
      () => 'y',
      async () => result('never'),
    ),
  ).toBe('conflict');
  first.resolve(result('first'));
  await running;
  expect(
    await run(
      'a',
      () => 'y',
      async () => result('second'),
    ),
  ).toEqual(result('second'));
});

test('what failed, or threw, runs again', async () => {
  const { run } = createRepeatedCalls();
  const ends = [async () => result('no', 'failed'), () => Promise.reject(new Error('x')), async () => result('yes')];
  const told: unknown[] = [];
  for (const end of ends) told.push(await run('a', () => 'x', end).catch(String));

  expect(told).toEqual([result('no', 'failed'), 'Error: x', result('yes')]);
});

test('calls without an id are never the same', async () => {
  const { run } = createRepeatedCalls();

  const ends = [
    await run(
      undefined,
      () => 'x',
      async () => result('1'),
    ),
    await run(
      undefined,
      () => 'x',
      async () => result('2'),
    ),
  ];

  expect(ends).toEqual([result('1'), result('2')]);
});

test('of too many calls the oldest is forgotten', async () => {
  const { run } = createRepeatedCalls({ maximum: 2 });
  const again = (id: string) =>
    run(
      id,
      () => 'x',
      async () => result(id),
    );
  for (const id of ['a', 'b', 'c']) await again(id);

  const replayed = [await again('b'), await again('c'), await again('a')].map(
    (end) => end !== 'conflict' && end.replayed,
  );

  expect(replayed).toEqual([true, true, false]);
});
