import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the server in a process of its own; it ends when this is disposed of, or with this process. */
export const startServer = async (): Promise<Disposable & { readonly baseUrl: string }> => {
  const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), { execArgv: [] });
  const [port]: unknown[] = await once(server, 'message');
  return { baseUrl: `http://127.0.0.1:${String(port)}`, [Symbol.dispose]: () => server.disconnect() };
};
