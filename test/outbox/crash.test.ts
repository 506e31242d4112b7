import { expect, test } from 'vitest';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startReceiver } from './crash/receiver.ts';
import { drain, judge, randomFrom, runAndKill } from './crash/run-and-kill.ts';

/** Kills in each of the four tests. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 6);
const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

test.each([
  { workers: 1, faults: false, repeatedAtMost: 0.05 },
  { workers: 2, faults: false, repeatedAtMost: 0.08 },
  { workers: 1, faults: true, repeatedAtMost: Number.POSITIVE_INFINITY },
  { workers: 2, faults: true, repeatedAtMost: Number.POSITIVE_INFINITY },
])(
  `killed ${rounds} times with $workers worker(s), faults $faults: nothing acknowledged is lost, nothing is done twice (seed ${seed})`,
  async ({ workers, faults, repeatedAtMost }) => {
    const random = randomFrom(seed);
    await using folder = await makeScratchFolder();
    await using receiver = await startReceiver({ faults, random });
    const acknowledged = new Set<string>();
    const file = folder.file('outbox.db');

    for (let round = 0; round < rounds; round += 1) {
      const names = Array.from({ length: workers }, (_, worker) => `${round}-${worker}`);
      await Promise.all(names.map((name) => runAndKill([file, receiver.url, name], acknowledged, random)));
    }
    expect(await drain(file, receiver.url)).toBe(0);

    const { lost, differentBodies, repeated } = judge(acknowledged, receiver);
    expect(acknowledged.size).toBeGreaterThan(rounds);
    expect(lost).toEqual([]);
    expect(receiver.contradictions).toEqual([]);
    expect(differentBodies).toBe(receiver.effects.size);
    expect(repeated).toBeLessThan(repeatedAtMost);
  },
);
