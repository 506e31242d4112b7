import { describe, expect, it, vi } from 'vitest';
import { apiKey, bearer } from '../../src/auth/index.ts';
import { AbortedError, InvalidArgumentError, TenantUnavailableError } from '../../src/core/errors.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import { createTenants, type TenantsOptions } from '../../src/tenants/create-tenants.ts';
import type { TenantOptions } from '../../src/tenants/tenant-options.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { connectPlatform } from '../support/connected-platform.ts';

const billing = {
  baseUrl: 'https://billing.example.com',
  authenticate: apiKey('X-Api-Key', () => 'key'),
  version: { path: 'v1' },
};

/** Tenants on virtual time, and what was asked and closed. */
const setUp = (options: Partial<TenantsOptions> = {}) => {
  const clock = createVirtualClock();
  const resolved: string[] = [];
  const closed: string[] = [];
  const tenants = createTenants({
    resolve: async (tenantId): Promise<TenantOptions> => {
      resolved.push(tenantId);
      return { billing, onClose: () => void closed.push(tenantId) };
    },
    ...options,
  });
  const held = () => tenants.status().tenants.map(({ tenantId }) => tenantId);
  return { tenants, clock, resolved, closed, held };
};

const nothing = () => undefined;

const failureOf = (promise: Promise<unknown>): Promise<TenantUnavailableError> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error: TenantUnavailableError) => error,
  );

describe('the first use of a tenant', () => {
  it('asks for its options once, however many come at the same time', async () => {
    const { tenants, resolved } = setUp();

    const opened = await Promise.all(Array.from({ length: 100 }, () => tenants.open('acme')));

    expect(resolved).toEqual(['acme']);
    expect(new Set(opened.map((tenant) => tenant.billing)).size).toBe(1);
    expect(tenants.status()).toMatchObject({ open: 1, inUse: 1, tenants: [{ tenantId: 'acme', uses: 100 }] });
  });

  it('asks again only after a short while when it failed', async () => {
    let asked = 0;
    const { tenants, clock } = setUp({
      cooldownMs: 1_000,
      resolve: async () => {
        asked += 1;
        if (asked === 1) throw new Error('postgres://user:secret@db is down');
        return { billing };
      },
    });

    const failures = await Promise.all(Array.from({ length: 100 }, () => failureOf(tenants.open('acme'))));
    await clock.advance(400);
    const tooEarly = await failureOf(tenants.open('acme'));

    expect(asked).toBe(1);
    expect(failures[0]).toMatchObject({ reason: 'resolve_failed', tenant: 'acme', retryAfterMs: 1_000 });
    expect(tooEarly).toMatchObject({ reason: 'resolve_failed', retryAfterMs: 600, outcome: 'not_sent' });
    expect(tooEarly.original).toEqual(new Error('postgres://user:secret@db is down'));
    expect(JSON.stringify([failures, tooEarly])).not.toContain('secret');
    await clock.advance(600);
    expect((await tenants.open('acme')).tenantId).toBe('acme');
    expect(asked).toBe(2);
  });

  it('says that there is no such tenant, without asking for it again and again', async () => {
    let asked = 0;
    const { tenants } = setUp({
      resolve: () => {
        asked += 1;
        return undefined;
      },
    });

    const failures = [await failureOf(tenants.open('unknown')), await failureOf(tenants.open('unknown'))];

    expect(failures.map(({ reason }) => reason)).toEqual(['unknown', 'unknown']);
    expect(asked).toBe(1);
  });

  it('keeps the failures of no more tenants than it may hold', async () => {
    const asked: string[] = [];
    const { tenants } = setUp({ max: 2, resolve: (tenantId) => void asked.push(tenantId) });

    for (const tenantId of ['a', 'b', 'c', 'b', 'a']) await failureOf(tenants.open(tenantId));

    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });

  it('does not wait longer than it may for the options, and closes what comes too late', async () => {
    const late = Promise.withResolvers<TenantOptions>();
    const closed = Promise.withResolvers<void>();
    let isAborted = false;
    const { tenants, clock } = setUp({
      resolveTimeoutMs: 5_000,
      resolve: (_tenantId, { signal }) => {
        signal.addEventListener('abort', () => {
          isAborted = true;
        });
        return late.promise;
      },
    });

    const failure = failureOf(tenants.open('acme'));
    await clock.advance(5_000);

    expect(await failure).toMatchObject({ reason: 'resolve_failed' });
    expect(isAborted).toBe(true);
    late.resolve({ billing, onClose: closed.resolve });
    await closed.promise;
    expect(tenants.status()).toMatchObject({ open: 0, opening: 0 });
  });

  it('lets one give up while the others go on waiting', async () => {
    const options = Promise.withResolvers<TenantOptions>();
    const { tenants } = setUp({ resolve: () => options.promise });
    const caller = new AbortController();

    const gaveUp = failureOf(tenants.open('acme', { signal: caller.signal }));
    const other = tenants.open('acme');
    caller.abort();
    options.resolve({ billing });

    expect(await gaveUp).toBeInstanceOf(AbortedError);
    expect((await other).tenantId).toBe('acme');
    expect(tenants.status().tenants).toMatchObject([{ uses: 1 }]);
  });

  it.each<[what: string, options: TenantOptions, field: string]>([
    ['of another tenant', { billing, tenant: 'other' }, 'tenant'],
    ['with a client of another tenant', { billing: { ...billing, tenant: 'other' } }, 'billing.tenant'],
    [
      'with tools of another tenant',
      { billing, phoneCalls: { tools: { tenant: 'other' } } },
      'phoneCalls.tools.tenant',
    ],
    ['with nothing in them', {}, 'options'],
  ])('refuses options %s, and closes what came with them', async (_what, options, field) => {
    let closed = 0;
    const { tenants } = setUp({ resolve: () => ({ ...options, onClose: () => void (closed += 1) }) });

    const { reason, original } = await failureOf(tenants.open('acme'));

    expect([reason, original instanceof InvalidArgumentError && original.field]).toEqual(['resolve_failed', field]);
    expect(closed).toBe(1);
  });

  it.each([['  '], ['\ud800'], [7]])('refuses %j as an id', async (tenantId) => {
    const { tenants, resolved } = setUp();

    await expect(tenants.open(tenantId as string)).rejects.toBeInstanceOf(InvalidArgumentError);
    expect(resolved).toEqual([]);
  });
});

describe('an idle tenant', () => {
  it('is closed when nothing has used it for so long, and created again by the next use', async () => {
    const { tenants, clock, resolved, closed } = setUp({ idleMs: 60_000 });

    await tenants.use('acme', nothing);
    await clock.advance(54_000);
    expect(closed).toEqual([]);
    await clock.advance(12_000);

    expect(closed).toEqual(['acme']);
    expect(tenants.status()).toEqual({ open: 0, inUse: 0, draining: 0, opening: 0, tenants: [] });
    expect(clock.pendingTimers()).toBe(0);
    await tenants.use('acme', nothing);
    expect(resolved).toEqual(['acme', 'acme']);
  });

  it('is kept while a use goes on, however long it takes', async () => {
    const { tenants, clock, closed } = setUp({ idleMs: 1_000 });
    const tenant = await tenants.open('acme');

    await clock.advance(3_600_000);
    expect(closed).toEqual([]);
    expect(tenant.status().billing?.circuit).toBe('closed');

    await tenant.close();
    await tenant.close();
    await clock.advance(1_200);
    expect(closed).toEqual(['acme']);
  });

  it('is kept while work goes on, also when that fails', async () => {
    const { tenants, clock, closed } = setUp({ idleMs: 1_000 });
    const work = Promise.withResolvers<never>();

    const used = tenants.use('acme', () => work.promise);
    await clock.advance(10_000);
    expect(closed).toEqual([]);
    work.reject(new Error('the work failed'));

    await expect(used).rejects.toThrow('the work failed');
    await clock.advance(1_200);
    expect(closed).toEqual(['acme']);
  });

  it('is kept for as long as its own quota counts, which would begin again', async () => {
    const clock = createVirtualClock();
    const { tenants } = setUp({
      idleMs: 1_000,
      resolve: () => ({ billing: { ...billing, quota: { limit: 10, perMs: 60_000 } } }),
    });

    await tenants.use('acme', nothing);
    await clock.advance(59_000);
    expect(tenants.status().open).toBe(1);
    await clock.advance(1_100);
    expect(tenants.status().open).toBe(0);
  });

  it('is kept for as long as a search may not know the contacts that it made', async () => {
    const clock = createVirtualClock();
    const authenticate = bearer(() => 'token');
    const { tenants } = setUp({
      idleMs: 1_000,
      resolve: () => ({ messaging: { ...intercom(), authenticate, adminId: 'admin_1' } }),
    });

    await tenants.use('acme', nothing);
    await clock.advance(9 * 60_000);
    expect(tenants.status().open).toBe(1);
    await clock.advance(61_000);
    expect(tenants.status().open).toBe(0);
  });

  it('cannot be used after its use is over', async () => {
    const { tenants } = setUp();
    const tenant = await tenants.open('acme');
    await tenant.close();

    const uses = [
      () => tenant.billing,
      () => tenant.status(),
      () => tenant.startPhoneCall({ callId: 'CA1', direction: 'Inbound' }),
    ];

    for (const use of uses) expect(use).toThrow(TenantUnavailableError);
  });

  it('says when what it held could not be closed', async () => {
    const errors: unknown[] = [];
    const clock = createVirtualClock();
    const { tenants } = setUp({
      idleMs: 1_000,
      resolve: () => ({ billing, onClose: () => Promise.reject(new Error('the socket is stuck')) }),
      onError: (error, about) => errors.push([error, about]),
    });

    await tenants.use('acme', nothing);
    await clock.advance(1_200);

    expect(errors).toEqual([[new Error('the socket is stuck'), { tenantId: 'acme' }]]);
  });
});

describe('a phone call', () => {
  it('holds its tenant from its start to the end of finish, after the use is over', async () => {
    await using connected = await connectPlatform();
    const { clock, tenants } = setUp({
      idleMs: 1_000,
      resolve: () => ({ messaging: connected.clientOptions.messaging }),
    });
    const tenant = await tenants.open('acme');
    const phoneCall = tenant.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });
    await tenant.close();

    await clock.advance(600_000);
    expect(tenants.status()).toMatchObject({ open: 1, inUse: 1 });
    expect(phoneCall.caller).toMatchObject({ phone: '+14155550100', verified: 'caller-id' });
    phoneCall.verifyCaller('strong');
    expect(phoneCall.caller.verified).toBe('strong');
    const finished = await phoneCall.finish({ summary: 'Asked for the time.' });

    expect(finished.complete).toBe(true);
    expect(tenants.status()).toMatchObject({ open: 1, inUse: 0 });
    await clock.advance(1_200);
    expect(tenants.status().open).toBe(0);
  });

  it('that starts while a refresh replaces its tenant keeps that open until finish has ended', async () => {
    await using connected = await connectPlatform();
    const closed: string[] = [];
    const { tenants, clock } = setUp({
      resolve: (tenantId) => ({
        messaging: connected.clientOptions.messaging,
        onClose: () => void closed.push(tenantId),
      }),
    });
    const tenant = await tenants.open('acme');
    await tenants.refresh('acme');
    const phoneCall = tenant.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });
    await tenant.close();

    expect(closed).toEqual([]);
    expect((await phoneCall.finish({ summary: 'Asked for the time.' })).complete).toBe(true);
    await clock.advance(0);
    expect(closed).toEqual(['acme']);
  });

  it('that is never finished does not hold its tenant for ever', async () => {
    const { clock, tenants, closed } = setUp({ idleMs: 1_000, longestPhoneCallMs: 60_000 });
    await tenants.use('acme', (tenant) => tenant.startPhoneCall({ callId: 'CA1', direction: 'Inbound' }));

    await clock.advance(59_000);
    expect(closed).toEqual([]);
    await clock.advance(3_000);
    expect(closed).toEqual(['acme']);
  });

  it('that is finished after its tenant was closed does not bring the closed one back', async () => {
    const { clock, tenants, closed } = setUp({ idleMs: 1_000 });
    const phoneCall = await tenants.use('acme', (tenant) =>
      tenant.startPhoneCall({ callId: 'CA1', direction: 'Inbound' }),
    );
    await phoneCall.finish();
    await clock.advance(2_000);
    expect(closed).toEqual(['acme']);
    const next = await tenants.open('acme');

    await phoneCall.finish({ summary: 'More to say' });

    const other = await tenants.open('acme');
    expect(other.billing).toBe(next.billing);
    expect(tenants.status()).toMatchObject({ open: 1, tenants: [{ uses: 2 }] });
    await tenants.close();
    expect(closed).toEqual(['acme', 'acme']);
  });

  it('cannot be given to another tenant', async () => {
    const { tenants } = setUp();
    const tenant = await tenants.open('acme');

    expect(() => tenant.startPhoneCall({ callId: 'CA1', direction: 'Inbound', tools: { tenant: 'other' } })).toThrow(
      new InvalidArgumentError('tools.tenant', 'names another tenant than the one that was asked for'),
    );
    expect(() => tenant.liveCalls().of({ callId: 'CA1', tools: { tenant: 'other' } })).toThrow(
      new InvalidArgumentError('tools.tenant', 'names another tenant than the one that was asked for'),
    );
  });
});

describe('more tenants than may be held', () => {
  it('take the place of the one that was idle for longest', async () => {
    const { tenants, held, closed } = setUp({ max: 3 });
    for (const tenantId of ['a', 'b', 'c', 'a', 'd']) await tenants.use(tenantId, nothing);

    expect(held()).toEqual(['c', 'a', 'd']);
    expect(closed).toEqual(['b']);
  });

  it('never take the place of one in use, and are refused when all are', async () => {
    const { tenants, held, resolved } = setUp({ max: 2 });
    const first = await tenants.open('a');
    await tenants.use('b', nothing);
    await tenants.open('c');

    expect(held()).toEqual(['a', 'c']);
    expect(await failureOf(tenants.open('d'))).toMatchObject({
      message: 'all 2 tenants that may be held are in use',
      reason: 'too_many',
      tenant: 'd',
    });
    expect(resolved).toEqual(['a', 'b', 'c']);
    await first.close();
    await tenants.open('d');
    expect(held()).toEqual(['c', 'd']);
  });

  it('each get their turn when they all come at once', async () => {
    const { tenants } = setUp({ max: 1 });

    const ends = await Promise.allSettled(['a', 'b'].map((tenantId) => tenants.open(tenantId)));

    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(tenants.status()).toMatchObject({ open: 1, inUse: 1, opening: 0 });
  });
});

describe('a refresh', () => {
  const versions = () => {
    let version = 1;
    let asked = 0;
    const closed: number[] = [];
    const set = setUp({
      resolve: async () => {
        asked += 1;
        const own = version;
        return { billing: { ...billing, version: { path: `v${own}` } }, onClose: () => void closed.push(own) };
      },
    });
    return {
      ...set,
      closed,
      asked: () => asked,
      next: () => {
        version += 1;
      },
    };
  };

  it('gives the next use the new options, and closes the old ones when their last use has ended', async () => {
    const { tenants, clock, closed, next } = versions();
    const before = await tenants.open('acme');
    next();
    await tenants.refresh('acme');
    const after = await tenants.open('acme');

    expect(after.billing).not.toBe(before.billing);
    expect(before.status().billing?.circuit).toBe('closed');
    expect(tenants.status()).toMatchObject({ open: 2, inUse: 2, draining: 1 });
    expect(closed).toEqual([]);
    await before.close();
    await clock.advance(0);
    expect(closed).toEqual([1]);
    expect(tenants.status()).toMatchObject({ open: 1, draining: 0 });
  });

  it('makes a first use, which is under way, ask again', async () => {
    const { tenants, closed, next, asked } = versions();
    const opening = tenants.open('acme');
    await Promise.resolve();
    next();
    await Promise.all([tenants.refresh('acme'), opening]);

    expect([asked(), closed, tenants.status().open]).toEqual([2, [1], 1]);
  });

  it('keeps what it has when the new options cannot be read', async () => {
    let isDown = false;
    const { tenants } = setUp({
      resolve: () => {
        if (isDown) throw new Error('down');
        return { billing };
      },
    });
    const before = await tenants.open('acme');
    isDown = true;

    expect(await failureOf(tenants.refresh('acme'))).toMatchObject({ reason: 'resolve_failed' });
    expect((await tenants.open('acme')).billing).toBe(before.billing);
    isDown = false;
    await tenants.refresh('acme');
    expect((await tenants.open('acme')).billing).not.toBe(before.billing);
  });

  it('lets go of a tenant that is no more', async () => {
    let isThere = true;
    const { tenants } = setUp({ resolve: () => (isThere ? { billing } : undefined) });
    const last = await tenants.open('acme');
    const client = last.billing;
    isThere = false;
    await tenants.refresh('acme');

    expect(await failureOf(tenants.open('acme'))).toMatchObject({ reason: 'unknown' });
    expect(last.billing).toBe(client);
    await last.close();
    expect(tenants.status().open).toBe(0);
  });

  it('ends the wait after a failure, and makes nothing for an unused tenant', async () => {
    let asked = 0;
    const { tenants } = setUp({
      resolve: () => {
        asked += 1;
        if (asked === 1) throw new Error('down');
        return { billing };
      },
    });
    await failureOf(tenants.open('acme'));
    await tenants.refresh('acme');

    expect(asked).toBe(1);
    await tenants.open('acme');
    expect(asked).toBe(2);
  });
});

describe('closing', () => {
  it('refuses new uses, closes everything and leaves no timer', async () => {
    const late = Promise.withResolvers<TenantOptions>();
    const closed: string[] = [];
    const { tenants, clock } = setUp({
      resolve: (tenantId) =>
        tenantId === 'late' ? late.promise : { billing, onClose: () => void closed.push(tenantId) },
    });
    await tenants.open('used');
    await tenants.use('idle', nothing);
    const opening = failureOf(tenants.open('late'));
    await tenants.close();

    expect(closed).toEqual(['idle', 'used']);
    expect(await failureOf(tenants.open('used'))).toMatchObject({
      message: 'the tenants were closed',
      reason: 'closed',
      tenant: 'used',
    });
    late.resolve({ billing, onClose: () => void closed.push('late') });
    expect(await opening).toMatchObject({ reason: 'closed', tenant: 'late' });
    expect(closed).toEqual(['idle', 'used', 'late']);
    await clock.advance(1);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('waits for calls that are still running, as long as it may', async () => {
    const { tenants, clock, closed } = setUp();
    const quick = await tenants.open('quick');
    await tenants.open('slow');

    const end = tenants.close({ drainMs: 5_000 });
    await clock.advance(1_000);
    await quick.close();
    await clock.advance(1_000);
    expect(closed).toEqual(['quick']);
    await clock.advance(3_000);
    await end;

    expect(closed).toEqual(['quick', 'slow']);
  });
});

it('times may have decimals', async () => {
  const { tenants, resolved } = setUp({ idleMs: 1_000.5, cooldownMs: 333.3, resolveTimeoutMs: 1.5 });
  await tenants.use('acme', nothing);
  expect(resolved).toEqual(['acme']);
});

it('closing closes a tenant that is due, even before its timer could come', async () => {
  const { tenants, closed } = setUp({ idleMs: 5 });
  await tenants.use('acme', nothing);

  const now = performance.now() + 20;
  vi.spyOn(performance, 'now').mockReturnValue(now);
  await tenants.close();

  expect(closed).toEqual(['acme']);
});

it.each([
  [{ max: 0 }, 'max'],
  [{ idleMs: 0 }, 'idleMs'],
  [{ resolveTimeoutMs: Number.POSITIVE_INFINITY }, 'resolveTimeoutMs'],
  [{ resolve: undefined as never }, 'resolve'],
  [{ store: 'redis' as never }, 'store'],
])('options that cannot work are refused: %j', (options, field) => {
  expect(() => createTenants({ resolve: () => ({ billing }), ...options })).toThrow(
    expect.objectContaining({ code: 'invalid_argument', field }),
  );
});
