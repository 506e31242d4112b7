import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** The Redis that `REDIS_URL` names, or one of its own that keeps what it acknowledges; nothing where none is installed. */
export const openRedis = async (): Promise<({ readonly url: string } & AsyncDisposable) | undefined> => {
  const url = process.env.REDIS_URL;
  if (url) return { url, [Symbol.asyncDispose]: async () => {} };

  const [folder, port] = [await mkdtemp(join(tmpdir(), 'scale-example-')), await freePort()];
  const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...settings];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  const close = async () => {
    if (server.pid !== undefined && server.exitCode === null) {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };

  const over = new AbortController();
  for (const event of ['error', 'exit']) server.once(event, () => over.abort());
  const isStarted = await answers(port, over.signal);
  if (isStarted) return { url: `redis://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
  await close();
  return undefined;
};

/** `false`: the server has ended, or is not installed. */
const answers = async (port: number, over: AbortSignal): Promise<boolean> => {
  while (!over.aborted) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return true;
    await wait(20);
  }
  return false;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
