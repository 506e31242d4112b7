import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ChecksOf } from '../check.ts';
import { assertHeld, type StoreUnderCheck } from './under-check.ts';

/** What becomes of a key whose holder doesn't come to an end. */
export const leaseChecks: ChecksOf<StoreUnderCheck> = {
  'gives an abandoned key back as it was: new': async ({ store, key, claim, claimed, pass, leaseMs }) => {
    await claimed();
    await pass(1.5 * leaseMs);
    equal(await store.read(key), undefined, 'A key that was claimed and abandoned must be unknown to read()');
    equal((await claim()).state, 'new', 'A key that was new must be new again after the lease');
  },

  'gives an abandoned key back as it was: unknown, with its note': async ({
    store,
    key,
    claim,
    claimed,
    pass,
    leaseMs,
  }) => {
    const mine = await claimed();
    await store.renew(key, mine, { leaseMs: 0, note: 'note' });
    await claimed('A key of unknown outcome must be granted');
    await pass(1.5 * leaseMs);
    assertUnknown(await claim(), 'note', 'A key of unknown outcome must be unknown again after the lease');
  },

  'gives an abandoned key back as it was: finished': async ({ store, key, claim, claimed, pass, leaseMs }) => {
    const mine = await claimed();
    await store.settle(key, mine, 'first');
    await claim({ reopen: true });
    await pass(1.5 * leaseMs);
    for (const found of [await store.read(key), await claim()]) {
      equal(found?.state, 'finished', 'A finished key that was claimed again must be finished again after the lease');
      equal(found.result, 'first', 'A finished key that was claimed again must keep its result');
    }
  },

  'gives work of unknown outcome, with its note, to the next who asks': async ({
    store,
    key,
    claim,
    claimed,
    leaseMs,
  }) => {
    const mine = await claimed();
    const note = { key: 'a', list: [1, null] };
    equal(await store.renew(key, mine, { leaseMs: 0, note }), true, 'renew() of a claim that is held must be true');
    assertUnknown(await store.read(key), note, 'read() of a key that was renewed with 0 must be unknown');
    assertUnknown(await claim(), note, 'A key that was renewed with 0 must be unknown to the next claim');
    assertHeld(await claim(), leaseMs, 'A key of unknown outcome must be granted to one claim only');
  },

  'holds a renewed claim for longer': async ({ store, key, claim, claimed, pass, leaseMs }) => {
    const mine = await claimed();
    await pass(0.5 * leaseMs);
    const renewed = await store.renew(key, mine, { leaseMs: 2 * leaseMs, note: { key: 'a' } });
    equal(renewed, true, 'renew() of a claim that is held must be true');
    await pass(1.5 * leaseMs);
    equal((await claim()).state, 'in-progress', 'A renewed claim must be held for its new lease');
    await pass(leaseMs);
    assertUnknown(await claim(), { key: 'a' }, 'A renewed claim whose lease ends must be unknown');
  },

  'settles a renewed claim': async ({ store, key, claim, claimed, leaseMs }) => {
    const mine = await claimed();
    await store.renew(key, mine, { leaseMs: 2 * leaseMs, note: null });
    equal(await store.settle(key, mine, 'done'), true, 'settle() of a renewed claim must be true');
    const found = await claim();
    equal(found.state, 'finished', 'A key whose work is settled must be finished');
    equal(found.result, 'done', 'A finished key must give the result as it was settled');
  },

  'does not renew after the lease, or for another': async ({ store, key, claim, claimed, pass, leaseMs }) => {
    const mine = await claimed();
    const renewal = { leaseMs: 9 * leaseMs, note: 'x' };
    equal(await store.renew(key, 'not-a-claim', renewal), false, 'renew() with the claim of another must be false');
    await pass(1.5 * leaseMs);
    equal(await store.renew(key, mine, renewal), false, 'renew() after the lease must be false');
    equal(await store.renew(`${key}-other`, mine, renewal), false, 'renew() of a key that is not there must be false');
    equal((await claim()).state, 'new', 'A renew() that is false must change nothing');
  },

  'reads a key without claiming it': async ({ store, key, claimed, leaseMs }) => {
    equal(await store.read(key), undefined, 'read() of a key that is not there must be undefined');
    const mine = await claimed('read() must claim nothing');
    assertHeld(await store.read(key), leaseMs, 'read() of a key that is claimed must be in-progress');
    await store.renew(key, mine, { leaseMs: 0, note: 'note' });
    for (let time = 0; time < 2; time += 1)
      assertUnknown(await store.read(key), 'note', 'read() of a key of unknown outcome must be unknown, every time');
    const again = await claimed('read() must claim nothing');
    await store.settle(key, again, { paid: [1] });
    const found = await store.read(key);
    equal(found?.state, 'finished', 'read() of a key whose work is settled must be finished');
    deepEqual(found.result, { paid: [1] }, 'read() must give the result as it was settled');
  },

  'claims a finished key again for one who asks for it, and for no other meanwhile': async ({
    store,
    key,
    claim,
    claimed,
    pass,
    leaseMs,
  }) => {
    await store.settle(key, await claimed(), 'first');
    equal((await claim()).state, 'finished', 'A finished key must be finished to a claim without reopen');
    const again = await claim({ reopen: true });
    equal(again.state, 'finished', 'A finished key must be finished to a claim with reopen');
    equal(again.result, 'first', 'A claim with reopen must give the result');
    ok(again.claim, 'A claim with reopen must have a claim');
    assertHeld(await claim({ reopen: true }), leaseMs, 'A finished key must be claimed again by one only');
    equal(
      (await store.read(key))?.state,
      'in-progress',
      'read() of a finished key that is claimed again must be in-progress',
    );

    const renewed = await store.renew(key, again.claim, { leaseMs, note: 'second' });
    equal(renewed, true, 'renew() of a finished key that is claimed again must be true');
    equal((await claim()).state, 'in-progress', 'A finished key that was renewed must be in-progress');
    await pass(1.5 * leaseMs);
    assertUnknown(
      await store.read(key),
      'second',
      'A finished key that was renewed must be unknown: its result is not true any more',
    );
  },
};

const assertUnknown = (
  found: { readonly state: string; readonly note?: unknown } | undefined,
  note: unknown,
  words: string,
): void => {
  equal(found?.state, 'unknown', words);
  deepEqual(found.note, note, 'A key of unknown outcome must give the note that its holder left');
};
