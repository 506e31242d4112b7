import { once } from 'node:events';
import { connect } from 'node:net';
import { makeScratchFolder } from './scratch-folder.ts';
import { describeWith, findProgram, freePort, startServerProcess, type TestServer } from './server-process.ts';

const program = findProgram('redis-server') ?? findProgram('valkey-server');

/** `describe` for tests that need a real Redis; skipped by name where none is installed. */
export const describeWithRedis = describeWith('redis-server', program !== undefined);

export interface RedisServerOptions {
  /** The time at which the append-only file is flushed; `off`: nothing is written to disk. @defaultValue 'off' */
  readonly appendOnly?: 'always' | 'everysec' | 'off';
  /** More settings of redis.conf, such as `{ 'maxmemory-policy': 'allkeys-lru' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A real Redis without a password, which evicts nothing. */
export const startRedisServer = async ({
  appendOnly = 'off',
  settings = {},
}: RedisServerOptions = {}): Promise<TestServer> => {
  if (!program) throw new Error('redis-server is not installed');
  const [folder, port] = await Promise.all([makeScratchFolder(), freePort()]);
  const configuration = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder.path,
    save: '',
    appendonly: appendOnly === 'off' ? 'no' : 'yes',
    appendfsync: appendOnly === 'always' ? 'always' : 'everysec',
    'maxmemory-policy': 'noeviction',
    ...settings,
  };
  const process = await startServerProcess({
    program,
    args: Object.entries(configuration).flatMap(([name, value]) => [`--${name}`, value]),
    cwd: folder.path,
    ping: () => ping(port),
    stopSignal: 'SIGTERM',
  });
  return {
    ...process,
    port,
    url: `redis://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      await process.kill();
      await folder.remove();
    },
  };
};

/** Rejects when it does not answer, or is still loading its files. */
const ping = async (port: number): Promise<void> => {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer')));
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (!answer.toString().startsWith('+PONG')) throw new Error(answer.toString());
  } finally {
    socket.destroy();
  }
};
