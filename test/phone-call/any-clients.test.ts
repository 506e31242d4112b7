import { describe, expect, test } from 'vitest';
import { finishCall, type UnfinishedCall } from '../../src/phone-call/steps/finish-call.ts';
import { ClientError } from '../../src/core/errors.ts';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { startFinishWorker } from '../../src/phone-call/finish-later.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';
import type { ErrorPlace } from '../../src/tools/index.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { eventually } from '../support/until.ts';

const apis = ['messaging', 'crm', 'billing'] as const;
type Api = (typeof apis)[number];

/** All but the empty one, which is no integration. */
const subsets: readonly (readonly Api[])[] = Array.from({ length: 7 }, (_, index) =>
  apis.filter((_api, bit) => ((index + 1) >> bit) & 1),
);

const phone = '+14155550100';
const call = { callId: 'CA1', direction: 'Inbound', phone } as const;
const said = { outcome: 'paid', summary: 'Paid.', durationSeconds: 60 };
const unfinished: UnfinishedCall = { ...call, ...said, startedAt: '2026-03-01T04:30:00Z' };

const start = async (names: readonly Api[], more: Partial<IntegrationOptions> = {}) => {
  const connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  const options = Object.fromEntries(names.map((name) => [name, clientOptions[name]])) as IntegrationOptions;
  const queue = createMemoryMessageQueue({});
  const integration = createIntegration({ ...options, ...more });
  return {
    platform,
    options,
    queue,
    integration,
    written: () => [platform.messaging.conversations.length, platform.crm.tasks.length],
    expected: [names.includes('messaging') ? 1 : 0, names.includes('crm') ? 1 : 0],
    isIdle: async () => {
      const { ready, leased, delayed } = await queue.admin.stats();
      return ready + leased + delayed === 0;
    },
    [Symbol.asyncDispose]: async () => {
      await queue.close(0);
      await integration.close();
      await connected[Symbol.asyncDispose]();
    },
  };
};

describe.each(subsets.map((names) => [names.join(' and '), names] as const))('an integration of %s', (_what, names) => {
  test('is enough for a finish worker', async () => {
    const errors: unknown[] = [];
    await using under = await start(names, { onError: (error) => errors.push(error) });
    const { integration, queue } = under;
    await startPhoneCall(integration, { ...call, finishLater: { queue } }).finish(said);

    startFinishWorker(integration, { queue });
    await eventually(under.isIdle);

    expect(under.written()).toEqual(under.expected);
    expect(errors).toEqual([]);
  });

  test('is enough for finishCall', async () => {
    await using under = await start(names);

    const { complete } = await finishCall(under.integration, unfinished);

    expect([complete, under.written()]).toEqual([true, under.expected]);
  });

  test('is enough for a phone call that reads ahead', async () => {
    await using under = await start(names);

    const phoneCall = startPhoneCall(under.integration, { ...call, prefetch: ['callerContext', 'invoices'] });
    await phoneCall.tools.run('lookup_customer_invoices', {});
    const { complete } = await phoneCall.finish(said);

    expect([complete, under.written()]).toEqual([true, under.expected]);
  });

  test('of a tenant is enough too', async () => {
    await using under = await start(names);
    await using tenants = createTenants({ resolve: () => under.options });
    await using tenant = await tenants.open('acme');

    const { complete } = await finishCall(tenant, unfinished);

    expect([complete, under.written()]).toEqual([true, under.expected]);
  });

  test('has its state shown', async () => {
    await using under = await start(names);

    expect(Object.keys(under.integration.status())).toEqual(names);
    expect(Object.keys(JSON.parse(JSON.stringify(under.integration)))).toEqual(names);
    expect(Object.keys(await under.integration.warmUp())).toEqual(names);
  });
});

describe('what a finish worker cannot write', () => {
  test('goes to the onError of its integration', async () => {
    const got: [unknown, ErrorPlace][] = [];
    await using under = await start(['crm'], { onError: (...given) => got.push(given) });
    const { integration, platform, queue } = under;
    platform.fault('crm.tasks.create', [{ status: 403, times: 99 }]);
    await startPhoneCall(integration, { ...call, finishLater: { queue } }).finish(said);

    const worker = startFinishWorker(integration, { queue });
    await eventually(async () => got.length > 0);

    expect(got[0]).toEqual([
      expect.any(ClientError),
      { part: 'finish', callId: 'CA1', tool: undefined, toolCallId: undefined, tenant: undefined },
    ]);
    await worker.close(0);
  });
});
