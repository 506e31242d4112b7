import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Sends to the error output what anything but the terminal writes to the standard output, such as `console.log` or a
 * logger. The standard output is a protocol or JSON that a program reads.
 * Call it after the terminal was made and before anything of the application is loaded. A worker thread that opens the file
 * by itself isn't reached, nor is a child process that inherits it.
 */
export const divertOutput = (process: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void => {
  const { stdout, stderr } = process;
  stdout.write = stderr.write.bind(stderr);
  // What ends it, or takes its file, ends nothing of ours.
  Object.defineProperty(process, 'stdout', { value: stderr });
  for (const name of writers) {
    const original: (file: number, ...rest: never[]) => unknown = fs[name];
    Object.assign(fs, { [name]: toErrors(original) });
  }
  syncBuiltinESMExports();
};

const writers = [
  'write',
  'writeSync',
  'writev',
  'writevSync',
  'writeFile',
  'writeFileSync',
  'appendFile',
  'appendFileSync',
] as const;

const toErrors =
  (write: (file: number, ...rest: never[]) => unknown) =>
  (file: number, ...rest: never[]): unknown =>
    write(file === standardOutput ? errorOutput : file, ...rest);

const standardOutput = 1;
const errorOutput = 2;
