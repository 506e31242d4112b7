import { describe, expect, test } from 'vitest';
import { InvalidArgumentError, StoreError } from '../../src/core/errors.ts';
import { createIntegration } from '../../src/integration.ts';
import { type FinishLater } from '../../src/phone-call/finish-later.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { finishCall, type UnfinishedCall } from '../../src/phone-call/steps/finish-call.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { eventually, until } from '../support/until.ts';

const ringing = { callId: 'CA1', phone: '+14155550100' };
const words = { outcome: 'resolved', summary: 'Paid with 4242 4242 4242 4242.' };

const start = async (finishLater: FinishLater) => {
  const connected = await connectPlatform();
  const { crm } = connected.clientOptions;
  const errors: unknown[] = [];
  const connect = (later: FinishLater) =>
    createIntegration({ crm, finishLater: later, onError: (error) => errors.push(error) });
  const integration = connect(finishLater);
  return {
    platform: connected.platform,
    crm,
    integration,
    connect,
    errors,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await connected[Symbol.asyncDispose]();
    },
  };
};

describe('a queue', () => {
  test('is worked by the integration that stores the calls', async () => {
    await using later = await start({ queue: createMemoryMessageQueue() });

    const finished = await later.integration.startPhoneCall(ringing).finish(words);
    await until(() => later.platform.crm.tasks.length === 1);

    expect(finished).toEqual({ complete: false, queued: true, steps: [] });
    expect(later.errors).toEqual([]);
  });

  test('is left alone with work: false, until a process with the same queue works it', async () => {
    const queue = createMemoryMessageQueue();
    await using later = await start({ queue, work: false });
    await later.integration.startPhoneCall(ringing).finish(words);
    expect(await queue.admin.stats()).toMatchObject({ ready: 1 });

    await using worker = later.connect({ queue });
    await until(() => later.platform.crm.tasks.length === 1);

    expect(worker.status()).toHaveProperty('crm');
  });

  test('is not worked any more once the integration is closed, which waits for what is being written', async () => {
    const queue = createMemoryMessageQueue();
    await using later = await start({ queue });
    await later.integration.startPhoneCall(ringing).finish(words);
    await until(() => later.platform.requests.length > 0);

    await later.integration.close();
    expect(later.platform.crm.tasks).toHaveLength(1);
    expect(await queue.admin.stats()).toMatchObject({ ready: 0, leased: 0 });
    await later.integration.startPhoneCall({ ...ringing, callId: 'CA2' }).finish(words);

    expect(await queue.admin.stats()).toMatchObject({ ready: 1 });
  });

  test('that two tenants share gives each the calls of its own', async () => {
    const queue = createMemoryMessageQueue();
    await using first = await connectPlatform();
    await using second = await connectPlatform();
    const systems = { acme: first, bakery: second };
    await using tenants = createTenants({
      resolve: (tenantId) => ({
        crm: systems[tenantId as keyof typeof systems].clientOptions.crm,
        finishLater: { queue },
      }),
    });
    await using acme = await tenants.open('acme');
    await using bakery = await tenants.open('bakery');

    for (const tenant of [acme, acme, bakery])
      await tenant.startPhoneCall({ ...ringing, callId: `CA${Math.random()}` }).finish(words);
    await until(() => first.platform.crm.tasks.length + second.platform.crm.tasks.length === 3);

    expect(first.platform.crm.tasks).toHaveLength(2);
    expect(second.platform.crm.tasks).toHaveLength(1);
  });
});

test.each([
  [
    { callId: 'x:y', tenant: undefined },
    { callId: 'y', tenant: 'x' },
  ],
  [
    { callId: 'b:c', tenant: 'a' },
    { callId: 'c', tenant: 'a:b' },
  ],
  [
    { callId: 'y', tenant: 'x/z' },
    { callId: 'y', tenant: 'x%2Fz' },
  ],
])('%o and %o are two messages of one queue', async (...calls) => {
  const queue = createMemoryMessageQueue();
  for (const { callId, tenant } of calls)
    await startPhoneCall({}, { ...ringing, callId, tools: { tenant }, finishLater: { queue } }).finish(words);

  expect(await queue.admin.stats()).toMatchObject({ ready: 2 });
});

test('a call that becomes a dead letter is one error, which says so and has the failure as its cause', async () => {
  await using connected = await connectPlatform();
  const queue = createMemoryMessageQueue();
  const errors: unknown[] = [];
  connected.platform.fault('crm.tasks.create', [{ status: 503 }]);
  await using integration = createIntegration({
    crm: { ...connected.clientOptions.crm, idempotency: 'none', dialect: { lookUp: () => 'never' } },
    finishLater: { queue },
    onError: (error) => errors.push(error),
  });

  await integration.startPhoneCall({ callId: 'CA1' }).finish(words);
  await eventually(async () => (await queue.admin.deadLetters()).length === 1);

  expect(errors).toMatchObject([
    { message: expect.stringContaining('CA1 is a dead letter'), cause: { operation: 'crm.tasks.create' } },
  ]);
});

test('a dead letter names a part that an earlier try may have done', async () => {
  await using connected = await connectPlatform();
  const queue = createMemoryMessageQueue();
  connected.platform.fault('crm.tasks.create', [{ status: 503 }]);
  connected.platform.fault('crm.contacts.search', [{ status: 503, times: 4 }]);
  await using integration = createIntegration({
    crm: { ...connected.clientOptions.crm, idempotency: 'none', dialect: { lookUp: () => 'never' } },
    finishLater: { queue },
    onError: () => undefined,
  });

  await integration.startPhoneCall(ringing).finish(words);
  await eventually(async () => (await queue.admin.deadLetters()).length === 1);

  expect(await queue.admin.deadLetters()).toMatchObject([{ reason: 'may_be_done', note: { failed: ['task'] } }]);
});

describe('an engine of your own', () => {
  test('gets the call as plain data without card numbers, and its worker finishes it', async () => {
    const engine: UnfinishedCall[] = [];
    await using later = await start({ send: async (call) => engine.push(call) });

    const finished = await later.integration.startPhoneCall(ringing).finish(words);
    const [stored] = JSON.parse(JSON.stringify(engine)) as UnfinishedCall[];
    const { complete, unfinished } = await finishCall(later.integration, stored as UnfinishedCall);

    expect(finished).toMatchObject({ queued: true });
    expect(stored).toEqual(engine[0]);
    expect(JSON.stringify(stored)).not.toContain('4242 4242');
    expect([complete, unfinished]).toEqual([true, undefined]);
    expect(later.platform.crm.tasks).toHaveLength(1);
  });

  test('that does not take the call makes finish fail, and may be asked again', async () => {
    let isDown = true;
    const engine: UnfinishedCall[] = [];
    await using later = await start({
      send: async (call) => {
        if (isDown) throw new StoreError('the engine is down');
        engine.push(call);
      },
    });
    const phoneCall = later.integration.startPhoneCall(ringing);

    await expect(phoneCall.finish(words)).rejects.toThrow('the engine is down');
    isDown = false;
    await phoneCall.finish(words);

    expect(engine).toHaveLength(1);
  });
});

test.each<[field: string, finishLater: object]>([
  ['finishLater.queue', {}],
  ['finishLater.queue', { queue: {} }],
  ['finishLater.queue', { queue: null }],
  ['finishLater.send', { queue: createMemoryMessageQueue(), send: async () => {} }],
  ['finishLater.send', { send: 'temporal' }],
  ['finishLater.work', { queue: createMemoryMessageQueue(), work: 'no' }],
  ['finishLater.work', { send: async () => {}, work: true }],
  ['finishLater.outbox', { queue: createMemoryMessageQueue(), outbox: 5 }],
  ['finishLater.que', { que: createMemoryMessageQueue() }],
])('%s of %o is refused when the integration is made', async (field, finishLater) => {
  await using connected = await connectPlatform();
  const { crm } = connected.clientOptions;

  expect(() => createIntegration({ crm, finishLater: finishLater as never })).toThrow(InvalidArgumentError);
  expect(() => createIntegration({ crm, finishLater: finishLater as never })).toThrow(field);
});

test('an old place of the option is refused with the new one', async () => {
  await using connected = await connectPlatform();
  const { crm } = connected.clientOptions;
  const finishLater = { queue: createMemoryMessageQueue() };

  expect(() => createIntegration({ crm, phoneCalls: { finishLater } as never })).toThrow(
    'phoneCalls.finishLater is not an option: did you mean finishLater of createIntegration?',
  );
});
