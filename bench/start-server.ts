import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Identity } from '../test/support/certificates.ts';

/** Starts the server in a process of its own, over TLS if it's given an identity; it ends when this is disposed of, or with this process. */
export const startServer = async (tls?: Identity): Promise<Disposable & { readonly baseUrl: string }> => {
  const identity = tls ? [tls.certificate, tls.key] : [];
  const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), identity, { execArgv: [] });
  const [port]: unknown[] = await once(server, 'message');
  const baseUrl = `${tls ? 'https' : 'http'}://127.0.0.1:${String(port)}`;
  return { baseUrl, [Symbol.dispose]: () => server.disconnect() };
};
