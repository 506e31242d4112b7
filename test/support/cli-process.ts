import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const main = fileURLToPath(new URL('dist/dev/cli/main.js', root));

export interface CliProcessOptions {
  readonly cwd?: string;
  /** In place of that of this process, but for `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Given to its standard input. @defaultValue nothing */
  readonly input?: string;
  /** Its standard output is not read. */
  readonly unread?: boolean;
}

/** The command line as a process of its own, as it is built. */
export interface CliProcess extends AsyncDisposable {
  readonly printed: () => string;
  readonly noted: () => string;
  /** Resolves as soon as it has printed this. */
  readonly hasPrinted: (pattern: RegExp) => Promise<void>;
  readonly interrupt: () => void;
  readonly end: Promise<{
    readonly exitCode: number | NodeJS.Signals;
    readonly printed: string;
    readonly noted: string;
  }>;
}

export const startCli = (
  words: readonly string[],
  { cwd = fileURLToPath(root), env = {}, input, unread = false }: CliProcessOptions = {},
): CliProcess => {
  const child = spawn(process.execPath, [main, ...words], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  let [printed, noted] = ['', ''];
  const looking = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    for (const look of looking) look();
  });
  if (unread) child.stdout.destroy();
  child.stderr.setEncoding('utf8').on('data', (text: string) => (noted += text));
  child.stdin.end(input ?? '');
  const end: CliProcess['end'] = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ exitCode: code ?? signal ?? 'SIGKILL', printed, noted }));
  });
  return {
    printed: () => printed,
    noted: () => noted,
    hasPrinted: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(printed)) resolve();
        };
        looking.add(look);
        look();
        void end.then(() => reject(new Error(`It ended: ${printed}${noted}`)));
      }),
    interrupt: () => void child.kill('SIGINT'),
    end,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await end;
    },
  };
};
