import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver that does the work of an event once per idempotency key. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** What was done: by key, the body. */
  readonly effects: ReadonlyMap<string, string>;
  /** Deliveries that were taken, repeated ones too. */
  readonly deliveries: () => number;
  /** Keys that came with two different bodies. */
  readonly contradictions: readonly string[];
}

/**
 * Takes every delivery, or with `faults` of the first three of a key some not: it answers 503, drops the connection
 * before the work is done, or does the work and drops the answer.
 */
export const startReceiver = async ({
  faults,
  random,
}: {
  faults: boolean;
  random: () => number;
}): Promise<Receiver> => {
  const effects = new Map<string, string>();
  const tries = new Map<string, number>();
  const contradictions: string[] = [];
  let deliveries = 0;

  const take = (key: string, body: string) => {
    deliveries += 1;
    if ((effects.get(key) ?? body) !== body) contradictions.push(key);
    effects.set(key, body);
  };

  const server = createServer(async (request, response) => {
    const key = String(request.headers['idempotency-key']);
    const body = await read(request).catch(() => undefined);
    if (body === undefined) return;
    const tried = (tries.get(key) ?? 0) + 1;
    tries.set(key, tried);
    const fault = faults && tried <= 3 ? random() : 1;
    if (fault < 0.1) return void response.writeHead(503).end();
    if (fault < 0.15) return void request.socket.destroy();
    take(key, body);
    if (fault < 0.2) return void request.socket.destroy();
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects,
    deliveries: () => deliveries,
    contradictions,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
