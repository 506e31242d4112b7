import { randomUUID } from 'node:crypto';
import { equal } from 'node:assert/strict';
import { assertKnown, checkOptions, must } from '../../core/option-checks.ts';
import { assertDuration } from '../../core/timers.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import { type Check, type ChecksOf, leaveOut, type LeftOut, passReally } from './check.ts';
import { claimChecks } from './store-checks/claims.ts';
import { leaseChecks } from './store-checks/leases.ts';
import { assertHeld, putUnderCheck, type StoreUnderCheck } from './store-checks/under-check.ts';

/** The store to check, and how its time passes. */
export interface StoreCheckOptions {
  /** Opens the store. Each check uses keys of its own, so it may be the same one. */
  readonly open: () => IdempotencyStore | Promise<IdempotencyStore>;
  /** The names of checks that the store can't pass, each with the reason. @defaultValue none */
  readonly without?: LeftOut | undefined;
  /** The lease of a claim: as short as the store can keep one, since checks wait for its end. @defaultValue 1000 */
  readonly leaseMs?: number | undefined;
  /** Lets time pass, such as on a clock of your own. @defaultValue waits */
  readonly pass?: ((ms: number) => Promise<void>) | undefined;
  /** Sets the clock back by which leases end. @defaultValue what happens then isn't checked */
  readonly setClockBack?: ((ms: number) => Promise<void>) | undefined;
}

/**
 * Checks that an idempotency store of your own keeps what payments and webhooks rely on. A key has one holder at a time,
 * and nothing is settled by another. Each check is a name and a function that rejects with node's `AssertionError`. Any test
 * runner runs them, in any order. Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * for (const { name, run } of checksOfStore({ open: () => store })) test(name, run);
 */
export const checksOfStore = (options: StoreCheckOptions): readonly Check[] => {
  const { open, leaseMs = 1_000, pass = passReally, setClockBack } = options;
  checkOptions(undefined, [
    () =>
      assertKnown<StoreCheckOptions>(options, {
        open: true,
        without: true,
        leaseMs: true,
        pass: true,
        setClockBack: true,
      }),
    must(typeof open === 'function', 'open', 'must be a function that opens a store'),
    must(typeof pass === 'function', 'pass', 'must be a function of milliseconds'),
    () => assertDuration('leaseMs', leaseMs),
  ]);
  const all: ChecksOf<StoreUnderCheck> = {
    ...claimChecks,
    ...leaseChecks,
    ...(setClockBack && clockCheck(setClockBack)),
  };
  const run = async (work: (under: StoreUnderCheck) => Promise<void>) =>
    work(putUnderCheck(await open(), { key: `check-${randomUUID()}`, leaseMs, retainMs: 5 * leaseMs, pass }));
  return leaveOut(
    Object.entries(all).map(([name, work]) => ({ name, run: () => run(work) })),
    options.without,
  );
};

const clockCheck = (setClockBack: (ms: number) => Promise<void>): ChecksOf<StoreUnderCheck> => ({
  'holds a lease no longer when the clock is set back by an hour': async ({ claim, claimed, pass, leaseMs }) => {
    await claimed();
    await setClockBack(3_600_000);
    assertHeld(await claim(), leaseMs, 'A key that is claimed must be in-progress when the clock is set back');
    await pass(1.5 * leaseMs);
    equal((await claim()).state, 'new', 'A lease must not last longer when the clock is set back');
  },
});
