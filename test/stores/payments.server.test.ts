import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { connectPlatform, keysOf } from '../support/connected-platform.ts';
import { describeWithPostgres, startPostgresServer } from '../support/postgres-server.ts';
import { describeWithRedis, startRedisServer } from '../support/redis-server.ts';
import type { TestServer } from '../support/server-process.ts';
import { ageClaims } from './redis/age-claims.ts';

const payer = fileURLToPath(new URL('./payments/payer.ts', import.meta.url));

/** A server that remembers payments, and the way to let its time pass. */
interface Memory {
  readonly start: () => Promise<TestServer>;
  readonly pass: (url: string, ms: number) => Promise<void>;
}

const inRedis: Memory = {
  start: () => startRedisServer({ appendOnly: 'always' }),
  pass: async (url, ms) => {
    const client = new Redis(url);
    await ageClaims(client, 'voice-agent:claims:', ms);
    client.disconnect();
  },
};

const inPostgres: Memory = {
  start: () => startPostgresServer(),
  pass: async (url, ms) => {
    const client = new Client(url);
    await client.connect();
    await client.query(`UPDATE voice_agent_claims SET written_at = written_at - ${ms} * interval '1 millisecond'`);
    await client.end();
  },
};

describeWithRedis('payments of several processes that share a Redis', () => chargeOnce(inRedis));
describeWithPostgres('payments of several processes that share a PostgreSQL', () => chargeOnce(inPostgres));

const chargeOnce = ({ start, pass }: Memory) => {
  test.each([
    ['one phone call', ['CA1', 'CA1', 'CA1']],
    ['several phone calls', ['CA1', 'CA2', 'CA3']],
  ])('asked for at once in three of them, in %s, is charged once, and all hear of it', async (_which, callIds) => {
    await using memory = await start();
    await using billing = await startBilling();
    billing.platform.fault('billing.payments.create', [{ latencyMs: 2_000 }]);

    const payers = await Promise.all(callIds.map((callId) => startPayer(memory, billing, callId)));
    const told = await Promise.all(payers.map(({ pay }) => pay()));

    const confirmed = { success: true, confirmation_number: billing.platform.billing.payments[0]?.confirmation_number };
    const answers = told.map((line) => JSON.parse(line) as { readonly already_paid?: boolean });
    expect(answers).toEqual(callIds.map(() => expect.objectContaining(confirmed)));
    expect(answers.filter((answer) => answer.already_paid)).toHaveLength(callIds.length - 1);
    expect(billing.charged()).toBe(1);
    expect(keysOf(billing.platform, 'billing.payments.create')).toHaveLength(1);
  });

  test('killed between execution and answer, and the store with it, is charged once with one key', async () => {
    await using memory = await start();
    // A part: the invoice stays open.
    await using billing = await startBilling(20);
    billing.platform.fault('billing.payments.create', [{ latencyMs: 60_000 }]);

    const killed = await startPayer(memory, billing, 'CA1');
    void killed.pay();
    await expect.poll(() => billing.charged(), { timeout: 60_000 }).toBe(1);
    await killed.kill();
    await memory.kill();
    await memory.restart();
    await pass(memory.url, 120_000);
    const told = await (await startPayer(memory, billing, 'CA2')).pay();

    expect(JSON.parse(told)).toMatchObject({ success: true });
    expect(billing.charged()).toBe(1);
    const keys = keysOf(billing.platform, 'billing.payments.create');
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });
};

const startBilling = async (amount = 49.5) => {
  const connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  const customer = platform.billing.addCustomer({ name: 'Jane', phone: '+14155550100' });
  const invoice = platform.billing.addInvoice({ customer_id: customer.id, amount: 49.5, due_date: '2026-09-01' });
  return {
    platform,
    baseUrl: clientOptions.billing.baseUrl,
    payment: { customer_id: customer.id, invoice_id: invoice.id, amount, payment_method_id: 'pm_card' },
    charged: () => platform.billing.payments.filter(({ status }) => status === 'completed').length,
    [Symbol.asyncDispose]: connected[Symbol.asyncDispose],
  };
};

/** A process that is connected and waits for the command to pay. */
const startPayer = async (memory: TestServer, billing: Awaited<ReturnType<typeof startBilling>>, callId: string) => {
  const child = spawn(
    process.execPath,
    [payer, memory.url, String(billing.baseUrl), callId, JSON.stringify(billing.payment)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return {
    pay: async () => {
      child.stdin.write('pay\n');
      return String((await lines.next()).value);
    },
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
};
