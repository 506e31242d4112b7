/**
 * Takes deliveries and handles them until it is killed; or, told to `drain`, handles what is left and exits.
 * Each line that it writes is the id of a delivery that was acknowledged; each line of the effects file is one run of the
 * handler.
 */
import { appendFileSync } from 'node:fs';
import { createSqliteIdempotencyStore } from '../../../src/stores/sqlite/idempotency-store.ts';
import { createSqliteMessageQueue } from '../../../src/stores/sqlite/message-queue.ts';
import { signBytes } from '../../../src/signature/sign.ts';
import { hmac } from '../../../src/webhooks/authentication/hmac.ts';
import { notificationEvents } from '../../../src/webhooks/notifications.ts';
import { createWebhookReceiver } from '../../../src/webhooks/receiver.ts';

const [file = '', claims = '', effects = '', task = ''] = process.argv.slice(2);
const queue = createSqliteMessageQueue({ file, pollMs: 20 });
const receive = createWebhookReceiver({
  authentication: [hmac({ secrets: () => 'a-shared-secret' })],
  events: { 'payment.confirmed': notificationEvents['payment.confirmed'] },
  on: { 'payment.confirmed': ({ payload }) => appendFileSync(effects, `${payload.payment_id}\n`) },
  store: createSqliteIdempotencyStore({ file: claims }),
  queue,
  leaseMs: 200,
});

const deliver = async (sender: number) => {
  for (let count = 0; ; count += 1) {
    const id = `${task}-${sender}-${count}`;
    const body = JSON.stringify({ type: 'payment.confirmed', payment_id: id });
    const headers = { 'content-type': 'application/json', ...signBytes(body, { secrets: ['a-shared-secret'] }) };
    const { status } = await receive(new Request('https://hook.test/', { method: 'POST', body, headers }));
    if (status === 202) process.stdout.write(`${id}\n`);
  }
};

const worker = receive.startWorker({ maximumAttempts: 1_000 });
if (task === 'drain') {
  for (;;) {
    const { ready, delayed, leased, dead } = await queue.admin.stats();
    if (ready + delayed + leased + dead === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await worker.close(1_000);
  process.exit(0);
}
await Promise.all([deliver(1), deliver(2), deliver(3)]);
