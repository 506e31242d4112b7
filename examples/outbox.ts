/** Events that are stored first and delivered until they are taken, and a dead letter that is redriven: `npm run example outbox`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutbox, defineEvent } from 'voice-agent-integrations/outbox';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import * as z from 'zod';

/** Plays two systems of ours: `/analytics` is restarting, `/crm` has a defect that refuses everything. */
const answers: Record<string, readonly number[]> = { '/analytics/v1': [503, 200], '/crm/v1': [422, 200] };
const server = createServer((request, response) => {
  const [status = 200, ...next] = answers[request.url ?? ''] ?? [];
  answers[request.url ?? ''] = next;
  response.writeHead(status).end();
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const callCompleted = defineEvent('call.completed', {
  1: z.object({ callId: z.string(), outcome: z.string(), durationSeconds: z.number() }),
});

const folder = await mkdtemp(join(tmpdir(), 'outbox-example-'));
const delivered = new Set<string>();
let onArrival: () => void = () => {};

const outbox = createOutbox({
  queue: sqlite({ file: join(folder, 'outbox.db') }).messageQueue(),
  destinations: [
    { name: 'analytics', url: `${origin}/analytics/v{version}`, version: 1 },
    { name: 'crm', url: `${origin}/crm/v{version}`, version: 1, signing: { secrets: () => ['shared-with-the-crm'] } },
  ],
  allowNetworks: ['127.0.0.0/8'],
  onEvent: (event) => {
    if (event.type !== 'delivery') return;
    const { destination, attempt, outcome, status, retryInMs } = event;
    console.log(
      `${destination}: attempt ${attempt} was answered ${status}: ${outcome}${retryInMs ? `, next in about ${Math.round(retryInMs / 1000)} s` : ''}`,
    );
    if (outcome === 'delivered') delivered.add(destination);
    onArrival();
  },
});

const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await isSo())) {
    await new Promise<void>((resolve) => {
      onArrival = resolve;
      setTimeout(resolve, 20);
    });
  }
};

await outbox.publish({
  event: callCompleted,
  payload: { callId: 'CA123', outcome: 'resolved', durationSeconds: 312 },
  idempotencyKey: 'CA123:completed',
});
console.log('published: stored on the disk, for two destinations');

await until(async () => delivered.has('analytics') && (await outbox.deadLetters.list()).length > 0);
for (const { destination, reason, lastFailure, body } of await outbox.deadLetters.list())
  console.log(`dead letter for ${destination}: ${reason} ${JSON.stringify(lastFailure)}, was ${JSON.stringify(body)}`);

console.log('someone repairs the crm');
console.log(`redriven: ${await outbox.deadLetters.redrive({ since: 0, destination: 'crm' })}`);
await until(() => delivered.has('crm'));

await outbox.close();
server.close();
server.closeAllConnections();
await rm(folder, { recursive: true });
