import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { env } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { check, integration } from './integration.ts';

/**
 * Checks that everything works before anyone calls, and listens on `PORT` until the process gets a signal to stop. Then it takes no new requests, answers those that have come,
 * and closes the integration, which ends the phone calls that this process holds and writes them down.
 */
export const run = async (server: Server): Promise<void> => {
  await check();
  // Before the server listens: a process that reads "Listening" may stop this one at once.
  const told = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  server.listen(Number(env['PORT'] ?? 8080), env['HOST']);
  await once(server, 'listening');
  // A server that listens on a port has an address of this form.
  console.log(`Listening on port ${(server.address() as AddressInfo).port}`);
  await told;
  const requestsEnd = once(server, 'close');
  server.close();
  if (!holdsLines(server)) await Promise.race([requestsEnd, wait(8_000, undefined, { ref: false })]);
  await integration.close();
  server.closeAllConnections();
};

/** The lines of WebSockets end with their phone calls, which the integration ends. */
const holdsLines = (server: Server) => server.listenerCount('upgrade') > 0;
