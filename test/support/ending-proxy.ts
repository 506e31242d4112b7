import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A way to a PostgreSQL on loopback that ends some connections at the worst moment. */
export interface EndingProxy extends AsyncDisposable {
  readonly port: number;
  /** The number of connections that were ended so far. */
  readonly ended: () => number;
}

/**
 * Ends the first `connections` connections as a server that shuts down does: with a FATAL error right behind the first
 * `ReadyForQuery`, in the same packet. https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export const startEndingProxy = async (
  target: number,
  { connections }: { readonly connections: number },
): Promise<EndingProxy> => {
  let left = connections;
  let ended = 0;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    let isDoomed = left > 0;
    left -= 1;
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far);
    far.on('data', (bytes) => {
      if (!isDoomed || !isReady(bytes)) return void near.write(bytes);
      isDoomed = false;
      ended += 1;
      near.end(Buffer.concat([bytes, shutDown]), () => near.destroy());
      far.destroy();
    });
    far.on('close', () => near.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ended: () => ended,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
};

/** Returns true if the last message is `ReadyForQuery`, outside a transaction. */
const isReady = (bytes: Buffer) => bytes.subarray(-6).equals(Buffer.from('Z\0\0\0\x05I', 'latin1'));

const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
const length = Buffer.alloc(4);
length.writeInt32BE(fields.length + 4);
const shutDown = Buffer.concat([Buffer.from('E'), length, Buffer.from(fields, 'latin1')]);
