import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createOwnSignal, follow, neverAborts, unfollow, withOwnSignal } from '../../src/http/own-signal.ts';

const never = () => new Promise<never>(() => {});

test('gives back what the work gives, and leaves no listener behind', async () => {
  const { signal } = new AbortController();
  expect(await withOwnSignal(signal, async () => 'done')).toBe('done');
  await expect(withOwnSignal(signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(
    withOwnSignal(signal, () => {
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('does not begin under a signal that has aborted', async () => {
  const began = withOwnSignal(AbortSignal.abort('too late'), () => expect.unreachable());
  await expect(began).rejects.toBe('too late');
});

test('an abort outside ends work that does not listen, with the same reason inside', async () => {
  const outer = new AbortController();
  let inner: AbortSignal | undefined;
  const end = withOwnSignal(outer.signal, ({ signal }) => {
    inner = signal;
    return never();
  });
  outer.abort('hung up');
  await expect(end).rejects.toBe('hung up');
  expect(inner?.reason).toBe('hung up');
  expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
});

test('an abort inside stays inside', async () => {
  const outer = new AbortController();
  const end = withOwnSignal(outer.signal, (controller) => {
    controller.abort('too slow');
    return never();
  });
  await expect(end).rejects.toBe('too slow');
  expect(outer.signal.aborted).toBe(false);
  expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
});

test('what the work does after an abort is nobody’s unhandled rejection', async () => {
  const outer = new AbortController();
  let fail = (_error: Error) => {};
  const end = withOwnSignal(outer.signal, () => new Promise((_, reject) => (fail = reject)));
  outer.abort('hung up');
  await expect(end).rejects.toBe('hung up');
  fail(new Error('too late'));
  await new Promise(setImmediate);
});

test.each([
  ['of ours', createOwnSignal],
  [
    'of anybody else',
    () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) };
    },
  ],
])('a signal %s tells whoever follows it, once, and nobody who stopped', (_, create) => {
  const { signal, abort } = create();
  const told: string[] = [];
  const one = () => told.push(`one: ${signal.reason}`);
  const other = () => told.push('other');
  follow(signal, one);
  follow(signal, other);
  unfollow(signal, other);
  abort('hung up');
  abort('again');
  expect(told).toEqual(['one: hung up']);
});

test('an abort goes down through signals that lie within each other', async () => {
  const outer = new AbortController();
  let innermost: AbortSignal | undefined;
  const end = withOwnSignal(outer.signal, ({ signal }) =>
    withOwnSignal(signal, (own) => {
      innermost = own.signal;
      return never();
    }),
  );
  outer.abort('hung up');
  await expect(end).rejects.toBe('hung up');
  expect(innermost?.reason).toBe('hung up');
});

test('nothing is attached to the signal that never aborts', () => {
  follow(neverAborts, () => expect.unreachable());
  expect(getEventListeners(neverAborts, 'abort')).toEqual([]);
});
