import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Listens on loopback and never says a word. */
export const startMute = async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume());
  const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected,
    closed: connected.then((socket) => new Promise((resolve) => socket.once('close', resolve))),
    [Symbol.dispose]: () => server.close(),
  };
};
