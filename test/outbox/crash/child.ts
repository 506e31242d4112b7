/**
 * Publishes and delivers until it is killed; or, told to `drain`, delivers until nothing is left and exits.
 * Each line that it writes is the key of a publication that was acknowledged.
 */
import { createOutbox } from '../../../src/outbox/outbox.ts';
import { createSqliteMessageQueue } from '../../../src/stores/sqlite/message-queue.ts';
import { callCompleted } from '../../support/open-outbox.ts';
import { quickClock } from './quick-clock.ts';

const [file = '', url = '', name = '', task = ''] = process.argv.slice(2);
const clock = quickClock(10);
const outbox = createOutbox({
  queue: createSqliteMessageQueue({ file, clock }),
  // Two seconds on this clock: a busy machine is no failure of the receiver.
  destinations: [{ name: 'receiver', url, version: 1, circuit: false, attemptTimeoutMs: 20_000 }],
  allowNetworks: ['127.0.0.0/8'],
  clock,
});

const publish = async (publisher: number) => {
  for (let count = 0; ; count += 1) {
    const idempotencyKey = `${name}-${publisher}-${count}`;
    await outbox.publish({ event: callCompleted, payload: { callId: idempotencyKey }, idempotencyKey });
    process.stdout.write(`${idempotencyKey}\n`);
    // As much as one destination takes: a backlog would only make the end longer.
    for (let ready = Number.POSITIVE_INFINITY; ready > 40; ) {
      ready = (await outbox.status()).receiver?.ready ?? 0;
      if (ready > 40) await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
};

const drain = async () => {
  for (;;) {
    const { ready = 0, delayed = 0, leased = 0, dead = 0 } = (await outbox.status()).receiver ?? {};
    if (ready + delayed + leased + dead === 0) return outbox.close();
    if (dead > 0) await outbox.deadLetters.redrive({ since: 0 });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

await (task === 'drain' ? drain() : Promise.all([publish(1), publish(2), publish(3)]));
