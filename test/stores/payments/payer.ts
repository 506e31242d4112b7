/**
 * Started as a process of its own: a phone call in which a model asks for a payment. Says when it is ready, begins on
 * a command, and prints what the model gets.
 */
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { apiKey } from '../../../src/auth/index.ts';
import { createBillingClient } from '../../../src/billing/index.ts';
import { createPostgresIdempotencyStore } from '../../../src/stores/postgres/idempotency-store.ts';
import { createRedisIdempotencyStore } from '../../../src/stores/redis/idempotency-store.ts';
import { testCredentials } from '../../../src/dev/testing/index.ts';
import { billingTools, createToolbox } from '../../../src/tools/index.ts';

const [storeUrl = '', baseUrl = '', callId = '', payment = ''] = process.argv.slice(2);

const billing = createBillingClient({
  baseUrl,
  authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
  version: { path: 'v1' },
  payments: { below: 5000 },
  maximumDeadlineMs: 60_000,
});
// A busy machine starts many processes here.
const timeoutMs = 10_000;
const store = storeUrl.startsWith('redis')
  ? createRedisIdempotencyStore({ client: new Redis(storeUrl), timeoutMs })
  : createPostgresIdempotencyStore({ pool: new Pool({ connectionString: storeUrl }), timeoutMs });

const toolbox = createToolbox({
  tools: billingTools({
    billing,
    payments: { card: 'from-model', confirm: false },
  }),
  context: { callId, caller: { phone: '+14155550100', verified: 'caller-id' } },
  store,
});
// The first step of each makes its connection.
await store.claim(callId, { fingerprint: '', leaseMs: 1, retainMs: 1 });
await toolbox.run('lookup_customer_invoices', {});
console.log('ready');
await once(process.stdin, 'data');
console.log((await toolbox.run('create_payment', payment)).text);
process.exit();
