/** Started as a process of its own: a phone call in which a model orders. Begins on a command, prints what the model gets. */
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { createRedisIdempotencyStore } from '../../../src/stores/redis/idempotency-store.ts';
import { sqlite } from '../../../src/stores/sqlite/index.ts';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';

const [storeUrl = '', shop = '', callId = ''] = process.argv.slice(2);

const store = storeUrl.startsWith('redis')
  ? createRedisIdempotencyStore({ client: new Redis(storeUrl), timeoutMs: 10_000 })
  : sqlite({ file: storeUrl }).idempotencyStore();

const order = defineTool({
  name: 'order',
  description: 'Orders an item.',
  parameters: z.object({ item: z.string() }),
  effect: 'write',
  idempotent: 'once',
  run: async ({ item }) => (await fetch(shop, { method: 'POST', body: item })).json(),
  compact: (answer) => answer,
});
const toolbox = createToolbox({
  tools: [order],
  context: { callId, caller: { phone: '+14155550100', verified: 'caller-id' } },
  store,
});
await store.claim(callId, { fingerprint: '', leaseMs: 1, retainMs: 1 });
console.log('ready');
await once(process.stdin, 'data');
console.log((await toolbox.run('order', { item: 'tea' })).text);
process.exit();
