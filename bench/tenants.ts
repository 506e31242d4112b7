import { createTenants, type TenantOptions, type Tenants, type Transport } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { contact, contactJson } from './answers.ts';
import type { Subject } from './measure.ts';
import { heading, spread, table } from './report.ts';
import { type Extent, figuresOf } from './run.ts';
import { type Spread, spreadOf } from './spread.ts';
import { startServer } from './start-server.ts';

const tenantCount = 1_000;

/** What 1,000 tenants cost: memory while they are idle, CPU per call, and the time of 999 of them while one is dead. */
export const measureTenants = async (extent: Extent) => {
  const idleBytes = await measureIdleTenant();
  const [one, inTurn] = await figuresOf(oneAndMany(), { ...extent, concurrencies: [1] });
  const oneDead = await measureOneDead(extent);
  return {
    idleBytes,
    growth: { ratio: inTurn?.toFirst, lowest: lowestOf(inTurn?.toFirst, inTurn?.cpuUs, one?.cpuUs) },
    oneDead,
  };
};

export type TenantResults = Awaited<ReturnType<typeof measureTenants>>;

export const tenantReport = ({ idleBytes, growth, oneDead }: TenantResults, command: string): string =>
  [
    heading(command),
    'Ratios are of two measurements in one round: median [lowest–highest] over the rounds.',
    '',
    `### ${tenantCount.toLocaleString('en')} tenants with three APIs each`,
    '',
    table(
      ['', 'measured', 'bound'],
      [
        [
          'memory of one that is idle, after a phone call',
          `${(idleBytes / 1000).toFixed(1)} kB`,
          `${bounds.idleKb} kB`,
        ],
        ['CPU per call, all in turn to one alone', growth.ratio ? spread(growth.ratio, 2) : '–', bounds.growth],
        ['p99 of 999, while one hangs to while none does', spread(oneDead.ratio, 2), bounds.oneDead],
      ],
    ),
    '',
    `p99 of the 999 alone: ${spread(oneDead.aloneMs, 1)} ms; ${oneDead.calls} calls in each half of a round.`,
    '',
  ].join('\n');

const bounds = { idleKb: 50, growth: 1.3, oneDead: 1.2 } as const;

/**
 * A ratio that is really too high shows in the median over the rounds, and when the best round of one is compared with
 * the best of the other: noise seldom in both. Memory has next to none.
 */
export const tenantGate = ({ idleBytes, growth, oneDead }: TenantResults, print: (line: string) => void): boolean => {
  const idleKb = idleBytes / 1000;
  print(`an idle tenant: ${idleKb.toFixed(1)} kB; the gate is ${bounds.idleKb} kB`);
  print(`a call with 1,000 tenants to one with one: ${growth.lowest.toFixed(2)}; the gate is ${bounds.growth}`);
  print(`p99 while one tenant hangs to while none does: ${oneDead.lowest.toFixed(2)}; the gate is ${bounds.oneDead}`);
  return idleKb <= bounds.idleKb && growth.lowest <= bounds.growth && oneDead.lowest <= bounds.oneDead;
};

const lowestOf = (ratio: Spread | undefined, value: Spread | undefined, to: Spread | undefined): number =>
  Math.min(ratio?.median ?? Number.NaN, (value?.lowest ?? Number.NaN) / (to?.lowest ?? Number.NaN));

const ids = Array.from({ length: tenantCount }, (_, index) => `ws_${index}`);

const optionsOf = (tenantId: string, baseUrl: string): TenantOptions => ({
  messaging: {
    baseUrl,
    authenticate: bearer(() => `messaging token of ${tenantId}`),
    platform: 'Acme',
    version: '2.11',
    adminId: 'admin_7',
    rateLimit: { limit: 20_000, perMs: 50 },
  },
  crm: { baseUrl, authenticate: bearer(() => `crm token of ${tenantId}`), version: '60.0' },
  billing: {
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => `billing key of ${tenantId}`),
    version: { path: 'v1' },
  },
  payments: { below: 5000, confirm: false },
});

/** Enough for every operation of a phone call. */
const fromMemory: Transport = async ({ url }) => ({
  status: 200,
  headers: new Map([['content-type', 'application/json']]),
  text: /customers|search|invoices/.test(url) ? '[]' : contactJson,
});

const inMemory = (max: number): Tenants =>
  createTenants({
    max,
    resolve: (tenantId) => ({ ...optionsOf(tenantId, 'https://api.example.com'), transport: fromMemory }),
  });

/** What the heap holds for each after it has carried a phone call through all three APIs. */
const measureIdleTenant = async (): Promise<number> => {
  const gc = globalThis.gc;
  if (!gc) throw new Error('the memory of tenants is measured with --expose-gc');
  await using tenants = inMemory(2 * tenantCount);
  const carryPhoneCall = (tenantId: string) =>
    tenants.use(tenantId, async (tenant) => {
      const phoneCall = tenant.startPhoneCall({ callId: tenantId, direction: 'Inbound', phone: '+14155550100' });
      await phoneCall.tools.run('lookup_customer_invoices', { phone: '+14155550100' });
      await phoneCall.finish({ summary: 'Nothing was open.' });
    });
  const heap = async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      gc();
    }
    return process.memoryUsage().heapUsed;
  };
  // The compiler's own memory is no tenant's.
  for (let warm = 0; warm < 300; warm += 1) await carryPhoneCall(`warm_${warm}`);
  const before = await heap();
  for (const tenantId of ids) await carryPhoneCall(tenantId);
  return ((await heap()) - before) / tenantCount;
};

const readContact = (tenants: Tenants, tenantId: string, deadline?: number) =>
  tenants.use(tenantId, ({ messaging }) => messaging.contacts.get(contact.id, { deadline }));

const oneAndMany = (): readonly Subject[] => {
  const one = inMemory(tenantCount);
  const many = inMemory(tenantCount);
  let next = 0;
  return [
    { name: 'one tenant', call: () => readContact(one, 'ws_0') },
    {
      name: '1,000 tenants in turn',
      call: () => {
        next = (next + 1) % tenantCount;
        return readContact(many, ids[next] ?? '');
      },
    },
  ];
};

const deadlineMs = 500;

/** One call to the dead tenant starts with every so many of the others: a hundred times its fair share. */
const othersPerDeadCall = 10;

/** Each round calls 999 tenants twice: while the dead one gets no calls, and while it gets them all the time. */
const measureOneDead = async ({ rounds, sliceMs }: Extent) => {
  using server = await startServer();
  const [dead = '', ...alive] = ids;
  await using tenants = createTenants({
    resolve: (tenantId) => {
      const options = optionsOf(tenantId, tenantId === dead ? `${server.baseUrl}/silent` : server.baseUrl);
      // With its circuit it would soon be refused for nothing.
      return tenantId === dead && options.messaging
        ? { ...options, messaging: { ...options.messaging, circuit: false, retryBudget: false } }
        : options;
    },
  });
  const calls = Math.round(sliceMs / 50) * alive.length;

  const p99Of = async (withDead: boolean): Promise<number> => {
    const tookMs: number[] = [];
    const hanging: Promise<unknown>[] = [];
    let next = 0;
    const lane = async () => {
      while (next < calls) {
        next += 1;
        if (withDead && next % othersPerDeadCall === 0)
          hanging.push(readContact(tenants, dead, deadlineMs).catch(() => undefined));
        const startedAt = performance.now();
        await readContact(tenants, alive[next % alive.length] ?? '');
        tookMs.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    await Promise.all(hanging);
    return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
  };

  await p99Of(true);
  const alone: number[] = [];
  const withDead: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Each half goes first in every other round.
    const first = await p99Of(round % 2 === 1);
    const second = await p99Of(round % 2 === 0);
    alone.push(round % 2 === 1 ? second : first);
    withDead.push(round % 2 === 1 ? first : second);
  }
  const ratio = spreadOf(withDead.map((ms, round) => ms / (alone[round] ?? Number.NaN)));
  const aloneMs = spreadOf(alone);
  return { calls, aloneMs, ratio, lowest: lowestOf(ratio, spreadOf(withDead), aloneMs) };
};
