import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { heading, table } from './report.ts';
import { startServer } from './start-server.ts';

/** What one way of sending keeps of the memory. */
export interface Memory {
  readonly name: string;
  /** On the heap, after 10,000 calls and the collector, more than after the first 2,000. */
  readonly keptKib: number;
  /** RSS with 1,000 calls in flight to a server that takes 200 ms, more than before. */
  readonly inFlightMib: number;
}

/** Each in a process of its own, since memory that was once taken is not given back. */
export const measureMemory = async (): Promise<readonly Memory[]> => {
  using server = await startServer();
  const found: Memory[] = [];
  for (const index of [0, 1, 2, 3, 4, 5]) {
    const program = fileURLToPath(new URL('memory-of.ts', import.meta.url));
    const child = fork(program, [server.baseUrl, String(index)]);
    // memory-of.ts, next to this file, sends the message; where a call failed, there is only its exit.
    const told = once(child, 'message') as Promise<[Memory]>;
    const failed = once(child, 'exit').then(() =>
      Promise.reject(new Error(`memory-of.ts failed for subject ${index}`)),
    );
    const [memory] = await Promise.race([told, failed]);
    failed.catch(() => undefined);
    found.push(memory);
  }
  return found;
};

export const memoryReport = async (command: string): Promise<string> => {
  const all = await measureMemory();
  const [floor] = all;
  return [
    heading(command),
    '',
    '### Memory, each in a process of its own',
    '',
    table(
      ['GET', 'kept after 10,000 calls, KiB', 'RSS with 1,000 in flight, MiB', 'to the floor'],
      all.map(({ name, keptKib, inFlightMib }) => [
        name,
        keptKib.toFixed(0),
        inFlightMib.toFixed(1),
        (inFlightMib / (floor?.inFlightMib ?? Number.NaN)).toFixed(2),
      ]),
    ),
    '',
  ].join('\n');
};
