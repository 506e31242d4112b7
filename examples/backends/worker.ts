/**
 * Writes down the phone calls that have ended, in a process that takes none: `node examples/backends/worker.ts`. It's the
 * same integration as that of the servers. Start them with `WRITE_CALLS=elsewhere`, and they only store their calls.
 */
import { once } from 'node:events';
import { check, integration } from './integration.ts';

await check();
console.log('Writing down the phone calls that have ended');
await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
await integration.close();
