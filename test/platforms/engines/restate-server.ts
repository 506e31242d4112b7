import { writeFile } from 'node:fs/promises';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createEndpointHandler, type ServiceDefinition } from '@restatedev/restate-sdk';
import { freePort, startServerProcess, type TestServer } from '../../support/server-process.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

/** Restate itself, from npm, on loopback and on a folder of its own. */
export interface RestateServer extends Pick<TestServer, 'kill' | 'restart'>, AsyncDisposable {
  /** The address for invocations. */
  readonly ingress: string;
  /** Makes a worker known. */
  readonly register: (workerUrl: string) => Promise<void>;
}

export const startRestate = async (): Promise<RestateServer> => {
  const folder = await makeScratchFolder();
  const [node, admin, ingress] = [await freePort(), await freePort(), await freePort()];
  const bind = (port: number) => `bind-address = "127.0.0.1:${port}"\nadvertised-address = "http://127.0.0.1:${port}"`;
  await writeFile(
    folder.file('restate.toml'),
    `disable-telemetry = true
base-dir = "${folder.file('data')}"
default-num-partitions = 1
listen-mode = "tcp"
rocksdb-total-memory-size = "64 MiB"
${bind(node)}
[admin]
${bind(admin)}
[ingress]
${bind(ingress)}
`,
  );
  const adminUrl = `http://127.0.0.1:${admin}`;
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  const server = await startServerProcess({
    program: fileURLToPath(
      import.meta.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`),
    ),
    args: ['--no-logo', '--config-file', folder.file('restate.toml')],
    cwd: folder.path,
    stopSignal: 'SIGTERM',
    ping: async () => {
      for (const url of [`${adminUrl}/health`, `${ingressUrl}/restate/health`])
        if (!(await fetch(url)).ok) throw new Error('not up yet');
    },
  });
  return {
    ...server,
    ingress: ingressUrl,
    register: async (uri) => {
      const answer = await fetch(`${adminUrl}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri, force: true }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    [Symbol.asyncDispose]: async () => {
      await server.kill();
      await folder.remove();
    },
  };
};

/** A process' worker: serves steps to Restate until it's killed, which cuts what it was doing. */
export const startWorker = async (
  steps: ServiceDefinition<string, unknown>,
  port = 0,
): Promise<{ readonly url: string; readonly port: number; readonly kill: () => Promise<void> }> => {
  const server: Http2Server = createServer(createEndpointHandler({ services: [steps], logger: () => {} }));
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    kill: async () => {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
