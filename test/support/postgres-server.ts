import { chown, mkdir, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client, Pool, type PoolConfig } from 'pg';
import { makeScratchFolder } from './scratch-folder.ts';
import {
  describeWith,
  findProgram,
  freePort,
  startServerProcess,
  type TestServer,
  type User,
  userOf,
} from './server-process.ts';

/** Debian keeps the programs of each version in a folder outside `PATH`. */
const folders = ['/usr/lib/postgresql/*/bin'];
const program = findProgram('postgres', folders);
const initdb = findProgram('initdb', folders);

/** `describe` for tests that need a real PostgreSQL; skipped by name where none is installed. */
export const describeWithPostgres = describeWith('postgresql', program !== undefined && initdb !== undefined);

export interface PostgresServerOptions {
  /** Settings of postgresql.conf, such as `{ synchronous_commit: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A real PostgreSQL with one user, `postgres`, without a password. Commits are as safe as it makes them by default. */
export const startPostgresServer = async ({ settings = {} }: PostgresServerOptions = {}): Promise<TestServer> => {
  if (!program || !initdb) throw new Error('postgresql is not installed');
  const [folder, port] = await Promise.all([makeScratchFolder(), freePort()]);
  const user = whoRunsIt();
  const data = folder.file('data');
  await mkdir(data, { mode: 0o700 });
  if (user) await Promise.all([folder.path, data].map((path) => chown(path, user.uid, user.gid)));
  await promisify(execFile)(
    initdb,
    ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { cwd: folder.path, ...user },
  );
  const configuration = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    shared_buffers: '16MB',
    ...settings,
  };
  const lines = Object.entries(configuration).map(([name, value]) => `${name} = '${value}'\n`);
  await writeFile(`${data}/postgresql.conf`, lines.join(''), { flag: 'a' });

  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const process = await startServerProcess({
    program,
    args: ['-D', data],
    cwd: folder.path,
    user,
    ping: () => ping(url),
    // "Fast shutdown": ends the connections that are open.
    stopSignal: 'SIGINT',
  });
  return {
    ...process,
    port,
    url,
    [Symbol.asyncDispose]: async () => {
      await process.stop();
      await folder.remove();
    },
  };
};

/** Connections to it that outlive its stops and kills: queries report what breaks. */
export const openPool = ({ url }: TestServer, options: PoolConfig = {}): Pool => {
  const pool = new Pool({ connectionString: url, ...options });
  pool.on('error', () => undefined);
  // After `end` a pool has no ears any more, and its connections may still be closing.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
};

/** PostgreSQL refuses to be run by root. */
const whoRunsIt = (): User | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const names = ['postgres', 'nobody'];
  const user = names.map(userOf).find((found) => found !== undefined);
  if (!user) throw new Error(`root can't run PostgreSQL; make one of these users: ${names.join(', ')}`);
  return user;
};

const ping = async (connectionString: string): Promise<void> => {
  const client = new Client({ connectionString, connectionTimeoutMillis: 1_000 });
  // When a server ends meanwhile, the rejection says so.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
};
