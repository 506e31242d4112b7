/**
 * Handles the messages of a queue, ten at once, until it is killed: the message `poison` kills it.
 * The queue is in a file, or in the server that the address names. Each line that it writes is a message that was handled.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { createSqliteMessageQueue } from '../../../src/stores/sqlite/message-queue.ts';

const [address = ''] = process.argv.slice(2);
const queue = address.includes('://')
  ? bullmq({ connection: address })
  : createSqliteMessageQueue({ file: address, pollMs: 20 });

queue.consume({ groups: { g: 10 }, leaseMs: 700, maximumAttempts: 3, onError: console.error }, async ({ id }) => {
  await sleep(id === 'poison' ? 100 : 200);
  if (id === 'poison') process.kill(process.pid, 'SIGKILL');
  process.stdout.write(`${id}\n`);
  return { type: 'done' };
});
setInterval(() => {}, 60_000);
