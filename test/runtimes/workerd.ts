import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** On the newest compatibility date Node's modules are there by themselves; an older one needs a flag for them. */
export const settings = {
  now: 'compatibilityDate = "2026-10-01"',
  flag: 'compatibilityDate = "2025-09-15", compatibilityFlags = ["nodejs_compat"]',
  bare: 'compatibilityDate = "2026-10-01", compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"]',
} as const;

export type Setting = keyof typeof settings;

/** Bundles a worker as one does for Cloudflare, into `file`; what it imports is found from `folder`. */
export const bundleWorker = async (code: string, folder: string, file: string): Promise<void> => {
  await build({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    outfile: join(folder, file),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*'],
    logLevel: 'silent',
  });
};

/** A worker that listens on this machine, and may ask other servers of it. */
export interface RunningWorker extends AsyncDisposable {
  readonly url: string;
}

/** Starts workerd with a bundled worker; rejects with what it says when the worker cannot be loaded. */
export const startWorker = async (file: string, setting: Setting): Promise<RunningWorker> => {
  const config = file.replace(/\.js$/, `.${setting}.capnp`);
  await writeFile(config, configOf(basename(file), settings[setting]));
  const child = spawn(workerd, ['serve', '--control-fd=3', config], {
    cwd: dirname(file),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const port = await portOf(child);
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () => {
      child.kill();
      return ended;
    },
  };
};

const workerd = fileURLToPath(new URL('node_modules/.bin/workerd', import.meta.url));

const configOf = (file: string, compatibility: string) => `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [(name = "main", worker = .worker), (name = "loopback", network = (allow = ["private"]))],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
  );
  const worker :Workerd.Worker = (
    modules = [(name = "worker", esModule = embed "${file}")],
    globalOutbound = "loopback",
    ${compatibility}
  );
`;

/** workerd prints on its third stream where it listens. */
const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let [told, complained] = ['', ''];
    const [, , errors, control] = child.stdio;
    if (!(errors instanceof Readable && control instanceof Readable))
      throw new Error('workerd was started without pipes');
    errors.on('data', (text: Buffer) => (complained += text));
    control.on('data', (text: Buffer) => {
      told += text;
      const port = /"listen".*"port":(\d+)/.exec(told)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(complained)));
  });
