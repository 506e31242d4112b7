import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import type { MessagingOptions } from '../../src/messaging/index.ts';
import { createAppLimits } from '../../src/tenants/app-limits.ts';
import { createTenants, type Tenants, type TenantsOptions } from '../../src/tenants/create-tenants.ts';
import type { Tenant } from '../../src/tenants/lease.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** Tenants of one app, and how many requests reached the API. */
const setUp = (
  messagingOf: (tenantId: string) => Partial<MessagingOptions> = () => ({}),
  options: Partial<TenantsOptions> = {},
) => {
  const clock = createVirtualClock();
  const sent: string[] = [];
  const tenants = createTenants({
    resolve: (tenantId) => ({
      messaging: {
        baseUrl: 'https://api.acme.example/v2',
        authenticate: bearer(() => 'token'),
        platform: 'Acme',
        version: '2.11',
        fetch: async (input) => {
          sent.push(new URL(input instanceof Request ? input.url : input).host);
          return Response.json({ type: 'admin.list', admins: [] });
        },
        ...messagingOf(tenantId),
      },
    }),
    ...options,
  });
  return { tenants, clock, sent };
};

const send = async ({ messaging }: Tenant, times: number): Promise<readonly string[]> => {
  const ends = await Promise.allSettled(Array.from({ length: times }, () => messaging.admins.list()));
  return ends.map((end) => (end.status === 'fulfilled' ? 'ok' : String(end.reason.code)));
};

/** 800 calls by each of two tenants at once. */
const sendByTwo = async (tenants: Tenants) => {
  await using acme = await tenants.open('acme');
  await using globex = await tenants.open('globex');
  return (await Promise.all([send(acme, 800), send(globex, 800)])).flat();
};

describe('the rate limit of the messaging app', () => {
  test('is one for all tenants, without any option', async () => {
    const { tenants, clock, sent } = setUp();

    const ends = await sendByTwo(tenants);

    expect(sent).toHaveLength(1_000);
    expect(ends.filter((end) => end === 'rate_limited')).toHaveLength(600);
    await clock.advance(60_000);
    await sendByTwo(tenants);
    expect(sent).toHaveLength(2_000);
    await tenants.close();
    await clock.advance(1);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('does not begin again when a tenant is evicted', async () => {
    const { tenants, sent } = setUp(undefined, { max: 1 });

    for (const tenantId of ['acme', 'globex', 'acme']) await tenants.use(tenantId, (tenant) => send(tenant, 400));

    expect(sent).toHaveLength(1_000);
  });

  test('does not begin again when every tenant was idle and the memory is swept', async () => {
    const { tenants, clock, sent } = setUp(undefined, { idleMs: 20_000 });

    await tenants.use('acme', (tenant) => send(tenant, 800));
    await clock.advance(30_000);
    expect(tenants.status().open).toBe(0);
    await tenants.use('globex', (tenant) => send(tenant, 800));

    expect(sent).toHaveLength(1_000);
  });

  test('is another one at another origin', async () => {
    const { tenants, sent } = setUp((tenantId) => ({ baseUrl: `https://${tenantId}.example` }));

    await sendByTwo(tenants);

    expect(sent.filter((host) => host === 'acme.example')).toHaveLength(800);
    expect(sent).toHaveLength(1_600);
  });

  test.each([
    ['its own limit', { limit: 900, perMs: 60_000 }],
    ['no limit', false as const],
  ])('leaves a tenant alone that has %s', async (_what, rateLimit) => {
    const { tenants, sent } = setUp((tenantId) => (tenantId === 'acme' ? { rateLimit } : {}));

    await sendByTwo(tenants);

    expect(sent).toHaveLength(1_600);
  });
});

test('an absurd pause sets no timer that is too long for Node', async () => {
  vi.useRealTimers();
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => void warnings.push(name);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));

  const limiter = createAppLimits().of('https://api.acme.example');
  limiter.pause('acme', Number.MAX_SAFE_INTEGER);
  await sleep(20);

  expect(limiter.state().pausedForMs).toBeGreaterThan(590_000);
  expect(warnings).toEqual([]);
});
