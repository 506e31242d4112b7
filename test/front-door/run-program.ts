import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { makeScratchFolder } from '../support/scratch-folder.ts';

/** How a program is run. */
export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The addresses of the fakes that stand for the vendors' hosts. */
  readonly vendors?: Readonly<Record<string, string>>;
  /** Puts files into its folder. */
  readonly prepare?: (folder: string) => Promise<unknown>;
  /** Such as `--test`. */
  readonly flags?: readonly string[];
}

/** A program of this folder as a process, in a folder of its own. */
export interface RunningProgram extends AsyncDisposable {
  readonly printed: () => string;
  readonly complained: () => string;
  /** Resolves as soon as it has printed this. */
  readonly hasPrinted: (text: string) => Promise<void>;
  /** The port on which it listens in place of 3000. */
  readonly port: Promise<number>;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** SIGTERM, as every host of processes sends it. */
  readonly stop: () => Promise<number | NodeJS.Signals>;
}

const fileOf = (name: string, base = import.meta.url) => fileURLToPath(new URL(name, base));
const preloads = ['../../scripts/from-source.js', 'on-loopback.ts'].flatMap((name) => ['--import', fileOf(name)]);

export const startProgram = async (
  name: string,
  { env = {}, vendors = {}, prepare, flags = [] }: ProgramOptions = {},
): Promise<RunningProgram> => {
  const folder = await makeScratchFolder();
  await prepare?.(folder.path);
  const child = spawn(process.execPath, [...preloads, ...flags, fileOf(name)], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env['PATH'], NO_COLOR: '1', VENDORS: JSON.stringify(vendors), ...env },
  });
  let [printed, complained] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complained += text));
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode ?? 'SIGKILL');
  const early = ended.then((end): never => {
    throw new Error(`${name} ended with ${end}\n${printed}${complained}`);
  });
  const port = Promise.race([once(child, 'message').then(([port]: number[]) => Number(port)), early]);
  port.catch(() => undefined);
  return {
    printed: () => printed,
    complained: () => complained,
    hasPrinted: async (text) => {
      while (!printed.includes(text)) await Promise.race([once(child.stdout!, 'data'), early]);
    },
    port,
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      await folder.remove();
    },
  };
};

/** Runs a program to its end: what it printed, and what it wrote to standard error. */
export const runProgram = async (name: string, options: ProgramOptions = {}) => {
  await using program = await startProgram(name, options);
  const end = await program.ended;
  return { end, printed: program.printed(), complained: program.complained() };
};
