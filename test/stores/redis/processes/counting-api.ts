import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A request as the API counts it. */
export interface Counted {
  readonly at: number;
  /** Which connection it came by, from 0. */
  readonly sender: number;
}

/** An API that counts what it gets, and lets all senders begin at once. */
export interface CountingApi extends AsyncDisposable {
  readonly port: number;
  readonly counted: readonly Counted[];
  /** Of each request that was asked for aloud: how many others were counted until it came. */
  readonly passedBy: readonly number[];
  /** Resolves when so many requests were counted. */
  readonly hasCounted: (count: number) => Promise<void>;
}

export const startCountingApi = async (senders: number): Promise<CountingApi> => {
  const counted: Counted[] = [];
  const passedBy: number[] = [];
  const sockets: Socket[] = [];
  let wanted = Number.POSITIVE_INFINITY;
  let enough = Promise.withResolvers<void>();

  const server = createServer((socket) => {
    const sender = sockets.push(socket) - 1;
    let askedAt: number | undefined;
    socket.setNoDelay(true).on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      const at = performance.now();
      for (const letter of text) {
        if (letter === '?') askedAt = counted.length;
        if (letter !== '!') continue;
        if (askedAt !== undefined) passedBy.push(counted.length - askedAt);
        counted.push({ at, sender });
      }
      if (counted.length >= wanted) enough.resolve();
    });
    if (sockets.length === senders) for (const each of sockets) each.write('begin');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return {
    port: address.port,
    counted,
    passedBy,
    hasCounted: (count) => {
      wanted = count;
      enough = Promise.withResolvers<void>();
      if (counted.length >= count) enough.resolve();
      return enough.promise;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
