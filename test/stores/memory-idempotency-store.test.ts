import { expect, test } from 'vitest';
import type { Json } from '../../src/stores/ports/json.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createVirtualClock, virtualTime } from '../support/virtual-clock.ts';
import { idempotencyStoreConformance } from './idempotency-store.conformance.ts';

idempotencyStoreConformance('the memory', {
  open: () => {
    createVirtualClock();
    return createMemoryIdempotencyStore();
  },
  ...virtualTime,
});

const options = { fingerprint: 'f', leaseMs: 1_000, retainMs: 60_000 };

const settled = async (store: ReturnType<typeof createMemoryIdempotencyStore>, key: string, result: Json & object) => {
  const claim = await store.claim(key, options);
  if (claim.state !== 'new' && claim.state !== 'unknown') throw new Error(claim.state);
  return store.settle(key, claim.claim, result);
};

const leftUnknown = async (store: ReturnType<typeof createMemoryIdempotencyStore>, key: string) => {
  const claim = await store.claim(key, options);
  if (claim.state !== 'new') throw new Error(claim.state);
  return store.renew(key, claim.claim, { leaseMs: 0, note: 'note' });
};

test('when it is full, what was finished first goes and what is unsettled stays', async () => {
  const store = createMemoryIdempotencyStore({ maximumKeys: 3 });
  await leftUnknown(store, 'unsettled');
  await settled(store, 'first', { done: 1 });
  await settled(store, 'second', { done: 2 });

  expect(await store.claim('third', options)).toMatchObject({ state: 'new' });

  expect(await store.claim('unsettled', options)).toMatchObject({ state: 'unknown', note: 'note' });
  expect(await store.claim('second', options)).toEqual({ state: 'finished', result: { done: 2 } });
});

test('when it is full of unsettled keys, a new claim is refused rather than an old one forgotten', async () => {
  const clock = createVirtualClock();
  const store = createMemoryIdempotencyStore({ maximumKeys: 1 });
  await leftUnknown(store, 'unsettled');

  await expect(store.claim('new', options)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await store.claim('unsettled', options)).toMatchObject({ state: 'unknown' });

  await clock.advance(60_001);
  expect(await store.claim('new', options)).toMatchObject({ state: 'new' });
});
