import { spawn } from 'node:child_process';

/** The folder and the time of {@link runCommand}. */
export interface CommandOptions {
  readonly cwd: string;
  /** @defaultValue 60000 */
  readonly timeoutMs?: number;
  /** Added to the environment of this process; `undefined` removes. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a program without input to its end and gives what it printed; rejects with all of it when the program fails. */
export const runCommand = (
  command: string,
  args: readonly string[],
  { cwd, timeoutMs = 60_000, env = {} }: CommandOptions,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
    });
    let [printed, complained] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`${[command, ...args].join(' ')} ended with ${signal ?? code}\n${printed}${complained}`));
    });
  });
