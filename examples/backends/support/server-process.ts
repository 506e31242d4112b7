import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { env as ownEnv } from 'node:process';
import { fileURLToPath } from 'node:url';

/** A backend as it runs in production: a process that reads its environment. */
export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly printed: () => string;
  /** SIGTERM, as every host of processes sends it. Resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
}

const fromSource = new URL('../../../scripts/from-source.js', import.meta.url).href;

/** Starts it on a free port of loopback, and resolves when it listens. */
export const startServerProcess = async (file: URL, env: Readonly<Record<string, string>>): Promise<ServerProcess> => {
  const child = spawn(process.execPath, ['--import', fromSource, fileURLToPath(file)], {
    env: { PATH: ownEnv['PATH'], PORT: '0', HOST: '127.0.0.1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let printed = '';
  const port = await new Promise<number>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        const found = /Listening on port (\d+)/.exec(printed)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    void ended.then(() => reject(new Error(`The server did not start:\n${printed}`)));
  });
  return {
    port,
    printed: () => printed,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
