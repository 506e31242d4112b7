/**
 * Publishes and delivers until it is killed; or, told to `drain`, delivers until nothing is left and exits.
 * The queue lies in a file, or in the server that the address names.
 * Each line that it writes is the key of a publication that was acknowledged.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createOutbox } from '../../../src/outbox/outbox.ts';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { createSqliteMessageQueue } from '../../../src/stores/sqlite/message-queue.ts';
import { callCompleted } from '../../support/open-outbox.ts';
import { quickenTime } from './quick-time.ts';

const [address = '', url = '', name = '', task = ''] = process.argv.slice(2);
const isServer = address.includes('://');
// The locks of a server live by the time of its machine.
if (!isServer) quickenTime(10);
const outbox = createOutbox({
  queue: isServer ? bullmq({ connection: address }) : createSqliteMessageQueue({ file: address }),
  // Two seconds on the quick clock: a busy machine is no failure of the receiver.
  destinations: [{ name: 'receiver', url, version: 1, circuit: false, attemptTimeoutMs: isServer ? 1_000 : 20_000 }],
  allowNetworks: ['127.0.0.0/8'],
});

/** A server may be down for a while. */
const untilItWorks = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isServer) throw error;
      await wait(20);
    }
  }
};

const publish = async (publisher: number) => {
  for (let count = 0; ; count += 1) {
    const idempotencyKey = `${name}-${publisher}-${count}`;
    await untilItWorks(() =>
      outbox.publish({ event: callCompleted, payload: { callId: idempotencyKey }, idempotencyKey }),
    );
    process.stdout.write(`${idempotencyKey}\n`);
    // As much as one destination takes: a backlog would only make the end longer.
    for (let ready = Number.POSITIVE_INFINITY; ready > 40; ) {
      ready = (await untilItWorks(() => outbox.status())).receiver?.ready ?? 0;
      if (ready > 40) await wait(2);
    }
  }
};

const drain = async () => {
  for (;;) {
    const { ready = 0, delayed = 0, leased = 0, dead = 0 } = (await untilItWorks(() => outbox.status())).receiver ?? {};
    if (ready + delayed + leased + dead === 0) return outbox.close();
    if (dead > 0) await outbox.deadLetters.redrive({ since: 0 });
    await wait(20);
  }
};

await (task === 'drain' ? drain() : Promise.all([publish(1), publish(2), publish(3)]));
