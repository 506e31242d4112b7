import { expect, test } from 'vitest';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { once, type WorkEnd } from '../../src/stores/once.ts';
import { countStoreCalls } from '../support/count-store-calls.ts';

const start = (broken: Partial<Record<'claim' | 'settle', true>> = {}) => {
  const memory = createMemoryIdempotencyStore();
  const failing = () => Promise.reject(new Error('the store is down'));
  const { counting, calls } = countStoreCalls({
    ...memory,
    ...(broken.claim && { claim: failing }),
    ...(broken.settle && { settle: failing }),
  });
  const errors: unknown[] = [];
  const options = { leaseMs: 60_000, retainMs: 60_000, onStoreError: (error: unknown) => errors.push(error) };
  const run = (end: WorkEnd<string>, notes: unknown[] = []) =>
    once(counting, 'k', options, async (note) => {
      notes.push(note);
      return end;
    });
  return { run, calls, errors, counting, options };
};

test('does the work once, and returns its result from then on', async () => {
  const { run, calls } = start();

  expect(await run({ result: 'a', kept: { result: 1 } })).toEqual({ state: 'worked', result: 'a' });
  expect(await run({ result: 'b' })).toEqual({ state: 'finished', result: 1 });
  expect(calls).toEqual(['claim', 'settle', 'claim']);
});

test('gives the note of an unknown end to the next work', async () => {
  const { run } = start();
  const notes: unknown[] = [];
  await run({ result: 'a', kept: { note: { key: 'x' } } });

  await run({ result: 'b', kept: { result: null } }, notes);

  expect(notes).toEqual([{ key: 'x' }]);
  expect(await run({ result: 'c' })).toEqual({ state: 'finished', result: null });
});

test('gives the key back after work that keeps nothing, and after work that throws', async () => {
  const { run, counting, options } = start();
  const failed = once(counting, 'k', options, () => Promise.reject(new Error('no')));

  await expect(failed).rejects.toThrow('no');
  expect(await run({ result: 'a' })).toMatchObject({ state: 'worked' });
  expect(await run({ result: 'b' })).toMatchObject({ state: 'worked' });
});

test('keeps the note of an unknown end when the next work throws', async () => {
  const { run, counting, options } = start();
  await run({ result: 'a', kept: { note: 'sent' } });

  await expect(once(counting, 'k', options, () => Promise.reject(new Error('no')))).rejects.toThrow('no');

  expect(await counting.read('k')).toEqual({ state: 'unknown', note: 'sent' });
});

test('does nothing while another is at work, for other work, and without the store', async () => {
  const { run, counting, options } = start();
  await counting.claim('k', { ...options, fingerprint: 'k' });
  expect(await run({ result: 'a' })).toMatchObject({ state: 'in-progress' });
  expect(await once(counting, 'k', { ...options, fingerprint: 'other' }, () => Promise.reject(new Error()))).toEqual({
    state: 'conflict',
  });

  expect(await start({ claim: true }).run({ result: 'a' })).toEqual({
    state: 'unavailable',
    error: new Error('the store is down'),
  });
});

test('the result counts even if it cannot be kept', async () => {
  const { run, errors } = start({ settle: true });

  expect(await run({ result: 'a', kept: { result: 1 } })).toEqual({ state: 'worked', result: 'a' });
  expect(errors).toEqual([new Error('the store is down')]);
});
