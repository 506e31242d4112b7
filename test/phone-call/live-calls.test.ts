import { expect, test, vi } from 'vitest';
import { InvalidArgumentError, StoreError } from '../../src/core/errors.ts';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import type { LiveCallsOptions } from '../../src/phone-call/live-calls.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const phone = '+14155550100';
const ringing = { callId: 'CA1', phone };

const start = async (
  options: LiveCallsOptions<string[]> = {},
  { phoneCalls, finishLater }: Pick<IntegrationOptions, 'phoneCalls' | 'finishLater'> = {},
) => {
  const { platform, clientOptions } = await connectPlatform();
  const { crm, billing } = clientOptions;
  const errors: unknown[] = [];
  const integration = createIntegration({
    crm,
    billing,
    phoneCalls,
    finishLater,
    onError: (error) => errors.push(error),
  });
  const calls = integration.liveCalls({ state: () => [] as string[], ...options });
  return {
    platform,
    integration,
    calls,
    errors,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

test('an id has one phone call, with what the agent keeps of it', async () => {
  await using live = await start();
  const call = live.calls.of(ringing);

  call.state.push('hello');

  expect(live.calls.of({ callId: 'CA1', phone: 'tel:+1 (415) 555-0100' })).toBe(call);
  expect(live.calls.of({ callId: 'CA1' }).state).toEqual(['hello']);
  expect(live.calls.of({ callId: 'CA2', phone }).state).toEqual([]);
  expect(live.calls.size).toBe(2);
});

test('turns run one after the other, whatever the one before came to', async () => {
  await using live = await start();
  const call = live.calls.of(ringing);
  const order: string[] = [];
  const first = Promise.withResolvers<string>();

  const answers = [
    call.turn({ heard: 'one' }, async () => {
      order.push('begins 1');
      await first.promise;
      order.push('ends 1');
      throw new Error('no model');
    }),
    call.turn({ heard: 'two' }, ({ state, phoneCall }) => {
      order.push('begins 2');
      state.push(phoneCall.callId);
      return 'Two.';
    }),
  ];
  first.resolve('');

  expect(await Promise.allSettled(answers)).toMatchObject([
    { status: 'rejected', reason: { message: 'no model' } },
    { status: 'fulfilled', value: 'Two.' },
  ]);
  expect(order).toEqual(['begins 1', 'ends 1', 'begins 2']);
  expect(call.state).toEqual(['CA1']);
});

test('what was heard and said is the transcript, unless another one is given or none is wanted', async () => {
  await using live = await start();
  const call = live.calls.of(ringing);
  await call.turn({ heard: ' My card is 4242 4242 4242 4242. ' }, () => 'Thank you.');
  await call.turn({ heard: ' ' }, () => '');
  await call.end({ outcome: 'resolved' });
  const other = live.calls.of({ callId: 'CA2', phone });
  other.phoneCall.heard('Nothing of this.');
  await other.end({ outcome: 'resolved', transcript: false });

  const [task, silent] = live.platform.crm.tasks;
  expect(task?.Description).toMatch(/Caller: My card is [* ]+4242\.\nAgent: Thank you\.$/);
  expect(task?.Description).not.toContain('4242 4242');
  expect(silent?.Description ?? '').not.toContain('Nothing of this');
});

test.each([['+14155550199'], ['tel:+442071838750']])(
  'another number under the same id is refused: %s',
  async (other) => {
    await using live = await start();
    live.calls.of(ringing);

    expect(() => live.calls.of({ callId: 'CA1', phone: other })).toThrow(InvalidArgumentError);
    expect(live.calls.of(ringing).phoneCall.caller.phone).toBe(phone);
  },
);

test('a number that comes late is taken, and then kept', async () => {
  await using live = await start();
  const { phoneCall } = live.calls.of({ callId: 'CA1', phone: 'anonymous' });
  expect(phoneCall.caller).toMatchObject({ phone: undefined, verified: 'no' });

  live.calls.of(ringing);

  expect(phoneCall.caller).toMatchObject({ phone, verified: 'caller-id' });
  expect(live.calls.of({ callId: 'CA1', phone: 'anonymous' }).phoneCall.caller.phone).toBe(phone);
  expect(() => live.calls.of({ callId: 'CA1', phone: '+14155550199' })).toThrow(InvalidArgumentError);
});

test('a call that goes silent is written down once, and then forgotten', async () => {
  await using live = await start({ quietMs: 60_000 });
  const clock = createVirtualClock();
  const call = live.calls.of(ringing);
  await clock.advance(59_000);
  live.calls.of({ callId: 'CA1' });
  await clock.advance(59_000);
  expect(live.calls.size).toBe(1);

  await clock.advance(2_000);
  await until(() => live.platform.crm.tasks.length === 1);

  expect(live.platform.crm.tasks).toMatchObject([{ Subject: expect.stringContaining('not reported') as string }]);
  expect(live.calls.size).toBe(0);
  expect(call.signal.aborted).toBe(true);
  expect(live.calls.of(ringing)).toBe(call);
  await clock.advance(60_000);
  expect(live.calls.of(ringing)).not.toBe(call);
});

test('a call that is over takes no turn, and an end asked again adds what is new', async () => {
  await using live = await start();
  const call = live.calls.of(ringing);

  const [first, same] = await Promise.all([call.end({ outcome: 'resolved' }), call.end()]);
  const more = await live.calls.of(ringing).end({ summary: 'Wants a call back.' });

  expect(first).toMatchObject({ complete: true });
  expect(same).toMatchObject({ complete: true });
  expect(more).toMatchObject({ complete: true });
  expect(live.platform.crm.tasks).toMatchObject([{ Description: expect.stringContaining('call back') as string }]);
  await expect(call.turn({ heard: 'Hello?' }, () => 'Yes?')).rejects.toMatchObject({ name: 'AbortedError' });
});

test('an end that waits is brought forward by a later one, whose words win', async () => {
  await using live = await start();
  createVirtualClock();
  const call = live.calls.of(ringing);

  const hungUp = call.end({ outcome: 'hung up', summary: 'None.' }, { afterMs: 60_000 });
  expect(call.signal.aborted).toBe(false);
  await call.end({ summary: 'From the report.' });

  expect(await hungUp).toMatchObject({ complete: true });
  const [task] = live.platform.crm.tasks;
  expect(live.platform.crm.tasks).toHaveLength(1);
  expect(task?.Description).toContain('From the report.');
  expect(task?.Subject).toContain('hung up');
});

test('an end whose time is over is written without another one', async () => {
  await using live = await start();
  const clock = createVirtualClock();
  const waiting = live.calls.of(ringing).end({ outcome: 'hung up' }, { afterMs: 60_000 });

  await clock.advance(60_000);

  expect(await waiting).toMatchObject({ complete: true });
});

test('a turn that ignores its signal keeps the call from being written for five seconds at most', async () => {
  await using live = await start();
  const clock = createVirtualClock();
  const call = live.calls.of(ringing);
  const begun = Promise.withResolvers<void>();
  void call.turn({ heard: 'Hello?' }, () => {
    begun.resolve();
    return new Promise<string>(() => {});
  });
  await begun.promise;

  const ended = call.end({ outcome: 'hung up' });
  await clock.advance(5_000);

  expect(await ended).toMatchObject({ complete: true });
});

test('the end of a call aborts the turn that goes on, and the turns that wait', async () => {
  await using live = await start();
  const call = live.calls.of(ringing);
  const begun = Promise.withResolvers<void>();
  const going = call.turn({}, ({ signal }) => {
    begun.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const waiting = call.turn({}, () => 'never');
  const settled = Promise.allSettled([going, waiting]);
  await begun.promise;

  await call.end({ outcome: 'hung up' });

  expect(await settled).toMatchObject([{ reason: { name: 'AbortedError' } }, { reason: { name: 'AbortedError' } }]);
});

test('closing the integration writes every call down, and takes no more', async () => {
  await using live = await start();
  for (const callId of ['CA1', 'CA2', 'CA3']) live.calls.of({ callId, phone });

  await live.integration.close();

  expect(live.platform.crm.tasks).toHaveLength(3);
  expect(live.calls.size).toBe(0);
  expect(() => live.calls.of({ callId: 'CA4', phone })).toThrow(/takes no more phone calls/);
});

test('calls that are left for the next process are not written, and their work ends', async () => {
  await using live = await start({ atClose: 'leave' });
  const { signal } = live.calls.of(ringing);

  await live.calls.close();

  expect(live.platform.crm.tasks).toEqual([]);
  expect(signal.aborted).toBe(true);
});

test('a queue that fails is reported, and the other calls are stored all the same', async () => {
  const queue = createMemoryMessageQueue({});
  const { enqueue } = queue;
  const broken = vi.spyOn(queue, 'enqueue').mockImplementation(async (messages) => {
    if (JSON.stringify(messages).includes('CA1')) throw new StoreError('the disk is full');
    return enqueue(messages);
  });
  await using live = await start({}, { finishLater: { queue, work: false } });
  for (const callId of ['CA1', 'CA2']) live.calls.of({ callId, phone });

  await live.calls.close();

  expect(live.errors).toMatchObject([{ message: 'the disk is full' }]);
  expect(broken).toHaveBeenCalledTimes(2);
  expect(await queue.stats()).toMatchObject({ ready: 1 });
  await queue.close(0);
});

test('a yes counts at once after the caller was heard, and not before', async () => {
  const payments = { bind: { payment_method_id: 'pm_1' }, confirm: 'two-step' } as const;
  await using live = await start({}, { phoneCalls: { tools: { billing: { payments } } } });
  live.platform.billing.addCustomer({ id: 'cus_1', phone });
  live.platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120.5 });
  const call = live.calls.of(ringing);
  const pay = (more: object) => call.tools.run('create_payment', { invoice_id: 'inv_1', amount: 120.5, ...more });
  call.phoneCall.heard('Please pay my invoice.');
  await call.tools.run('lookup_customer_invoices', {});
  const token = async (more: object = {}) => {
    const { value } = await pay(more);
    return { confirmation_token: (value as { confirmation_token: string }).confirmation_token };
  };
  const asked = await token();
  const askedAgain = await token(asked);
  expect(live.platform.billing.payments).toEqual([]);

  call.phoneCall.heard(' ');
  const silent = await token(askedAgain);
  expect(live.platform.billing.payments).toEqual([]);
  call.phoneCall.heard('Yes, please.');
  const paid = await pay(silent);

  expect(paid).toMatchObject({ status: 'done' });
  expect(live.platform.billing.payments).toHaveLength(1);
});

test.each([
  ['quietMs', { quietMs: 0 }],
  ['state', { state: [] as never }],
  ['atClose', { atClose: 'stop' as never }],
  ['quiteMs', { quiteMs: 1 } as never],
])('an option that can’t work is refused by name: %s', async (field, options) => {
  await using live = await start();

  expect(() => live.integration.liveCalls(options)).toThrow(`liveCalls.${field}`);
});

test('words that are none are refused', async () => {
  await using live = await start();
  const { phoneCall } = live.calls.of(ringing);

  expect(() => phoneCall.heard(true as never)).toThrow(InvalidArgumentError);
  expect(() => phoneCall.said(undefined as never)).toThrow(InvalidArgumentError);
  expect(() => phoneCall.turn({ heard: true as never })).toThrow(InvalidArgumentError);
});

test('calls that end leave nothing behind', async () => {
  await using live = await start({ quietMs: 1_000 });
  const clock = createVirtualClock();
  const calls = Array.from({ length: 200 }, (_, index) => live.calls.of({ callId: `CA${index}`, phone }));
  expect(live.calls.size).toBe(200);

  await Promise.all(calls.map((call) => call.end({ outcome: 'hung up' })));
  expect(live.calls.size).toBe(0);
  await clock.advance(1_000);

  expect(clock.pendingTimers()).toBe(0);
});
