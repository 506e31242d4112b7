import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const rounds = Number(process.env.CRASH_ROUNDS ?? 6);
const child = fileURLToPath(new URL('./crash/child.ts', import.meta.url));

/** Handled at once at the moment of a kill: these may run twice. */
const concurrency = 10;

test(`killed ${rounds} times: every acknowledged webhook is handled, and only what was being handled runs twice`, async () => {
  await using folder = await makeScratchFolder();
  const files = [folder.file('queue.db'), folder.file('claims.db'), folder.file('effects.txt')];
  const acknowledged = new Set<string>();

  for (let round = 0; round < rounds; round += 1) {
    const running = spawn(process.execPath, [child, ...files, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(running, 'close');
    let left = 20 + round * 10;
    for await (const id of createInterface({ input: running.stdout })) {
      acknowledged.add(id);
      left -= 1;
      if (left === 0) running.kill('SIGKILL');
    }
    await ended;
  }
  const drained = spawn(process.execPath, [child, ...files, 'drain'], { stdio: 'inherit' });
  expect(await once(drained, 'exit')).toEqual([0, null]);

  const effects = (await readFile(folder.file('effects.txt'), 'utf8')).trim().split('\n');
  const handled = new Set(effects);
  expect(acknowledged.size).toBeGreaterThan(rounds * 20);
  expect([...acknowledged].filter((id) => !handled.has(id))).toEqual([]);
  expect(effects.length - handled.size).toBeLessThanOrEqual(rounds * concurrency);
});
