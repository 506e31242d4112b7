import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe } from 'vitest';
import { until } from './until.ts';

/** A real server of one test, on loopback, with its files in a folder of its own. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Ends it as its operator would, and waits for that. */
  readonly stop: () => Promise<void>;
  /** SIGKILL: it writes nothing any more. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port and the same files. Resolves when it answers. */
  readonly restart: () => Promise<void>;
  /** SIGSTOP: it takes connections and answers nothing. Resolves when it has stopped, which another core may do later. */
  readonly freeze: () => Promise<void>;
  /** SIGCONT. */
  readonly thaw: () => void;
}

/** Finds a program: in a folder of `PATH`, or of `folders`, patterns of which the last match counts. */
export const findProgram = (name: string, folders: readonly string[] = []): string | undefined =>
  [...(process.env.PATH ?? '').split(':'), ...folders.flatMap((folder) => globSync(folder).toSorted().toReversed())]
    .map((folder) => join(folder, name))
    .find(isExecutable);

const isExecutable = (path: string) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * `describe`, skipped by name where a program is not installed; with `REQUIRE_SERVERS` in the environment that is an
 * error instead, so that a skipped suite doesn't look like a passed one.
 */
export const describeWith = (program: string, isThere: boolean) => (title: string, suite: () => void) => {
  if (!isThere && process.env.REQUIRE_SERVERS) throw new Error(`${title} needs ${program}, which is not installed`);
  const why = isThere ? '' : ` (skipped: ${program} is not installed)`;
  describe.skipIf(!isThere)(`${title}${why}`, () => {
    suite();
  });
};

export interface ServerProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** @defaultValue the user of this process */
  readonly user?: User | undefined;
  /** Rejects while the server does not answer. */
  readonly ping: () => Promise<void>;
  /** Ends the server in order. */
  readonly stopSignal: 'SIGTERM' | 'SIGINT';
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Starts a server and waits until it answers. Ended with the process that started it. */
export const startServerProcess = async (
  options: ServerProcessOptions,
): Promise<Omit<TestServer, 'port' | 'url' | typeof Symbol.asyncDispose>> => {
  const { program, args, cwd, user, ping, stopSignal } = options;
  let running: ChildProcess | undefined;

  const launch = async () => {
    let complaint = '';
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...user });
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-4_000)));
    const killWithUs = () => child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));
    running = child;
    while (hasNotEnded(child)) {
      const answers = await ping().then(
        () => true,
        () => false,
      );
      if (answers) return true;
      await wait(20);
    }
    lastComplaint = complaint;
    return false;
  };

  let lastComplaint = '';

  /** Tries again for a moment: the system frees the shared memory of a killed server late. */
  const start = async () => {
    for (let tries = 0; tries < 20; tries += 1) {
      if (await launch()) return;
      await wait(100);
    }
    throw new Error(`${program} does not start\n${lastComplaint}`);
  };

  const end = async (signal: NodeJS.Signals) => {
    const child = running;
    if (!child || !hasNotEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
  };

  await start();
  return {
    stop: () => end(stopSignal),
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end(stopSignal);
      await start();
    },
    freeze: async () => {
      running?.kill('SIGSTOP');
      await until(() => isStopped(running?.pid));
    },
    thaw: () => void running?.kill('SIGCONT'),
  };
};

/** From the system: proc(5), the letter behind the name in parentheses. */
const isStopped = (pid: number | undefined): boolean =>
  !existsSync('/proc/self/stat') || /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

const hasNotEnded = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

/** A port of loopback that is free at this moment. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  server.close();
  await once(server, 'close');
  return address.port;
};

/** The user and group of a name, if the system knows it. */
export const userOf = (name: string): User | undefined => {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
};
