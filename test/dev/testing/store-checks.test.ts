import { AssertionError } from 'node:assert';
import { expect, test } from 'vitest';
import { checksOfStore, type StoreCheckOptions } from '../../../src/dev/testing/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import type { Claim, IdempotencyStore } from '../../../src/stores/ports/idempotency-store.ts';
import type { Json } from '../../../src/stores/ports/json.ts';
import { createVirtualClock, virtualTime } from '../../support/virtual-clock.ts';

/** What the checks say of a store: the first line of each that fails, by its name. */
const check = async (open: StoreCheckOptions['open'], options: Partial<StoreCheckOptions> = {}) => {
  createVirtualClock();
  const checks = checksOfStore({ open, ...virtualTime, ...options });
  const failed: Record<string, unknown> = {};
  for (const { name, run } of checks)
    await run().catch((error: unknown) => {
      failed[name] = error instanceof AssertionError ? error.message.split('\n')[0] : error;
    });
  return { names: checks.map(({ name }) => name), failed };
};

/** A store in memory with other methods. */
const withChanged = (change: (store: IdempotencyStore) => Partial<IdempotencyStore>) => () => {
  const store = createMemoryIdempotencyStore();
  return { ...store, ...change(store) };
};

const withClaimed = (change: (claim: Claim) => Claim) =>
  withChanged(({ claim }) => ({ claim: async (key, options) => change(await claim(key, options)) }));

/** Remembers the claim that holds each key. */
const withHolders = (change: (store: IdempotencyStore, holder: (key: string) => string) => Partial<IdempotencyStore>) =>
  withChanged((store) => {
    const holders = new Map<string, string>();
    const claim: IdempotencyStore['claim'] = async (key, options) => {
      const found = await store.claim(key, options);
      if ('claim' in found && found.claim !== undefined) holders.set(key, found.claim);
      return found;
    };
    return { claim, ...change(store, (key) => holders.get(key) ?? '') };
  });

const names = {
  first: 'grants a key to the first claim, and has the others wait',
  many: 'grants a key to one of many who ask at once',
  apart: 'keeps keys apart',
  result: 'gives the result of finished work to everyone who asks',
  conflict: 'refuses a key for other work, also when it is finished',
  holder: 'settles for the holder alone, once',
  late: 'does not settle after the lease',
  released: 'forgets a key that is released by its holder, and by no other',
  retained: 'forgets a key that is older than retainMs, counted from its last change',
  abandoned: 'gives an abandoned key back as it was: new',
  abandonedUnknown: 'gives an abandoned key back as it was: unknown, with its note',
  abandonedFinished: 'gives an abandoned key back as it was: finished',
  unknown: 'gives work of unknown outcome, with its note, to the next who asks',
  renewed: 'holds a renewed claim for longer',
  notRenewed: 'does not renew after the lease, or for another',
  read: 'reads a key without claiming it',
  reopened: 'claims a finished key again for one who asks for it, and for no other meanwhile',
  clock: 'holds a lease no longer when the clock is set back by an hour',
} as const;

test('a store that does what it must passes all', async () => {
  const { names: all, failed } = await check(createMemoryIdempotencyStore);
  expect(failed).toEqual({});
  expect(all).toEqual(expect.arrayContaining(Object.values(names)));
  expect(new Set(all).size).toBe(all.length);
});

test('the checks may share a store', async () => {
  const store = createMemoryIdempotencyStore();
  const { names: all, failed } = await check(() => store, { without: { [names.clock]: 'it has no clock' } });
  expect(failed).toEqual({});
  expect(all).not.toContain(names.clock);
});

test('time passes by itself unless it is let pass', async () => {
  const checks = checksOfStore({ open: createMemoryIdempotencyStore, leaseMs: 20 });
  const startedAt = performance.now();
  await checks.find(({ name }) => name === names.abandoned)?.run();
  expect(performance.now() - startedAt).toBeGreaterThan(25);
  expect(checks.map(({ name }) => name)).not.toContain(names.clock);
});

const flawed: readonly (readonly [string, () => IdempotencyStore, Readonly<Record<string, string>>])[] = [
  [
    'grants a key to everyone',
    withClaimed((claim) => (claim.state === 'in-progress' ? { state: 'new', claim: 'another' } : claim)),
    {
      [names.first]: 'A key that is claimed must be in-progress to others',
      [names.many]: 'Of many claims at once exactly one must be new',
    },
  ],
  [
    'looks first and claims afterwards',
    withChanged(({ claim, read }) => ({
      claim: async (key, options) => {
        const found = await read(key);
        await Promise.resolve();
        if (found) return claim(key, options);
        await claim(key, options);
        return { state: 'new', claim: 'mine' };
      },
    })),
    { [names.many]: 'Of many claims at once exactly one must be new' },
  ],
  [
    'has one key',
    withChanged(({ claim }) => ({ claim: (key, options) => claim(key.slice(0, 42), options) })),
    { [names.apart]: 'A key must not be held because another one is' },
  ],
  [
    'settles for everyone',
    withHolders(({ settle }, holder) => ({ settle: (key, _claim, result) => settle(key, holder(key), result) })),
    {
      [names.holder]: 'settle() with the claim of another must be false',
      [names.late]: 'settle() after the lease must be false',
    },
  ],
  [
    'settles again and again',
    withHolders(({ settle, claim, renew: _renew }, holder) => ({
      settle: async (key, own, result) => {
        if (await settle(key, own, result)) return true;
        if (own !== holder(key)) return false;
        const options = { fingerprint: 'this work', leaseMs: 1_000, retainMs: 5_000, reopen: true };
        const again = await claim(key, options);
        return again.state === 'finished' && settle(key, again.claim ?? '', result);
      },
    })),
    { [names.holder]: 'A second settle() must be false' },
  ],
  [
    'says that it settled what it did not',
    withChanged(({ settle }) => ({
      settle: async (key, claim, result) => {
        await settle(key, claim, result);
        return true;
      },
    })),
    {
      [names.holder]: 'settle() with the claim of another must be false',
      [names.late]: 'settle() after the lease must be false',
    },
  ],
  [
    'keeps a result as text',
    withChanged(({ settle }) => ({ settle: (key, claim, result) => settle(key, claim, JSON.stringify(result)) })),
    { [names.result]: 'A finished key must give the result as it was settled' },
  ],
  [
    'ignores the fingerprint',
    withChanged(({ claim }) => ({ claim: (key, options) => claim(key, { ...options, fingerprint: 'any' }) })),
    { [names.conflict]: 'A key with another fingerprint must be a conflict' },
  ],
  [
    'releases for everyone',
    withHolders(({ release }, holder) => ({ release: (key) => release(key, holder(key)) })),
    { [names.released]: 'release() of a claim that is lost must change nothing' },
  ],
  [
    'releases nothing',
    withChanged(() => ({ release: async () => {} })),
    { [names.released]: 'A key that its holder releases must be new, without its note' },
  ],
  [
    'forgets a key after a lease',
    withChanged(({ claim }) => ({
      claim: (key, options) => claim(key, { ...options, retainMs: options.leaseMs }),
    })),
    { [names.retained]: 'A key must be kept for retainMs' },
  ],
  [
    'never forgets a key',
    withChanged(({ claim }) => ({ claim: (key, options) => claim(key, { ...options, retainMs: 1e12 }) })),
    { [names.retained]: 'A key must be forgotten after retainMs' },
  ],
  [
    'never ends a lease',
    withChanged(({ claim }) => ({
      claim: (key, options) => claim(key, { ...options, leaseMs: 1e12, retainMs: 1e13 }),
    })),
    { [names.abandoned]: 'A key that was claimed and abandoned must be unknown to read()' },
  ],
  [
    'takes work of unknown outcome for new',
    withClaimed((claim) => (claim.state === 'unknown' ? { state: 'new', claim: claim.claim } : claim)),
    {
      [names.unknown]: 'A key that was renewed with 0 must be unknown to the next claim',
      [names.abandonedUnknown]: 'A key of unknown outcome must be unknown again after the lease',
      [names.renewed]: 'A renewed claim whose lease ends must be unknown',
    },
  ],
  [
    'loses the note',
    withChanged(({ renew }) => ({ renew: (key, claim, options) => renew(key, claim, { ...options, note: null }) })),
    { [names.unknown]: 'A key of unknown outcome must give the note that its holder left' },
  ],
  [
    'renews for the time that was left',
    withChanged(({ renew }) => ({
      renew: (key, claim, { leaseMs, note }) => renew(key, claim, { leaseMs: Math.min(leaseMs, 500), note }),
    })),
    { [names.renewed]: 'A renewed claim must be held for its new lease' },
  ],
  [
    'renews for everyone',
    withHolders(({ renew }, holder) => ({ renew: (key, _claim, options) => renew(key, holder(key), options) })),
    { [names.notRenewed]: 'renew() with the claim of another must be false' },
  ],
  [
    'claims when it is only read',
    withChanged(({ claim, read }) => ({
      read: async (key) => {
        const found = await read(key);
        if (!found) await claim(key, { fingerprint: 'this work', leaseMs: 1_000, retainMs: 5_000 });
        return found;
      },
    })),
    { [names.read]: 'read() must claim nothing, not in-progress' },
  ],
  [
    'claims no finished key again',
    withChanged(({ claim }) => ({ claim: (key, options) => claim(key, { ...options, reopen: false }) })),
    { [names.reopened]: 'A claim with reopen must have a claim' },
  ],
  [
    'forgets the result of a key that is claimed again',
    withHolders(({ read, renew, claim }, holder) => ({
      claim: async (key, options) => {
        const found = await claim(key, options);
        if (found.state === 'finished' && found.claim !== undefined)
          await renew(key, found.claim, { leaseMs: options.leaseMs, note: null });
        return found;
      },
      read: (key) => (holder(key), read(key)),
    })),
    {
      [names.abandonedFinished]: 'A finished key that was claimed again must be finished again after the lease',
    },
  ],
  [
    'goes by the clock of the wall',
    () => createWallClockStore(),
    { [names.clock]: 'retryAfterMs must be the time until the lease ends' },
  ],
];

/** The least that claims and waits, with leases by `Date.now()`. */
const createWallClockStore = (): IdempotencyStore => {
  const kept = new Map<string, { readonly claim: string; readonly until: number; readonly result?: Json }>();
  const read: IdempotencyStore['read'] = async (key) => {
    const found = kept.get(key);
    const retryAfterMs = (found?.until ?? 0) - Date.now();
    return retryAfterMs > 0 ? { state: 'in-progress', retryAfterMs } : undefined;
  };
  return {
    read,
    claim: async (key, { leaseMs }) => {
      const held = await read(key);
      if (held?.state === 'in-progress') return held;
      const claim = String(Math.random());
      kept.set(key, { claim, until: Date.now() + leaseMs });
      return { state: 'new', claim };
    },
    settle: async () => false,
    renew: async () => false,
    release: async (key) => void kept.delete(key),
  };
};

test.each(flawed)('a store that %s fails', async (_what, open, expected) => {
  const { failed } = await check(open);

  expect(failed).toMatchObject(expected);
  expect(Object.keys(failed)).not.toEqual([]);
});

test('options that cannot work are refused', () => {
  const refused = (options: object) => () => checksOfStore({ open: createMemoryIdempotencyStore, ...options } as never);

  expect(refused({ open: createMemoryIdempotencyStore() })).toThrow('open must be a function that opens a store');
  expect(refused({ leaseMS: 1 })).toThrow('leaseMS is not an option: did you mean leaseMs?');
  expect(refused({ leaseMs: -1 })).toThrow('leaseMs must be a number of milliseconds above 0');
  expect(refused({ pass: 5 })).toThrow('pass must be a function of milliseconds');
  expect(refused({ without: { [names.clock]: 'no' } })).toThrow('without has the name of no check');
});
