import { expect, test } from 'vitest';
import { createMemoryTokenStore } from '../../src/stores/memory-token-store.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const token = { accessToken: 'a', issuedAt: 0, details: {} };

test('a token is there until its time is over', async () => {
  const clock = createVirtualClock();
  const store = createMemoryTokenStore({});
  expect(await store.get('k')).toBeUndefined();
  await store.set('k', token, { retainMs: 1_000 });
  await clock.advance(999);
  expect(await store.get('k')).toEqual(token);
  await clock.advance(2);
  expect(await store.get('k')).toBeUndefined();
});

test('when it is full, the token that was used longest ago goes', async () => {
  const store = createMemoryTokenStore({ maximumTokens: 2 });
  for (const key of ['a', 'b', 'a', 'c']) await store.set(key, token, { retainMs: 1_000 });
  expect(await Promise.all(['a', 'b', 'c'].map((key) => store.get(key)))).toEqual([token, undefined, token]);
});

test('one process at a time may fetch a token, until it releases the key or its lease is over', async () => {
  const clock = createVirtualClock();
  const store = createMemoryTokenStore({});
  const claim = () => store.claim?.('k', { leaseMs: 1_000 });
  const release = await claim();
  expect(await claim()).toBeUndefined();
  await release?.();
  const second = await claim();
  expect(second).toBeTypeOf('function');
  await clock.advance(1_001);
  expect(await claim()).toBeTypeOf('function');
  // The second lease has ended, so its release does nothing.
  await second?.();
  expect(await claim()).toBeUndefined();
});
