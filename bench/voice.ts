/** What a phone call costs next to one that is written by hand: its turns, a payment, its memory. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createIntegration, type Integration, startPhoneCall, type Transport } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import type { BillingClient } from 'voice-agent-integrations/billing';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createAuthority } from '../test/support/certificates.ts';
import { runCommand } from '../test/support/run-command.ts';
import { customerJson, invoicesJson, paymentJson } from './answers.ts';
import { lookUpByHand } from './by-hand.ts';
import { fromMemory } from './from-memory.ts';
import { heading, spread, table } from './report.ts';
import type { Extent } from './run.ts';
import { type Spread, spreadOf } from './spread.ts';
import { startServer } from './start-server.ts';
import { storesOfCalls } from './stores-of-calls.ts';

export const voice = async (extent: Extent, command: string): Promise<string> => {
  const turns = await measureTurns(extent.rounds);
  const payments = await measurePayments(extent);
  const first = await measureFirstResult(extent.rounds);
  const greeted = await measureAfterGreeting(extent.rounds);
  const memory = await measureMemory();
  const stores = await storesOfCalls(extent);
  return [
    heading(command),
    '',
    '### A look-up at 50 phone calls at once, 20 ms per answer, two answers',
    '',
    table(
      ['', 'by hand on ky, ms', 'a tool, ms', 'difference, ms'],
      [
        ['p50', spread(turns.byHand.p50, 1), spread(turns.tool.p50, 1), spread(turns.difference.p50, 1)],
        ['p99', spread(turns.byHand.p99, 1), spread(turns.tool.p99, 1), spread(turns.difference.p99, 1)],
      ],
    ),
    '',
    '### The first look-up of a process, over TLS, 20 ms per answer, two answers',
    '',
    table(
      ['', 'by hand on ky, ms', 'a tool, ms', 'ratio'],
      [
        firstRow('after the phone rings', first.sinceRing),
        firstRow('after the start of the process', first.sinceStart),
        ['after a greeting of 300 ms, with `warmUp` and `prefetch`, without TLS', '', spread(greeted, 1), ''],
      ],
    ),
    '',
    '### A payment, answered from memory',
    '',
    table(
      ['', 'CPU, µs'],
      [
        ['by a tool, without HTTP: the client answers at once', spread(payments.alone, 0)],
        ['by the client alone: `billing.payments.create`', spread(payments.client, 0)],
        ['by a tool and the client', spread(payments.whole, 0)],
      ],
    ),
    '',
    '### Heap',
    '',
    table(
      ['', 'KiB'],
      [
        ['per phone call that has looked up its invoices, of 2,000 that are going on', memory.openKib.toFixed(1)],
        ['that stays per phone call that has ended and is forgotten, of 20,000', memory.leftKib.toFixed(2)],
      ],
    ),
    '',
    stores,
  ].join('\n');
};

const firstRow = (after: string, { byHand, tool, ratio }: Readonly<Record<'byHand' | 'tool' | 'ratio', Spread>>) => [
  after,
  spread(byHand, 0),
  spread(tool, 0),
  spread(ratio, 2),
];

const payments = { below: 5000, card: () => 'pm_1', confirm: false } as const;

const integrationAt = (baseUrl: string, transport?: Transport): Integration =>
  createIntegration({
    billing: {
      baseUrl,
      authenticate: apiKey('X-Api-Key', () => 'key'),
      version: 'in-base-url',
      rateLimit: false,
      ...(transport && { transport }),
    },
    payments,
  });

let calls = 0;
const startCall = (integration: Integration, prefetch: readonly 'invoices'[] = []) =>
  integration.startPhoneCall({ callId: `CA${++calls}`, direction: 'inbound', phone: '+14155550100', prefetch });

interface Percentiles<Value> {
  readonly p50: Value;
  readonly p99: Value;
}

const measureTurns = async (rounds: number) => {
  using server = await startServer();
  const baseUrl = `${server.baseUrl}/voice`;
  await using integration = integrationAt(baseUrl);
  const byHand = lookUpByHand(baseUrl);
  const answer = () => {
    const { tools: toolbox } = startCall(integration);
    return () => toolbox.run('lookup_customer_invoices', '{}');
  };
  const measured: { byHand: Percentiles<number>; tool: Percentiles<number> }[] = [];
  const measureByHand = () => percentilesOf(() => byHand);
  const measureTool = () => percentilesOf(answer);
  await measureByHand();
  await measureTool();
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) measured.push({ byHand: await measureByHand(), tool: await measureTool() });
    else measured.push({ tool: await measureTool(), byHand: await measureByHand() });
  }
  const spreads = (pick: (one: (typeof measured)[number]) => Percentiles<number>): Percentiles<Spread> => ({
    p50: spreadOf(measured.map((one) => pick(one).p50)),
    p99: spreadOf(measured.map((one) => pick(one).p99)),
  });
  return {
    byHand: spreads((one) => one.byHand),
    tool: spreads((one) => one.tool),
    difference: spreads((one) => ({ p50: one.tool.p50 - one.byHand.p50, p99: one.tool.p99 - one.byHand.p99 })),
  };
};

/** 50 callers, who each take four turns, two seconds apart. `answer` begins a phone call. */
const percentilesOf = async (answer: () => () => Promise<unknown>): Promise<Percentiles<number>> => {
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: 50 }, async (_, caller) => {
      await wait(caller * 40);
      const turn = answer();
      for (let count = 0; count < 4; count += 1) {
        const startedAt = performance.now();
        await turn();
        times.push(performance.now() - startedAt);
        await wait(2_000);
      }
    }),
  );
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
};

const root = fileURLToPath(new URL('../', import.meta.url));

/** In a process of its own, over TLS as with every real API, on the built files, as users have them. */
const measureFirstResult = async (rounds: number) => {
  const authority = await createAuthority();
  using server = await startServer(await authority.issue());
  const folder = await mkdtemp(join(tmpdir(), 'first-result-'));
  const trusted = join(folder, 'authority.pem');
  await writeFile(trusted, authority.certificate);
  await runCommand('npm', ['run', 'build'], { cwd: root, timeoutMs: 300_000 });
  const measure = async (how: 'by-hand' | 'tool'): Promise<readonly number[]> => {
    const file = fileURLToPath(new URL(`first-result/${how}.ts`, import.meta.url));
    const env = { NODE_EXTRA_CA_CERTS: trusted };
    return JSON.parse(await runCommand(process.execPath, [file, `${server.baseUrl}/voice`], { cwd: root, env }));
  };
  const measured: { readonly byHand: readonly number[]; readonly tool: readonly number[] }[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const byHand = await measure('by-hand');
      measured.push({ byHand, tool: await measure('tool') });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  const since = (start: number) => {
    const pairs = measured.map(({ byHand, tool }) => ({ byHand: byHand[start] ?? NaN, tool: tool[start] ?? NaN }));
    return {
      byHand: spreadOf(pairs.map(({ byHand }) => byHand)),
      tool: spreadOf(pairs.map(({ tool }) => tool)),
      ratio: spreadOf(pairs.map(({ byHand, tool }) => tool / byHand)),
    };
  };
  return { sinceStart: since(0), sinceRing: since(1) };
};

/** What the model still waits for when it asks for what was read ahead. */
const measureAfterGreeting = async (rounds: number): Promise<Spread> => {
  using server = await startServer();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await using integration = integrationAt(`${server.baseUrl}/voice`);
    void integration.warmUp();
    const { tools: toolbox } = startCall(integration, ['invoices']);
    await wait(300);
    const startedAt = performance.now();
    await toolbox.run('lookup_customer_invoices', '{}');
    times.push(performance.now() - startedAt);
  }
  return spreadOf(times);
};

/** Answers at once and checks nothing: what's left is what the tools cost. */
const withoutHttp = (client: BillingClient): BillingClient => {
  const customer = JSON.parse(customerJson);
  const invoices: Awaited<ReturnType<BillingClient['invoices']['listOpen']>> = {
    total: 3,
    ...JSON.parse(invoicesJson),
  };
  return {
    ...client,
    customers: { get: async () => customer, find: async () => customer },
    invoices: { listOpen: async () => invoices },
    payments: { ...client.payments, create: async () => JSON.parse(paymentJson) },
  };
};

/** CPU in µs: of the client's payment, and of one by a tool that has done its look-up before. */
const measurePayments = async ({ rounds }: Extent) => {
  await using integration = integrationAt('https://api.example.com', fromMemory);
  const client = integration.billing;
  if (!client) throw new Error('the integration has no billing');
  const store = createMemoryIdempotencyStore();
  const payment = { customer_id: 'cus_70', invoice_id: 'inv_311', amount: 129.5, payment_method_id: 'pm_1' };
  const args = JSON.stringify({ invoice_id: 'inv_311', amount: 129.5 });

  /** Of a phone call of its own: a second payment of the same invoice would be answered from the store. */
  const preparedOn = (billing: BillingClient) => async () => {
    const callId = `CA${++calls}`;
    const caller = { callId, direction: 'inbound', phone: '+14155550100' } as const;
    const { tools: toolbox } = startPhoneCall({ billing }, { ...caller, payments, store });
    await toolbox.run('lookup_customer_invoices', '{}');
    return async () => {
      const { status } = await toolbox.run('create_payment', args, { intent: callId });
      if (status !== 'done') throw new Error(`the payment is ${status}`);
    };
  };
  const subjects = {
    client: async () => () => client.payments.create(payment),
    alone: preparedOn(withoutHttp(client)),
    whole: preparedOn(client),
  };
  const samples: Record<keyof typeof subjects, number[]> = { client: [], alone: [], whole: [] };
  for (let round = -10; round < rounds * 4; round += 1) {
    for (const [name, prepare] of typedEntries(subjects)) {
      const cpuUs = await cpuOfBatch(prepare);
      if (round >= 0) samples[name].push(cpuUs);
    }
  }
  return { client: spreadOf(samples.client), alone: spreadOf(samples.alone), whole: spreadOf(samples.whole) };
};

const typedEntries = <Name extends string, Value>(record: Readonly<Record<Name, Value>>) =>
  Object.entries(record) as [Name, Value][];

/** Of one call, of 400 that are prepared before. */
const cpuOfBatch = async (prepare: () => Promise<() => Promise<unknown>>): Promise<number> => {
  const prepared: (() => Promise<unknown>)[] = [];
  while (prepared.length < 400) prepared.push(await prepare());
  const before = process.cpuUsage();
  for (const call of prepared) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / prepared.length;
};

const measureMemory = async () => {
  const integration = integrationAt('https://api.example.com', fromMemory);
  const call = async () => {
    const phoneCall = startCall(integration);
    await phoneCall.tools.run('lookup_customer_invoices', '{}');
    return phoneCall;
  };
  for (let count = 0; count < 1_000; count += 1) await call();
  const before = await heapAfterCollection();
  const open = await Promise.all(Array.from({ length: 2_000 }, call));
  const openKib = ((await heapAfterCollection()) - before) / 1024 / open.length;
  open.length = 0;
  const forgotten = await heapAfterCollection();
  for (let count = 0; count < 20_000; count += 1) await call();
  return { openKib, leftKib: ((await heapAfterCollection()) - forgotten) / 1024 / 20_000 };
};

/** What waits for a finaliser is given up in the turns after a collection. */
const heapAfterCollection = async (): Promise<number> => {
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await wait(50);
  }
  return process.memoryUsage().heapUsed;
};
