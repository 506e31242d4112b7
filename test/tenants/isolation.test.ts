import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiKey, bearer } from '../../src/auth/index.ts';
import type { NotReadyError } from '../../src/core/errors.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createTenants, type TenantsOptions } from '../../src/tenants/create-tenants.ts';
import type { Tenant } from '../../src/tenants/lease.ts';
import type { TenantOptions } from '../../src/tenants/tenant-options.ts';
import fc from '../support/fast-check.ts';

const ids = ['north', 'south', 'east', 'west'] as const;
type Id = (typeof ids)[number];

/** Is part of everything that belongs to a tenant: its secrets, its records, its errors. */
const markOf = (id: Id) => `belongs-to-${id}`;

const otherMarksIn = (id: Id, seen: unknown): readonly Id[] => {
  const text = JSON.stringify(seen) ?? '';
  return ids.filter((other) => other !== id && text.includes(markOf(other)));
};

interface Received {
  readonly tenant: string;
  readonly secret: string | undefined;
  readonly version: string | undefined;
  readonly body: string;
}

let received: Received[] = [];
let statusOf: (id: string) => number = () => 200;

/** Four workspaces behind one address. Every record in them has the same id, so that a mix-up shows. */
const server = createServer(async (request, response) => {
  const [, tenant = '', ...rest] = (request.url ?? '').split('/');
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { authorization, 'x-api-key': key, 'acme-version': version } = request.headers;
  received.push({
    tenant,
    secret: authorization?.replace('Bearer ', '') ?? String(key),
    version: version?.toString(),
    body,
  });
  const mark = `belongs-to-${tenant}`;
  const status = statusOf(tenant);
  const path = rest.join('/');
  const answer = path.includes('payments')
    ? { status: 'completed', confirmation_number: mark }
    : path.includes('invoices')
      ? [{ id: 'inv_1', amount: 20 }]
      : { id: 'same_id', name: mark, email: `${mark}@example.com` };
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-request-id': mark, 'retry-after': '0' })
    .end(JSON.stringify(status < 300 ? answer : { error: mark }));
});

let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const connect = (shared: Pick<TenantsOptions, 'store'> = {}) => {
  const events: IntegrationEvent[] = [];
  const optionsOf = (id: Id): TenantOptions => {
    const connection = { backoff: { minimumMs: 0, maximumMs: 0 }, attempts: 2 };
    return {
      onEvent: (event) => void events.push(event),
      messaging: {
        ...connection,
        baseUrl: `${origin}/${id}`,
        authenticate: bearer(() => markOf(id)),
        platform: 'Acme',
        version: `2.${ids.indexOf(id)}`,
      },
      billing: {
        ...connection,
        baseUrl: `${origin}/${id}`,
        authenticate: apiKey('X-Api-Key', () => markOf(id)),
        version: { path: 'v1' },
      },
      payments: { below: 5000, confirm: false },
    };
  };
  // Two places for four tenants: they are evicted and created again all the time.
  const tenants = createTenants({ max: 2, ...shared, resolve: (id) => optionsOf(id as Id) });
  return { tenants, events };
};

const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 20, payment_method_id: 'pm_1' };

/** What an application may do with a tenant; each returns everything that it saw. */
const works: Readonly<Record<string, (tenant: Tenant) => Promise<unknown>>> = {
  read: async (tenant) => tenant.messaging.contacts.get('same_id'),
  write: async (tenant) => tenant.messaging.contacts.create({ phone: '+14155550100' }),
  find: async (tenant) => tenant.billing.customers.find({ phone: '+14155550100' }),
  pay: async (tenant) => {
    const phoneCall = tenant.startPhoneCall({
      callId: 'CA1',
      direction: 'Inbound',
      phone: '+14155550100',
      payments: { card: 'from-model', confirm: false },
    });
    await phoneCall.tools.run('lookup_customer_invoices', {});
    const result = await phoneCall.tools.run('create_payment', payment);
    await phoneCall.finish().catch(() => undefined);
    return result;
  },
};

const endOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => [error, String(error), Reflect.get(Object(error), 'details')]);

test('nothing of one tenant is ever seen by another, whatever is done at the same time and fails', async () => {
  const step = fc.record({
    id: fc.constantFrom(...ids),
    work: fc.constantFrom(...Object.keys(works), 'refresh'),
    status: fc.constantFrom(200, 200, 200, 401, 422, 429, 503),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 6 }), async (rounds) => {
      received = [];
      const { tenants, events } = connect();
      for (const round of rounds) {
        const statuses = new Map<string, number>(round.map(({ id, status }) => [id, status]));
        statusOf = (id) => statuses.get(id) ?? 200;
        const seen = await Promise.all(
          round.map(async ({ id, work }) => ({
            id,
            seen: await endOf(
              work === 'refresh' ? tenants.refresh(id) : tenants.use(id, (tenant) => works[work]?.(tenant)),
            ),
          })),
        );
        expect(seen.filter((one) => otherMarksIn(one.id, one.seen).length > 0)).toEqual([]);
      }
      await tenants.close();

      expect(events.filter(({ tenant }) => !ids.includes(tenant as Id))).toEqual([]);
      expect(events.filter((event) => otherMarksIn(event.tenant as Id, event).length > 0)).toEqual([]);
      expect(received.filter(({ tenant, secret }) => secret !== markOf(tenant as Id))).toEqual([]);
      expect(
        received.filter(({ tenant, version }) => version !== undefined && version !== `2.${ids.indexOf(tenant as Id)}`),
      ).toEqual([]);
      expect(received.filter((request) => otherMarksIn(request.tenant as Id, request.body).length > 0)).toEqual([]);
    }),
    { numRuns: 40, seed: 20261121 },
  );
});

test('the same payment in two tenants is made twice, and in one tenant once, also after it was evicted', async () => {
  statusOf = () => 200;
  const { tenants } = connect();
  const paid: unknown[] = [];
  for (const id of ['north', 'south', 'east', 'west', 'north'] as const) {
    const result = await tenants.use(id, (tenant) => works['pay']?.(tenant));
    paid.push(result);
  }
  await tenants.close();

  expect(paid).toMatchObject(
    (['north', 'south', 'east', 'west', 'north'] as const).map((id) => ({
      status: 'done',
      value: { success: true, confirmation_number: markOf(id) },
    })),
  );
  const payments = received.filter(({ body }) => body.includes('payment_method_id'));
  expect(payments.map(({ tenant }) => tenant)).toEqual(['north', 'south', 'east', 'west']);
  const keys = payments.map(({ body }) => (JSON.parse(body) as { idempotency_key: string }).idempotency_key);
  expect(new Set(keys).size).toBe(4);
});

test('a store of all tenants keeps each one’s payments apart, and another process knows them', async () => {
  statusOf = () => 200;
  const store = createMemoryIdempotencyStore();
  const processes = [connect({ store }), connect({ store })];
  for (const { tenants } of processes) {
    for (const id of ['north', 'south'] as const)
      expect(await tenants.use(id, (tenant) => works['pay']?.(tenant))).toMatchObject({
        value: { confirmation_number: markOf(id) },
      });
    await tenants.close();
  }

  const payments = received.filter(({ body }) => body.includes('payment_method_id'));
  expect(payments.map(({ tenant }) => tenant)).toEqual(['north', 'south']);
});

test.each([
  ['without a store', undefined, 1],
  ['with a store', createMemoryIdempotencyStore(), 0],
  ["with 'memory'", 'memory' as const, 0],
])('the check of a tenant notes what only this process remembers: %s', async (_, store, expected) => {
  statusOf = () => 200;
  const { tenants } = connect({ store });

  // The server here answers everything with a record, which no list is.
  const { notes } = await tenants.use('north', (tenant) => tenant.check().catch((error: NotReadyError) => error));
  await tenants.close();

  const found = notes.filter(({ problem }) => problem.startsWith('payments are remembered in memory'));
  expect(found).toHaveLength(expected);
});

test('a model cannot name the tenant: whatever it writes reaches the one that its phone call belongs to', async () => {
  statusOf = () => 200;
  const { tenants } = connect();
  const { definitions, results } = await tenants.use('north', async (tenant) => {
    const { tools } = tenant.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });
    const guesses = ['tenant', 'tenantId', 'tenant_id', 'workspace', 'baseUrl'];
    return {
      definitions: JSON.stringify(tools.tools()),
      results: await Promise.all(
        guesses.map((name) => tools.run('lookup_customer_invoices', { phone: '+14155550100', [name]: 'south' })),
      ),
    };
  });
  await tenants.close();

  expect(definitions).not.toMatch(/tenant|workspace/i);
  expect(results.length).toBe(5);
  expect(received.filter(({ tenant }) => tenant !== 'north')).toEqual([]);
});
