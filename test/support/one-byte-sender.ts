import { Worker } from 'node:worker_threads';

export interface OneByteSender extends AsyncDisposable {
  /** Of the server; 0 when it connects itself. */
  readonly port: number;
  /** Resolves when all but the last byte has been handed to the network. */
  readonly sent: Promise<void>;
  /** Sends the last byte. */
  finish(): void;
}

/**
 * Writes a body in chunks of one byte, from a thread of its own: as the answer of a server, or to the server at
 * `connectTo`. The last chunk waits for {@link OneByteSender.finish}.
 */
export const startOneByteSender = async ({
  bytes,
  connectTo,
}: {
  bytes: number;
  connectTo?: number;
}): Promise<OneByteSender> => {
  const worker = new Worker(program, { eval: true, workerData: { bytes, connectTo } });
  const ready = Promise.withResolvers<number>();
  const sent = Promise.withResolvers<void>();
  worker.on('message', (message: { readonly port?: number }) => {
    if (message.port === undefined) sent.resolve();
    else ready.resolve(message.port);
  });
  worker.on('error', ready.reject);
  return {
    port: await ready.promise,
    sent: sent.promise,
    finish: () => worker.postMessage('finish'),
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
};

const program = `
const { connect, createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const { bytes, connectTo } = workerData;
const send = (socket, head) => {
  socket.on('error', () => {});
  socket.write(head + '\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n');
  socket.write(Buffer.from('1\\r\\nx\\r\\n'.repeat(bytes - 1)), () => parentPort.postMessage({}));
  parentPort.once('message', () => socket.write('1\\r\\nx\\r\\n0\\r\\n\\r\\n'));
};
if (connectTo) {
  send(connect(connectTo, '127.0.0.1'), 'POST / HTTP/1.1\\r\\nhost: a\\r\\ncontent-type: application/json');
  parentPort.postMessage({ port: 0 });
} else {
  const server = createServer((socket) => socket.once('data', () => send(socket, 'HTTP/1.1 200 OK')));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }));
}
`;
