import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Json } from '../../../stores/ports/json.ts';
import type { ChecksOf } from '../check.ts';
import { assertHeld, type StoreUnderCheck } from './under-check.ts';

/** Who works under a key, and what the others get. */
export const claimChecks: ChecksOf<StoreUnderCheck> = {
  'grants a key to the first claim, and has the others wait': async ({ claim, leaseMs }) => {
    const first = await claim();
    equal(first.state, 'new', 'The first claim of a key must be new');
    ok(typeof first.claim === 'string' && first.claim !== '', 'A new claim must have a text that names it');
    assertHeld(await claim(), leaseMs, 'A key that is claimed must be in-progress to others');
  },

  'grants a key to one of many who ask at once': async ({ claim }) => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim()));
    const states = claims.map(({ state }) => state);
    equal(states.filter((state) => state === 'new').length, 1, 'Of many claims at once exactly one must be new');
    equal(
      states.filter((state) => state === 'in-progress').length,
      19,
      'Of many claims at once all but one must be in-progress',
    );
  },

  'keeps keys apart': async ({ store, key, claimed, leaseMs }) => {
    await claimed();
    const other = await store.claim(`${key}-other`, { fingerprint: 'this work', leaseMs, retainMs: 5 * leaseMs });
    equal(other.state, 'new', 'A key must not be held because another one is');
  },

  'gives the result of finished work to everyone who asks': async ({ store, key, claim, claimed, leaseMs }) => {
    const results: readonly Json[] = [
      { paid: true, list: [1, 'two', null, '\u{1f4de}'] },
      null,
      false,
      { unknown: 1 },
      'NUL \u0000',
    ];
    for (const [index, result] of results.entries()) {
      const own = `${key}-${index}`;
      const options = { fingerprint: 'this work', leaseMs, retainMs: 5 * leaseMs };
      const first = await store.claim(own, options);
      equal(first.state, 'new', 'The first claim of a key must be new');
      equal(await store.settle(own, first.claim, result), true, 'settle() of a claim that is held must be true');
      for (const found of [await store.claim(own, options), await store.read(own)]) {
        equal(found?.state, 'finished', 'A key whose work is settled must be finished');
        deepEqual(found.result, result, 'A finished key must give the result as it was settled');
      }
    }
    const mine = await claimed();
    const result = { paid: ['a'] };
    const settled = store.settle(key, mine, result);
    result.paid.push('b');
    await settled;
    const found = await claim();
    equal(found.state, 'finished', 'A key whose work is settled must be finished');
    deepEqual(found.result, { paid: ['a'] }, 'A result must be as it was when settle() was called');
  },

  'refuses a key for other work, also when it is finished': async ({ store, key, claim, claimed }) => {
    const mine = await claimed();
    const other = { fingerprint: 'other work' };
    equal((await claim(other)).state, 'conflict', 'A key with another fingerprint must be a conflict');
    await store.settle(key, mine, 'done');
    equal((await claim(other)).state, 'conflict', 'A finished key with another fingerprint must be a conflict');
    equal((await claim()).state, 'finished', 'A conflict must change nothing');
  },

  'settles for the holder alone, once': async ({ store, key, claim, claimed }) => {
    const mine = await claimed();
    equal(await store.settle(key, 'not-a-claim', 'x'), false, 'settle() with the claim of another must be false');
    equal(await store.settle(key, mine, 'first'), true, 'settle() of a claim that is held must be true');
    equal(await store.settle(key, mine, 'second'), false, 'A second settle() must be false');
    const found = await claim();
    equal(found.state, 'finished', 'A key whose work is settled must be finished');
    equal(found.result, 'first', 'A settle() that is false must change nothing');
  },

  'does not settle after the lease': async ({ store, key, claim, claimed, pass, leaseMs }) => {
    const mine = await claimed();
    await pass(1.5 * leaseMs);
    const theirs = await claimed('A key whose lease is over must be granted to the next');
    equal(await store.settle(key, mine, 'late'), false, 'settle() after the lease must be false');
    equal(await store.settle(key, theirs, 'in time'), true, 'settle() of a claim that is held must be true');
    const found = await claim();
    equal(found.state, 'finished', 'A key whose work is settled must be finished');
    equal(found.result, 'in time', 'A settle() that is false must change nothing');
  },

  'forgets a key that is released by its holder, and by no other': async ({
    store,
    key,
    claim,
    claimed,
    pass,
    leaseMs,
  }) => {
    const mine = await claimed();
    await pass(1.5 * leaseMs);
    const theirs = await claimed('A key whose lease is over must be granted to the next');
    await store.release(key, mine);
    equal((await claim()).state, 'in-progress', 'release() of a claim that is lost must change nothing');
    await store.renew(key, theirs, { leaseMs: 0, note: 'note' });
    const again = await claimed('A key of unknown outcome must be granted');
    await store.release(key, again);
    equal((await claim()).state, 'new', 'A key that its holder releases must be new, without its note');
  },

  'forgets a key that is older than retainMs, counted from its last change': async ({
    store,
    key,
    claim,
    claimed,
    pass,
    leaseMs,
  }) => {
    const mine = await claimed();
    await pass(0.5 * leaseMs);
    await store.settle(key, mine, 'done');
    await pass(4 * leaseMs);
    equal((await claim()).state, 'finished', 'A key must be kept for retainMs');
    await pass(5 * leaseMs);
    equal(await store.read(key), undefined, 'A key must be forgotten after retainMs');
    equal((await claim()).state, 'new', 'A key that is forgotten must be new');
  },
};
