import { expect, test } from 'vitest';
import {
  createClaims,
  type Documents,
  isAsExpected,
  type KeptDocument,
  type NextDocument,
} from '../../src/stores/claims.ts';
import fc from '../support/fast-check.ts';

/** The end of a step: an answer, or none, after it was done or instead. */
type Fault = 'none' | 'not done' | 'done';

interface Command {
  readonly process: 0 | 1;
  readonly does: 'claim' | 'renew' | 'settle' | 'release' | 'wait';
  readonly leaseMs: number;
  readonly value: number;
  readonly reopen: boolean;
  readonly faults: readonly Fault[];
}

/** The states that a key may have, in the words of {@link stateOf}: several ways after an answer that was lost. */
type Possible = readonly string[];

const commands = fc.array(
  fc.record<Command>({
    process: fc.constantFrom(0, 1),
    does: fc.constantFrom('claim', 'claim', 'renew', 'settle', 'release', 'wait'),
    leaseMs: fc.constantFrom(0, 50, 100),
    value: fc.nat(9),
    reopen: fc.boolean(),
    faults: fc.array(fc.constantFrom<Fault[]>('none', 'none', 'none', 'not done', 'done'), { maxLength: 3 }),
  }),
  { maxLength: 40 },
);

const createEngine = () => {
  let now = 0;
  let faults: Fault[] = [];
  let entry: (NextDocument & { readonly writtenAt: number }) | undefined;
  const find = (): KeptDocument | undefined => entry && { ...entry, ageMs: now - entry.writtenAt };
  const step = async <T>(work: () => T): Promise<T> => {
    const fault = faults.shift() ?? 'none';
    if (fault === 'not done') throw new Error('lost');
    const result = work();
    if (fault === 'done') throw new Error('lost');
    return result;
  };
  const documents: Documents = {
    read: () => step(find),
    write: (_key, next, expected) =>
      step(() => {
        if (!isAsExpected(find(), expected)) return find();
        entry = { ...next, writtenAt: now };
        return 'done' as const;
      }),
    remove: (_key, expected) =>
      step(() => {
        if (!isAsExpected(find(), expected)) return find();
        entry = undefined;
        return 'done' as const;
      }),
  };
  return {
    documents,
    now: () => now,
    wait: (ms: number) => void (now += ms),
    failing: (next: readonly Fault[]) => void (faults = [...next]),
  };
};

const stateOf = (claim: { readonly state: string; readonly note?: unknown; readonly result?: unknown }): string =>
  claim.state === 'new' ? 'new' : `${claim.state} ${JSON.stringify(claim.note ?? claim.result)}`;

test('whatever answers are lost: one holder at a time, no end is forgotten, and a live claim is never refused', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      const { documents, now, wait, failing } = createEngine();
      const stores = [createClaims(documents), createClaims(documents)];
      const claims = ['', ''];
      let possible: Possible = ['new'];
      /** The lease of the last claim that was granted: it certainly lasts until the first, and at most until the last moment. */
      let holder = { claim: '', surelyUntil: 0, perhapsUntil: 0 };

      let lostUntil = 0;
      const problems: string[] = [];
      const must = (holds: boolean, problem: string) => {
        if (!holds) problems.push(problem);
      };

      const isSurelyHeld = (claim: string) => claim === holder.claim && now() < holder.surelyUntil;

      for (const { process, does, leaseMs, value, reopen, faults } of all) {
        if (does === 'wait') {
          wait(leaseMs);
          continue;
        }
        const store = stores[process] as ReturnType<typeof createClaims>;
        const own = claims[process] ?? '';
        failing(faults);
        if (does === 'claim') {
          const options = { fingerprint: 'f', leaseMs: 100, retainMs: 1e9, reopen };
          const claimed = await store.claim('k', options).catch(() => undefined);
          if (!claimed) {
            // It may have been granted to no one.
            if (now() >= holder.surelyUntil) lostUntil = now() + 100;
          } else if (claimed.state === 'in-progress') {
            must(now() < Math.max(holder.perhapsUntil, lostUntil), 'in progress, and no one has it');
          } else {
            const claim = 'claim' in claimed ? claimed.claim : undefined;
            must(possible.includes(stateOf(claimed)), `${stateOf(claimed)} instead of ${String(possible)}`);
            if (claim === undefined) continue;
            must(now() >= holder.surelyUntil, 'two have it');
            possible = [stateOf(claimed)];
            claims[process] = claim;
            holder = { claim, surelyUntil: now() + 100, perhapsUntil: now() + 100 };
          }
          continue;
        }
        const isHeld = isSurelyHeld(own);
        const mayBeHeld = own === holder.claim && now() < holder.perhapsUntil;
        const next = { renew: `unknown ${value}`, settle: `finished ${value}`, release: 'new' }[does];
        const until = does === 'renew' ? now() + leaseMs : now();
        const work = {
          renew: () => store.renew('k', own, { leaseMs, note: value }),
          settle: () => store.settle('k', own, value),
          release: () => store.release('k', own).then(() => isHeld || 'perhaps'),
        }[does];
        const done = await work().catch(() => 'perhaps' as const);
        if (done === true) {
          must(mayBeHeld, 'changed without a claim');
          possible = [next];
          holder = { claim: own, surelyUntil: until, perhapsUntil: until };
        } else if (done === false) {
          must(!isHeld, 'a live claim was refused');
        } else if (mayBeHeld) {
          possible = [...possible, next];
          holder = {
            claim: own,
            surelyUntil: Math.min(holder.surelyUntil, until),
            perhapsUntil: Math.max(holder.perhapsUntil, until),
          };
        }
      }
      expect(problems).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
});
