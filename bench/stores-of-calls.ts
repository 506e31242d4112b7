import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createIntegration } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { postgres } from 'voice-agent-integrations/stores/postgres';
import { redis } from 'voice-agent-integrations/stores/redis';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import type { IdempotencyStore } from 'voice-agent-integrations/tools';
import { countStoreCalls } from '../test/support/count-store-calls.ts';
import { openPool, startPostgresServer } from '../test/support/postgres-server.ts';
import { startRedisServer } from '../test/support/redis-server.ts';
import { fromMemory } from './from-memory.ts';
import { spread, table } from './report.ts';
import type { Extent } from './run.ts';
import { spreadOf } from './spread.ts';

/** What it costs to keep a phone call's state and payments in each store, with an API that answers at once. */
export const storesOfCalls = async ({ rounds }: Pick<Extent, 'rounds'>): Promise<string> => {
  await using stack = new AsyncDisposableStack();
  const skipped: string[] = [];
  const subjects: Subject[] = [startSubject('memory', 'memory', stack)];
  for (const { name, open } of stores) {
    const store = await open(stack).catch((error: unknown) => String(error));
    if (typeof store === 'string') skipped.push(`${name}: skipped, ${store}`);
    else subjects.push(startSubject(name, store, stack));
  }
  const times = new Map(subjects.map(({ name }) => [name, { lookUp: [] as number[], payment: [] as number[] }]));
  // The first rounds warm up, and who begins changes.
  for (let round = -2; round < rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(round + 2 + turn) % subjects.length];
      if (!subject) continue;
      const { lookUp, payment } = await measureCalls(subject);
      if (round < 0) continue;
      times.get(subject.name)?.lookUp.push(lookUp);
      times.get(subject.name)?.payment.push(payment);
    }
  }
  const first = times.get('memory');
  const rows = subjects.map(({ name, trips }) => {
    const own = times.get(name);
    const cells = (['lookUp', 'payment'] as const).flatMap((what) => [
      spread(spreadOf(own?.[what] ?? []), 2),
      spread(spreadOf((own?.[what] ?? []).map((ms, round) => ms / (first?.[what][round] ?? Number.NaN))), 1),
      `${trips[what].state} + ${trips[what].payments}`,
    ]);
    return [name, ...cells];
  });
  const head = ['look-up, ms', 'ratio', 'calls to the store', 'payment, ms', 'ratio', 'calls to the store'];
  return [
    '### A phone call whose `store` keeps its state, and an API that answers at once',
    '',
    'The payment has `confirm: "two-step"`, after the yes. Calls to the store: for the state + for the payment. Redis with `appendfsync always`.',
    '',
    table(['', ...head], rows),
    ...(skipped.length > 0 ? ['', ...skipped] : []),
    '',
  ].join('\n');
};

const stores: readonly { name: string; open: (stack: AsyncDisposableStack) => Promise<IdempotencyStore> }[] = [
  {
    name: 'SQLite',
    open: async (stack) => {
      const folder = await mkdtemp(join(tmpdir(), 'bench-calls-'));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      const store = sqlite({ file: join(folder, 'calls.db') }).idempotencyStore();
      stack.defer(() => store.close());
      return store;
    },
  },
  {
    name: 'Redis',
    open: async (stack) => {
      const server = stack.use(await startRedisServer({ appendOnly: 'always' }));
      const client = new Redis(server.url);
      stack.defer(() => client.disconnect());
      return redis({ client }).idempotencyStore();
    },
  },
  {
    name: 'PostgreSQL',
    open: async (stack) => {
      const pool = openPool(stack.use(await startPostgresServer()));
      stack.defer(() => pool.end());
      return postgres({ pool }).idempotencyStore();
    },
  },
];

interface Trips {
  state: number;
  payments: number;
}

interface Subject {
  readonly name: string;
  /** Of the last look-up and the last payment. */
  readonly trips: Readonly<Record<'lookUp' | 'payment', Trips>>;
  /** Plays one phone call: a look-up, and a payment that the caller has agreed to. In ms. */
  readonly call: () => Promise<{ readonly lookUp: number; readonly payment: number }>;
}

let calls = 0;

const startSubject = (name: string, store: IdempotencyStore | 'memory', stack: AsyncDisposableStack): Subject => {
  const counted = store === 'memory' ? undefined : countStoreCalls(store);
  const integration = createIntegration({
    billing: {
      baseUrl: 'https://api.example.com',
      authenticate: apiKey('X-Api-Key', () => 'key'),
      version: 'in-base-url',
      rateLimit: false,
      transport: fromMemory,
    },
    payments: { below: 5000, card: () => 'pm_1', confirm: 'two-step' },
    store: counted?.counting ?? 'memory',
  });
  stack.use(integration);
  const trips = { lookUp: { state: 0, payments: 0 }, payment: { state: 0, payments: 0 } };
  const timed = async (of: Trips, work: () => Promise<unknown>): Promise<number> => {
    const before = { state: counted?.ofPhoneCalls.length ?? 0, payments: counted?.calls.length ?? 0 };
    const startedAt = performance.now();
    await work();
    const tookMs = performance.now() - startedAt;
    of.state = (counted?.ofPhoneCalls.length ?? 0) - before.state;
    of.payments = (counted?.calls.length ?? 0) - before.payments;
    return tookMs;
  };
  const call = async () => {
    const callId = `CS${++calls}`;
    const { tools } = integration.startPhoneCall({ callId, direction: 'inbound', phone: '+14155550100' });
    const lookUp = await timed(trips.lookUp, () => tools.run('lookup_customer_invoices', {}));
    // Another payment of the same invoice would be answered from the store.
    const pay = (turn: string, token?: unknown) =>
      tools.run(
        'create_payment',
        { invoice_id: 'inv_311', amount: 129.5, confirmation_token: token },
        { turn, intent: callId },
      );
    const token = Object((await pay('1')).value)['confirmation_token'];
    const payment = await timed(trips.payment, async () => {
      const { status, value } = await pay('2', token);
      if (status !== 'done') throw new Error(`the payment is ${status}: ${JSON.stringify(value)}`);
    });
    return { lookUp, payment };
  };
  return { name, trips, call };
};

/** The medians of some phone calls, one after the other. */
const measureCalls = async ({ call }: Subject) => {
  const measured = [];
  for (let count = 0; count < 20; count += 1) measured.push(await call());
  return {
    lookUp: spreadOf(measured.map(({ lookUp }) => lookUp)).median,
    payment: spreadOf(measured.map(({ payment }) => payment)).median,
  };
};
