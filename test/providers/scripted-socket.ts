import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A message of a JSON protocol. */
export type SocketMessage = Readonly<Record<string, unknown>>;

/** The provider's end of the connection, as a script uses it. */
export interface ScriptedConnection {
  send(message: object): void;
  /** The next message that fits and has not been taken yet. */
  receive(fits: (message: SocketMessage) => boolean): Promise<SocketMessage>;
}

export interface ScriptedSocket extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Resolves when the script has come to its end; rejects when it failed. */
  readonly done: Promise<void>;
  /** Every byte that came in. */
  sent(): string;
}

/** A provider that speaks over a WebSocket on loopback; `script` is what it does with the first connection. */
export const startScriptedSocket = async (
  script: (connection: ScriptedConnection) => Promise<void>,
  wantedPort = 0,
): Promise<ScriptedSocket> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: wantedPort });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const texts: string[] = [];
  const done = once(server, 'connection').then(([socket]) => script(connect(socket as WebSocket, texts)));
  // Tests that await `done` get its error. When the client itself fails first, they do not await it.
  done.catch(() => undefined);
  return {
    port,
    url: `ws://127.0.0.1:${port}`,
    done,
    sent: () => texts.join('\n'),
    [Symbol.asyncDispose]: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const connect = (socket: WebSocket, texts: string[]): ScriptedConnection => {
  const waiting: SocketMessage[] = [];
  let changed = () => {};
  socket.on('message', (data: Buffer) => {
    texts.push(data.toString());
    waiting.push(JSON.parse(data.toString()) as SocketMessage);
    changed();
  });
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    receive: async (fits) => {
      for (;;) {
        const index = waiting.findIndex(fits);
        const [found] = index < 0 ? [] : waiting.splice(index, 1);
        if (found) return found;
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    },
  };
};
