/**
 * bull-board on the outbox's queue in Redis: `npm run example bull-board -- --serve`, then open the address it prints.
 * Uses `REDIS_URL`, or starts an installed redis-server. Without `--serve` it reads bull-board's API once and ends.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Queue } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import { createOutbox, defineEvent } from 'voice-agent-integrations/outbox';
import { bullmq } from 'voice-agent-integrations/stores/bullmq';
import { z } from 'zod';
import { openRedis } from './scale/redis.ts';

await using redis = await openRedis();
if (redis) await run(redis.url);
else console.log('Skipped: redis-server is not installed, and REDIS_URL names none.');

async function run(redisUrl: string): Promise<void> {
  // Refuses what is sent to it: that makes a dead letter.
  const crm = createServer((_request, response) => response.writeHead(404).end());
  await once(crm.listen(0, '127.0.0.1'), 'listening');
  const callCompleted = defineEvent('call.completed', { 1: z.object({ callId: z.string() }) });
  const died = Promise.withResolvers<void>();
  await using outbox = createOutbox({
    queue: bullmq({ connection: redisUrl }),
    destinations: [{ name: 'crm', url: `http://127.0.0.1:${(crm.address() as AddressInfo).port}`, version: 1 }],
    allowNetworks: ['127.0.0.0/8'],
    onAlert: () => died.resolve(),
  });
  await outbox.publish({ event: callCompleted, payload: { callId: 'CA1' }, idempotencyKey: `CA1:${process.pid}` });
  await died.promise;
  while ((await outbox.status()).crm?.dead === 0) await new Promise((resolve) => setTimeout(resolve, 50));

  // The queue of a destination is named after it, and its keys begin with the name of the whole queue in braces.
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('voice-agent.group.outbox~3Acrm', { connection, prefix: '{voice-agent}' });
  const board = new ExpressAdapter();
  createBullBoard({ queues: [new BullMQAdapter(queue)], serverAdapter: board });
  const server = createServer(express().use(board.getRouter()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const response = await fetch(`${address}/api/queues?activeQueue=${encodeURIComponent(queue.name)}&status=failed`);
  const { queues } = (await response.json()) as { queues: readonly BoardQueue[] };
  for (const { name, counts, jobs } of queues)
    console.log(
      `${name}: ${counts.failed} failed, because: ${jobs.map(({ failedReason }) => failedReason).join(', ')}`,
    );

  if (process.argv.includes('--serve')) {
    console.log(`bull-board: ${address}`);
    await once(process, 'SIGINT');
  }
  server.close();
  server.closeAllConnections();
  crm.close();
  crm.closeAllConnections();
  await queue.close();
  connection.disconnect();
}

interface BoardQueue {
  readonly name: string;
  readonly counts: { readonly failed: number };
  readonly jobs: readonly { readonly failedReason: string }[];
}
