import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Sends what anything but the terminal writes to the standard output to the error output: `console.log` of the
 * application, a logger that writes to the file itself. The standard output is a protocol or JSON that a program reads.
 * Call it after the terminal was made and before anything of the application is loaded. A worker thread or a child process
 * that opens the file by itself isn't reached.
 */
export const divertOutput = ({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void => {
  stdout.write = stderr.write.bind(stderr);
  for (const name of ['write', 'writeSync', 'writev', 'writevSync'] as const) {
    const original: (file: number, ...rest: never[]) => unknown = fs[name];
    Object.assign(fs, { [name]: toErrors(original) });
  }
  syncBuiltinESMExports();
};

const toErrors =
  (write: (file: number, ...rest: never[]) => unknown) =>
  (file: number, ...rest: never[]): unknown =>
    write(file === standardOutput ? errorOutput : file, ...rest);

const standardOutput = 1;
const errorOutput = 2;
