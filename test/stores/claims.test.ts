import { expect, test } from 'vitest';
import { StoreError } from '../../src/core/errors.ts';
import { createClaims, type Documents, isAsExpected, type KeptDocument } from '../../src/stores/claims.ts';

const options = { fingerprint: 'f', leaseMs: 60_000, retainMs: 60_000 };

/** An engine without a clock, and the steps that it was asked for. */
const createEngine = () => {
  const kept = new Map<string, KeptDocument>();
  const steps: string[] = [];
  const lost = new Set<string>();

  /** Does the step; its answer may be lost. */
  const step = async <T>(name: string, work: () => T): Promise<T> => {
    steps.push(name);
    const result = work();
    if (lost.delete(name)) throw new StoreError('no answer');
    return result;
  };

  const documents: Documents = {
    read: (key) => step('read', () => kept.get(key)),
    write: (key, { version, document }, expected) =>
      step('write', () => {
        if (!isAsExpected(kept.get(key), expected)) return kept.get(key);
        kept.set(key, { version, document, ageMs: 0 });
        return 'done';
      }),
    remove: (key, expected) =>
      step('remove', () => {
        if (!isAsExpected(kept.get(key), expected)) return kept.get(key);
        kept.delete(key);
        return 'done';
      }),
  };
  const stepsOf = async (work: () => Promise<unknown>) => {
    steps.length = 0;
    await work();
    return [...steps];
  };
  /** Ends all leases. */
  const endLeases = () => {
    for (const [key, one] of kept) kept.set(key, { ...one, ageMs: one.document.leaseMs });
  };
  return { documents, kept, lost, stepsOf, endLeases, store: createClaims(documents) };
};

const claimed = async (store: ReturnType<typeof createClaims>, key: string): Promise<string> => {
  const claim = await store.claim(key, { ...options, reopen: true });
  return ('claim' in claim && claim.claim) || '';
};

test('a claim, a renewal, a settlement and a release are one step each; taking over is two', async () => {
  const { store, stepsOf } = createEngine();
  let claim = '';

  expect(await stepsOf(async () => (claim = await claimed(store, 'k')))).toEqual(['write']);
  expect(await stepsOf(() => store.renew('k', claim, { leaseMs: 60_000, note: 'n' }))).toEqual(['write']);
  expect(await stepsOf(() => store.renew('k', claim, { leaseMs: 0, note: 'n' }))).toEqual(['write']);
  expect(await stepsOf(async () => (claim = await claimed(store, 'k')))).toEqual(['write', 'write']);
  expect(await stepsOf(() => store.settle('k', claim, 'done'))).toEqual(['write']);
  expect(await stepsOf(async () => (claim = await claimed(store, 'k')))).toEqual(['write']);
  expect(await stepsOf(() => store.release('k', claim))).toEqual(['remove']);
});

test('what another has changed or claimed meanwhile is never written over', async () => {
  const { store, documents, stepsOf } = createEngine();
  const other = createClaims(documents);
  await store.settle('k', await claimed(store, 'k'), 1);
  await other.settle('k', await claimed(other, 'k'), 2);

  const steps = await stepsOf(async () =>
    expect(await store.claim('k', { ...options, reopen: true })).toMatchObject({ state: 'finished', result: 2 }),
  );
  expect(steps).toEqual(['write', 'write']);
  expect(await other.claim('k', { ...options, reopen: true })).toMatchObject({ state: 'in-progress' });
});

test('of one process that claims twice at once what it settled, one gets it', async () => {
  const { store } = createEngine();
  await store.settle('k', await claimed(store, 'k'), 1);

  const again = { ...options, reopen: true };
  const claims = await Promise.all([store.claim('k', again), store.claim('k', again)]);

  expect(claims.map(({ state }) => state).toSorted()).toEqual(['finished', 'in-progress']);
  expect(await store.claim('k', { ...again, fingerprint: 'other' })).toEqual({ state: 'conflict' });
});

test('what was settled here and is gone is new again', async () => {
  const { store, kept } = createEngine();
  await store.settle('k', await claimed(store, 'k'), 1);
  kept.delete('k');

  expect(await store.claim('k', { ...options, reopen: true })).toMatchObject({ state: 'new' });
});

test('a renewal whose answer was lost still counts: what follows looks first', async () => {
  const { store, stepsOf, lost } = createEngine();
  const claim = await claimed(store, 'k');
  lost.add('write');

  await expect(store.renew('k', claim, { leaseMs: 60_000, note: 'sent' })).rejects.toThrow(StoreError);

  expect(await stepsOf(async () => expect(await store.settle('k', claim, 'paid')).toBe(true))).toEqual([
    'read',
    'write',
  ]);
  expect(await store.read('k')).toEqual({ state: 'finished', result: 'paid' });
});

test('a settlement whose answer was lost is not made again', async () => {
  const { store, lost } = createEngine();
  const claim = await claimed(store, 'k');
  lost.add('write');
  await expect(store.settle('k', claim, 'paid')).rejects.toThrow(StoreError);

  expect(await store.settle('k', claim, 'other')).toBe(false);
  expect(await store.read('k')).toEqual({ state: 'finished', result: 'paid' });
});

test('a claim is settled by another process that has its name', async () => {
  const { store, documents } = createEngine();
  const claim = await claimed(store, 'k');
  await store.renew('k', claim, { leaseMs: 60_000, note: 'n' });

  expect(await createClaims(documents).settle('k', claim, 'done')).toBe(true);

  expect(await store.settle('k', claim, 'late')).toBe(false);
  await store.release('k', claim);
  expect(await store.read('k')).toEqual({ state: 'finished', result: 'done' });
});

test('the memory of claims has an end, and a forgotten claim is looked up', async () => {
  const { store, stepsOf } = createEngine();
  const first = await claimed(store, 'first');
  for (let count = 0; count < 10_000; count += 1) await store.claim(`k${count}`, options);

  expect(await stepsOf(() => store.settle('first', first, 'done'))).toEqual(['read', 'write']);
  expect(await store.read('first')).toEqual({ state: 'finished', result: 'done' });
});

test('of two that take over the same note at once, one gets it', async () => {
  const { store, documents, endLeases } = createEngine();
  await store.renew('k', await claimed(store, 'k'), { leaseMs: 60_000, note: 'n' });
  endLeases();

  const claims = await Promise.all([store.claim('k', options), createClaims(documents).claim('k', options)]);

  expect(claims.map(({ state }) => state).toSorted()).toEqual(['in-progress', 'unknown']);
});

test('a note that is renewed while another takes it over is what the other gets', async () => {
  const { store, documents, kept } = createEngine();
  const claim = await claimed(store, 'k');
  await store.renew('k', claim, { leaseMs: 60_000, note: 'first' });
  const held = kept.get('k');
  let isOver = true;
  // The clock is set back after the other has seen the end of the lease.
  const other = createClaims({
    ...documents,
    write: async (key, next, expected) => {
      const found = await documents.write(key, next, expected);
      if (!isOver || !held || !found || found === 'done') return found;
      isOver = false;
      await store.renew('k', claim, { leaseMs: 0, note: 'second' });
      return { ...held, ageMs: 60_000 };
    },
  });

  expect(await other.claim('k', options)).toMatchObject({ state: 'unknown', note: 'second' });
});

test('nothing is kept as null: the key stays finished', async () => {
  const { store } = createEngine();

  await store.settle('k', await claimed(store, 'k'), undefined as never);

  expect(await store.claim('k', options)).toEqual({ state: 'finished', result: null });
});

test('what a driver sends a second time, after the first was done, is done', async () => {
  const { documents } = createEngine();
  const write: Documents['write'] = async (...change) => {
    await documents.write(...change);
    return documents.write(...change);
  };
  const store = createClaims({ ...documents, write });
  const taken = await store.claim('k', options);
  expect(taken).toMatchObject({ state: 'new' });
  const claim = ('claim' in taken && taken.claim) || '';

  expect(await store.renew('k', claim, { leaseMs: 60_000, note: 'n' })).toBe(true);
  expect(await store.settle('k', claim, 'r')).toBe(true);
  expect(await store.settle('k', claim, 'again')).toBe(false);
  expect(await store.read('k')).toEqual({ state: 'finished', result: 'r' });
});
