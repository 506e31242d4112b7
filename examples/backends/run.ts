import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { env } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Listens on `PORT` until the process gets a signal to stop. Then it takes no new phone calls, lets `stop` end those
 * that are going on, and returns: open work, such as a payment that was sent, ends by itself.
 */
export const run = async (server: Server, stop: () => Promise<void>): Promise<void> => {
  // Before the server listens: a process that reads "Listening" may stop this one at once.
  const told = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  server.listen(Number(env['PORT'] ?? 8080), env['HOST']);
  await once(server, 'listening');
  // A server that listens on a port has an address of this form.
  console.log(`Listening on port ${(server.address() as AddressInfo).port}`);
  await told;
  server.close();
  await stop();
  server.closeAllConnections();
};

/** For `stop` of a server of plain requests: waits until those that have come are answered, or have had their time. */
export const answered = async (server: Server): Promise<void> => {
  await Promise.race([once(server, 'close'), wait(8_000, undefined, { ref: false })]);
};
