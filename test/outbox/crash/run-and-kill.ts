import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from '../../support/fast-check.ts';
import type { Receiver } from './receiver.ts';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Lets a child work until a random moment: while it starts, or in the middle of its first few hundred publications. */
export const runAndKill = async (options: readonly string[], acknowledged: Set<string>, random: () => number) => {
  let left = Math.floor(random() * 300);
  const enough = Promise.withResolvers<void>();
  const running = run(options, (key) => {
    acknowledged.add(key);
    left -= 1;
    if (left < 0) enough.resolve();
  });
  await Promise.race([random() < 0.1 ? wait(random() * 300) : enough.promise, running.ended]);
  await running.kill();
};

/** A child that publishes and delivers; `onKey` gets what was acknowledged. */
export const run = (options: readonly string[], onKey: (key: string) => void) => {
  const running = spawn(process.execPath, [child, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(running, 'close');
  createInterface({ input: running.stdout }).on('line', onKey);
  const kill = async () => {
    running.kill('SIGKILL');
    await ended;
  };
  return { ended, kill };
};

/** Delivers until nothing is left. Its exit code. */
export const drain = async (address: string, url: string): Promise<number> => {
  const drained = spawn(process.execPath, [child, address, url, 'drain', 'drain'], { stdio: 'inherit' });
  const [code] = (await once(drained, 'exit')) as [number];
  return code;
};

/** What of that was acknowledged never arrived, and how many deliveries there were too many, as a part of all. */
export const judge = (acknowledged: ReadonlySet<string>, { effects, deliveries }: Receiver) => ({
  lost: [...acknowledged].filter((key) => !effects.has(key)),
  differentBodies: new Set(effects.values()).size,
  repeated: (deliveries() - effects.size) / effects.size,
});

/** Numbers from 0 to 1, the same for the same seed. They repeat after ten thousand. */
export const randomFrom = (seed: number): (() => number) => {
  const draws = fc.sample(fc.integer({ min: 0, max: 999_999 }), { seed, numRuns: 10_000, unbiased: true });
  let at = 0;
  return () => (draws[at++ % draws.length] ?? 0) / 1_000_000;
};
