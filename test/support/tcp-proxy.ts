import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server on loopback that can be changed while connections are open, as a failover or a firewall does. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** The connections that are open stay open, and nothing passes through them any more. */
  readonly swallow: () => void;
  /** New connections lead there; those that are open stay where they are. */
  readonly leadTo: (port: number) => void;
}

export const startTcpProxy = async (first: number): Promise<TcpProxy> => {
  let target = first;
  const open = new Set<Socket>();
  const swallowed = new Set<Socket>();

  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined);
      from.on('data', (bytes) => void (swallowed.has(from) || to.write(bytes)));
      from.on('close', () => {
        open.delete(from);
        if (!swallowed.has(from)) to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    swallow: () => {
      for (const socket of open) swallowed.add(socket);
    },
    leadTo: (port) => {
      target = port;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
