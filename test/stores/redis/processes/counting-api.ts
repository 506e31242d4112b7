import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** An API that counts what it gets, and lets all senders begin at once. */
export interface CountingApi extends AsyncDisposable {
  readonly port: number;
  /** Resolves when all senders are connected. */
  readonly isReady: Promise<void>;
  readonly begin: () => void;
  readonly counted: () => number;
  /** Of each request that was asked for aloud: how many others were counted until it came. */
  readonly passedBy: readonly number[];
  /** Resolves when so many requests were counted. */
  readonly hasCounted: (count: number) => Promise<void>;
}

export const startCountingApi = async (senders: number): Promise<CountingApi> => {
  let counted = 0;
  const passedBy: number[] = [];
  const sockets: Socket[] = [];
  let wanted = Number.POSITIVE_INFINITY;
  let enough = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();

  const server = createServer((socket) => {
    sockets.push(socket);
    let askedAt: number | undefined;
    socket.setNoDelay(true).on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      for (const letter of text) {
        if (letter === '?') askedAt = counted;
        if (letter !== '!') continue;
        if (askedAt !== undefined) passedBy.push(counted - askedAt);
        counted += 1;
      }
      if (counted >= wanted) enough.resolve();
    });
    if (sockets.length === senders) ready.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return {
    port: address.port,
    isReady: ready.promise,
    begin: () => {
      for (const socket of sockets) socket.write('begin');
    },
    counted: () => counted,
    passedBy,
    hasCounted: (count) => {
      wanted = count;
      enough = Promise.withResolvers<void>();
      if (counted >= count) enough.resolve();
      return enough.promise;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
