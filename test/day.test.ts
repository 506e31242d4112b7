import { env } from 'node:process';
import { expect, test } from 'vitest';
import { playDay } from './support/day.ts';

/** `npm run test:day` plays 500 calls of each seed. */
const calls = Number(env['DAY_CALLS'] ?? 40);
/** Each seed has platforms of its own. */
const seeds = (env['DAY_SEEDS'] ?? '1').split(',').map(Number);

test.each(seeds)(
  'after the calls of day %i, every record is where it must be, once, and as the agent said',
  { timeout: 600_000 },
  async (seed) => {
    const { wanted, wrong } = await playDay({ seed, calls });

    expect(wrong).toEqual([]);
    // The day has work of each kind, and faults that leave ends unknown.
    expect(new Set(wanted.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(9);
    expect(wanted.length).toBeGreaterThan(calls);
  },
);
