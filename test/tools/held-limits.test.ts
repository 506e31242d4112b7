import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { StoreError } from '../../src/core/errors.ts';
import type { IdempotencyStore } from '../../src/stores/ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createToolbox, defineTool, type ToolEffect } from '../../src/tools/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const claimOptions = { fingerprint: 'limits', leaseMs: 5_000, retainMs: 60_000, reopen: true };

/** A toolbox of one tool, and what the tool and `onError` got. */
const start = (phoneCallStore: IdempotencyStore, effect: ToolEffect, idempotent?: boolean) => {
  const errors: [string, string][] = [];
  let runs = 0;
  const toolbox = createToolbox({
    tools: [
      defineTool({
        name: 'work',
        description: 'Works.',
        parameters: z.object({ amount: z.number() }),
        effect,
        idempotent,
        confirm: false,
        run: () => {
          runs += 1;
          return { success: true };
        },
      }),
    ],
    store: phoneCallStore,
    context: { callId: 'CA1' },
    onError: (error, { part }) => errors.push([part, Object(error).name]),
  });
  return { run: () => toolbox.run('work', { amount: 5 }), errors, runs: () => runs };
};

const effects: readonly (readonly [string, ToolEffect, boolean | undefined])[] = [
  ['a look-up', 'read', undefined],
  ['a write', 'write', undefined],
  ['an idempotent write', 'write', true],
  ['a payment', 'payment', undefined],
];
const unavailable = { status: 'failed', value: { error: 'temporarily_unavailable', reason: 'store' } };

describe('the limits of a phone call', () => {
  test.each(effects)('held by a process that was killed: %s is for later, and then done', async (_what, ...how) => {
    const store = createMemoryIdempotencyStore();
    const { run, errors, runs } = start(store, ...how);
    await store.claim('phone-call:["limits",null,"CA1"]', claimOptions);

    const first = run();
    await vi.advanceTimersByTimeAsync(2_100);
    expect(await first).toMatchObject(unavailable);
    expect([runs(), errors]).toEqual([0, [['store', 'StoreError']]]);

    await vi.advanceTimersByTimeAsync(2_000);
    const second = run();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await second).toMatchObject({ status: 'done' });
  });

  test.each(effects)('in a store that is down: %s is for later', async (_what, ...how) => {
    const claim = () => Promise.reject(new StoreError('no connection'));
    const { run, errors, runs } = start({ ...createMemoryIdempotencyStore(), claim, read: claim }, ...how);

    expect(await run()).toMatchObject(unavailable);
    expect([runs(), errors[0]]).toEqual([0, ['store', 'StoreError']]);
  });

  test('in a store that goes away: a payment that was made is reported as made', async () => {
    const memory = createMemoryIdempotencyStore();
    let isAway = false;
    const named =
      <Name extends 'claim' | 'read' | 'renew' | 'settle'>(name: Name): IdempotencyStore[Name] =>
      (...given: readonly never[]) =>
        isAway ? Promise.reject(new StoreError('no connection')) : (memory[name] as Called)(...given);
    const store = {
      ...memory,
      claim: named('claim'),
      read: named('read'),
      renew: named('renew'),
      settle: named('settle'),
    };
    const { run, runs } = start(store, 'payment');
    expect(await run()).toMatchObject({ status: 'done', replayed: false });
    isAway = true;

    expect(await run()).toMatchObject({ status: 'done', replayed: true, value: { success: true, already_paid: true } });
    expect(runs()).toBe(1);
  });
});

type Called = (...given: readonly never[]) => Promise<never>;
