import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { MessageQueueWithAdmin } from '../../../src/stores/ports/message-queue.ts';

/**
 * One message kills every process that handles it, nine others are in flight with it. Starts a process again as often
 * as it dies, and expects the nine to be handled and the one to be a dead letter.
 */
export const expectPoisonToDieAlone = async (address: string, queue: MessageQueueWithAdmin): Promise<void> => {
  const neighbours = Array.from({ length: 9 }, (_, index) => `m${index}`);
  await queue.enqueue(['poison', ...neighbours].map((id) => ({ id, group: 'g', payload: null })));
  const handled: string[] = [];
  let isOver = false;

  const runProcesses = async () => {
    while (!isOver) {
      const child = spawn(process.execPath, [childFile, address], { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.on('data', (bytes: Buffer) => handled.push(...bytes.toString().split('\n').filter(Boolean)));
      const exit = once(child, 'exit');
      while (!isOver && child.exitCode === null && child.signalCode === null) await sleep(20);
      child.kill('SIGKILL');
      await exit;
    }
  };

  const running = runProcesses();
  try {
    for (;;) {
      const { ready, delayed, leased } = await queue.admin.stats();
      if (ready + delayed + leased === 0) break;
      await sleep(50);
    }
  } finally {
    isOver = true;
    await running;
  }

  expect((await queue.admin.deadLetters()).map(({ id, reason }) => [id, reason])).toEqual([
    ['poison', 'attempts_exhausted'],
  ]);
  expect(handled.toSorted()).toEqual(neighbours);
};

const childFile = new URL('child.ts', import.meta.url).pathname;
