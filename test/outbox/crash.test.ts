import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startReceiver } from './crash/receiver.ts';

/** Kills in each of the four tests. */
const rounds = Number(process.env.CRASH_ROUNDS ?? (process.env.CI ? 50 : 15));
const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

const child = fileURLToPath(new URL('./crash/child.ts', import.meta.url));

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
    const drained = spawn(process.execPath, [child, file, receiver.url, 'drain', 'drain'], { stdio: 'inherit' });
    expect(await once(drained, 'exit')).toEqual([0, null]);

    const lost = [...acknowledged].filter((key) => !receiver.effects.has(key));
    const bodies = new Set(receiver.effects.values());
    const repeated = (receiver.deliveries() - receiver.effects.size) / receiver.effects.size;
    expect(acknowledged.size).toBeGreaterThan(rounds);
    expect(lost).toEqual([]);
    expect(receiver.contradictions).toEqual([]);
    expect(bodies.size).toBe(receiver.effects.size);
    expect(repeated).toBeLessThan(repeatedAtMost);
  },
);

/** Lets a child work until a random moment: while it starts, or in the middle of its first few hundred publications. */
const runAndKill = async (options: readonly string[], acknowledged: Set<string>, random: () => number) => {
  const running = spawn(process.execPath, [child, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(running, 'close');
  let left = Math.floor(random() * 300);
  const enough = Promise.withResolvers<void>();
  createInterface({ input: running.stdout }).on('line', (key) => {
    acknowledged.add(key);
    left -= 1;
    if (left < 0) enough.resolve();
  });
  await Promise.race([random() < 0.1 ? wait(random() * 300) : enough.promise, ended]);
  running.kill('SIGKILL');
  await ended;
};

/** The same numbers for the same seed. https://en.wikipedia.org/wiki/Linear_congruential_generator */
const randomFrom = (seed: number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
