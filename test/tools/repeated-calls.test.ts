import { expect, test } from 'vitest';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { createRepeatedCalls } from '../../src/tools/repeated-calls.ts';
import type { ToolResult } from '../../src/tools/context.ts';
import type { ToolEffect } from '../../src/tools/tool.ts';

const result = (text: string, status: ToolResult['status'] = 'done'): ToolResult => ({
  status,
  value: text,
  text,
  replayed: false,
});

const start = () => {
  const clock = createVirtualClock();
  const calls = createRepeatedCalls();
  const ran: string[] = [];
  const call = (id: string | undefined, what: string, effect: ToolEffect = 'write', end?: Promise<ToolResult>) =>
    calls.run({ id, fingerprint: () => what, effect }, async () => {
      ran.push(what);
      return end ?? result(what);
    });
  return { clock, calls, call, ran };
};

test.each<ToolEffect>(['read', 'write', 'payment'])(
  'the same %s under the same id runs once while it is in flight',
  async (effect) => {
    const { call, ran } = start();
    const first = Promise.withResolvers<ToolResult>();
    const both = [call('a', 'x', effect, first.promise), call('a', 'x', effect)];
    first.resolve(result('end'));

    expect(await Promise.all(both)).toEqual([result('end'), { ...result('end'), replayed: true }]);
    expect(ran).toEqual(['x']);
  },
);

test('a write that was done is answered with its result', async () => {
  const { call, ran } = start();
  await call('a', 'x');

  expect(await call('a', 'x')).toEqual({ ...result('x'), replayed: true });
  expect(ran).toEqual(['x']);
});

test.each<ToolEffect>(['read', 'payment'])('a %s that was done is asked again', async (effect) => {
  const { call, ran } = start();
  await call('a', 'x', effect);

  expect(await call('a', 'x', effect)).toEqual(result('x'));
  expect(ran).toEqual(['x', 'x']);
});

test.each<[id: string, ToolEffect]>([
  ['b', 'write'],
  ['', 'write'],
  ['a', 'write'],
  ['b', 'payment'],
])('a write comes again once another was done in between: id %j, a %s', async (id, effect) => {
  const { call, ran } = start();
  await call('a', 'x');
  await call(id, 'y', effect);

  expect(await call('a', 'x')).toEqual(result('x'));
  expect(ran).toEqual(['x', 'y', 'x']);
});

test('neither a look-up, nor a write that failed, nor a payment that was made before makes a write come again', async () => {
  const { call, ran } = start();
  await call('a', 'x');
  await call('b', 'y', 'read');
  await call('c', 'z', 'write', Promise.resolve(result('no', 'refused')));
  await call('d', 'p', 'payment', Promise.resolve({ ...result('paid'), replayed: true }));
  await call('a', 'x');

  expect(ran).toEqual(['x', 'y', 'z', 'p']);
});

test('two writes of one answer, delivered twice, run once each', async () => {
  const { call, ran } = start();
  for (let delivery = 0; delivery < 2; delivery += 1) await Promise.all([call('a', 'x'), call('b', 'y')]);

  expect(ran).toEqual(['x', 'y']);
});

test('a write comes again after a minute', async () => {
  const { clock, call, ran } = start();
  await call('a', 'x');
  await clock.advance(59_999);
  await call('a', 'x');
  await clock.advance(1);
  await call('a', 'x');

  expect(ran).toEqual(['x', 'x']);
});

test('something else under an id that is in flight is a conflict, and afterwards a call of its own', async () => {
  const { call } = start();
  const first = Promise.withResolvers<ToolResult>();
  const running = call('a', 'x', 'write', first.promise);

  expect(await call('a', 'y')).toBe('conflict');
  first.resolve(result('first'));
  await running;
  expect(await call('a', 'y')).toEqual(result('y'));
});

test('what failed, or threw, runs again', async () => {
  const { call } = start();
  const ends: unknown[] = [];
  const failing = Promise.reject(new Error('x'));
  failing.catch(() => undefined);
  for (const end of [Promise.resolve(result('no', 'failed')), failing, Promise.resolve(result('yes'))])
    ends.push(await call('a', 'x', 'write', end).catch(String));

  expect(ends).toEqual([result('no', 'failed'), 'Error: x', result('yes')]);
});

test.each([undefined, ''])('calls under the id %j are never the same, also while they are in flight', async (id) => {
  const { call, ran } = start();

  expect(await Promise.all([call(id, 'x'), call(id, 'x'), call(id, 'y')])).toEqual([
    result('x'),
    result('x'),
    result('y'),
  ]);
  expect(ran).toEqual(['x', 'x', 'y']);
});
