import { expect, test, vi } from 'vitest';
import { InvalidArgumentError, StoreError } from '../../src/core/errors.ts';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import type { LiveCallsOptions } from '../../src/phone-call/live-calls.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import type { PhoneCallOptions } from '../../src/phone-call/start-phone-call.ts';
import type { Toolbox } from '../../src/tools/toolbox.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const phone = '+14155550100';
const ringing = { callId: 'CA1', phone };

const start = async (
  options: LiveCallsOptions<string[]> = {},
  {
    phoneCalls,
    finishLater,
    payments,
    withMessaging = false,
  }: Pick<IntegrationOptions, 'phoneCalls' | 'finishLater' | 'payments'> & { withMessaging?: boolean } = {},
) => {
  const { platform, clientOptions } = await connectPlatform();
  const { messaging, crm, billing } = clientOptions;
  const errors: unknown[] = [];
  const integration = createIntegration({
    ...(withMessaging && { messaging }),
    crm,
    billing,
    payments,
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
  expect(await queue.admin.stats()).toMatchObject({ ready: 1 });
  await queue.close(0);
});

test('a yes counts at once after the caller was heard, and not before', async () => {
  await using live = await start({}, { payments });
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

  for (const silence of [' ', '\u200B']) call.phoneCall.heard(silence);
  const silent = await token(askedAgain);
  expect(live.platform.billing.payments).toEqual([]);
  call.phoneCall.heard('Yes, please.');
  const paid = await pay(silent);

  expect(paid).toMatchObject({ status: 'done' });
  expect(live.platform.billing.payments).toHaveLength(1);
});

test('a yes in a turn without the caller’s words is reported, once the application reports them', async () => {
  await using live = await start({}, { payments });
  live.platform.billing.addCustomer({ id: 'cus_1', phone });
  live.platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120.5 });
  const { phoneCall } = live.calls.of(ringing);
  const payIn = async ({ tools }: { readonly tools: Toolbox }, confirmation_token?: string) => {
    const { value } = await tools.run('create_payment', { invoice_id: 'inv_1', amount: 120.5, confirmation_token });
    return (value as { confirmation_token?: string }).confirmation_token;
  };
  const first = phoneCall.turn({ heard: 'Please pay my invoice.' });
  await first.tools.run('lookup_customer_invoices', {});
  const byItself = await payIn(first, await payIn(first));
  expect(live.errors).toEqual([]);

  const token = await payIn(phoneCall.turn(), byItself);

  expect(live.errors).toMatchObject([
    {
      message:
        "heard has no words of the caller after the question, so the yes doesn't count: give turn({ heard }) what the caller said",
    },
  ]);
  expect(live.platform.billing.payments).toEqual([]);
  await payIn(phoneCall.turn({ heard: 'Yes.' }), token);
  expect(live.platform.billing.payments).toHaveLength(1);
  expect(live.errors).toHaveLength(1);
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

const payments = { card: () => 'pm_1', below: 5000 } as const;

const startPaying = async (call: PhoneCallOptions = ringing) => {
  const live = await start({}, { payments });
  live.platform.billing.addCustomer({ id: 'cus_1', phone });
  live.platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120.5 });
  const pay = (tools: Toolbox, more: object = {}) =>
    tools.run('create_payment', { invoice_id: 'inv_1', amount: 120.5, ...more });
  const ask = async (tools: Toolbox) => {
    await tools.run('lookup_customer_invoices', {});
    const { value } = await pay(tools);
    return { confirmation_token: (value as { confirmation_token: string }).confirmation_token };
  };
  return { ...live, call: live.calls.of(call), pay, ask };
};

test('what the caller says while the agent is about to ask is no yes, in that turn and in the next one', async () => {
  await using live = await startPaying();
  const { call, pay, ask } = live;
  let token = {};
  const asked = Promise.withResolvers<void>();
  const spoken = Promise.withResolvers<void>();

  const question = call.turn({ heard: 'I want to pay.' }, async ({ tools }) => {
    token = await ask(tools);
    asked.resolve();
    await spoken.promise;
    return 'Shall I charge 120.50?';
  });
  await asked.promise;
  const early = call.turn({ heard: 'Yes, are you there?' }, async ({ tools }) => pay(tools, token));
  spoken.resolve();
  await question;

  expect(await early).toMatchObject({ status: 'refused' });
  expect(live.platform.billing.payments).toEqual([]);
});

test('a model that asks and answers in one turn charges nothing, whatever the caller says meanwhile', async () => {
  await using live = await startPaying();
  const { call, pay, ask } = live;
  call.phoneCall.heard('I want to pay.');

  await call.turn({}, async ({ tools }) => {
    const token = await ask(tools);
    call.phoneCall.heard('Hello?');
    await pay(tools, token);
  });

  expect(live.platform.billing.payments).toEqual([]);
});

test('a yes in the turn after the question charges once', async () => {
  await using live = await startPaying();
  const { call, pay, ask } = live;
  const token = await call.turn({ heard: 'I want to pay.' }, ({ tools }) => ask(tools));

  const paid = await call.turn({ heard: 'Yes.' }, ({ tools }) => pay(tools, token));

  expect(paid).toMatchObject({ status: 'done' });
  expect(live.platform.billing.payments).toHaveLength(1);
});

test('a late number says nothing about a caller who proved who they are', async () => {
  await using live = await start();
  const { phoneCall } = live.calls.of({ callId: 'CA1', phone: 'anonymous', email: 'ada@example.com' });
  phoneCall.verifyCaller('strong');

  live.calls.of(ringing);

  expect(phoneCall.caller).toMatchObject({ phone: undefined, email: 'ada@example.com', verified: 'strong' });
  expect(() => live.calls.of({ callId: 'CA1', phone: '+14155550199' })).toThrow(InvalidArgumentError);
});

test('a late number verifies no one whom the application doesn’t trust', async () => {
  await using live = await start();
  const { phoneCall } = live.calls.of({ callId: 'CA1', verified: 'no' });
  const { phoneCall: refused } = live.calls.of({ callId: 'CA2' });
  refused.verifyCaller('no');

  live.calls.of(ringing);
  live.calls.of({ callId: 'CA2', phone });

  expect(phoneCall.caller).toMatchObject({ phone, verified: 'no' });
  expect(refused.caller).toMatchObject({ phone, verified: 'no' });
});

test('a late number verifies no contact that the caller’s words found', async () => {
  await using live = await start({}, { withMessaging: true });
  live.platform.messaging.addContact({ id: 'ct_victim', email: 'victim@example.com', phone: '+14155550199' });
  const { phoneCall } = live.calls.of({ callId: 'CA1', phone: 'anonymous' });
  await phoneCall.identifyCaller({ email: 'victim@example.com' });
  expect(phoneCall.caller).toMatchObject({ contactId: 'ct_victim', verified: 'no' });

  live.calls.of(ringing);

  expect(phoneCall.caller).toMatchObject({ phone, contactId: undefined });
});

test('a wrong end is refused, and keeps none that is right from being written', async () => {
  await using live = await start();
  const call = live.calls.of(ringing);

  await expect(call.end({ outcom: 'hung up' } as never)).rejects.toThrow(InvalidArgumentError);
  expect(call.signal.aborted).toBe(false);

  expect(await call.end({ outcome: 'hung up' })).toMatchObject({ complete: true });
});

test('two ends at once both wait for the turn that goes on', async () => {
  await using live = await start();
  const call = live.calls.of(ringing);
  const begun = Promise.withResolvers<void>();
  const last = Promise.withResolvers<string>();
  const turn = call.turn({ heard: 'Bye.' }, () => {
    begun.resolve();
    return last.promise;
  });
  await begun.promise;

  const ends = Promise.all([call.end({ outcome: 'hung up' }), call.end({ summary: 'Short.' })]);
  await new Promise(setImmediate);
  expect(live.platform.requests).toEqual([]);
  last.resolve('Good bye.');
  await Promise.all([turn, ends]);

  expect(live.platform.crm.tasks).toMatchObject([
    { Description: expect.stringContaining('Agent: Good bye.') as string },
  ]);
});

test('a turn that waits ends with the call, although the one before ignores its signal, and none overtakes', async () => {
  await using live = await start();
  const clock = createVirtualClock();
  const call = live.calls.of(ringing);
  const going = Promise.withResolvers<string>();
  const own = new AbortController();
  const order: string[] = [];
  const first = call.turn({}, async () => {
    await going.promise;
    order.push('first');
  });
  const second = call.turn({ signal: own.signal }, () => order.push('second'));
  const third = call.turn({}, () => order.push('third'));

  own.abort(new Error('spoke again'));
  await expect(second).rejects.toThrow('spoke again');
  const fourth = call.turn({}, () => 'never');
  going.resolve('');
  await Promise.all([first, third, fourth]);
  expect(order).toEqual(['first', 'third']);

  const begun = Promise.withResolvers<void>();
  void call.turn({}, () => {
    begun.resolve();
    return new Promise(() => {});
  });
  await begun.promise;
  const last = call.turn({}, () => 'never');
  const ended = call.end({ outcome: 'hung up' });
  await expect(last).rejects.toMatchObject({ name: 'AbortedError' });
  await clock.advance(5_000);
  await ended;
});

test('an option of a turn that isn’t known is refused', async () => {
  await using live = await start();

  await expect(live.calls.of(ringing).turn({ herd: 'Hello' } as never, () => 'Hi.')).rejects.toThrow('herd');
});

test.each<[string, unknown[], string]>([
  ['no options', [], 'options must be an object'],
  ['a function alone', [() => 'Hi.'], 'options must be an object'],
  ['no function', [{ heard: 'Hello' }], 'answer must be a function of the turn'],
])('a turn with %s is refused, and nothing was heard', async (_what, given, message) => {
  await using live = await start();
  const call = live.calls.of(ringing);

  await expect(Reflect.apply(call.turn, call, given) as Promise<unknown>).rejects.toThrow(message);
  await call.end({ outcome: 'hung up' });
  expect(JSON.stringify(live.platform.crm.tasks)).not.toContain('Hello');
});

test.each<[string, unknown[], string]>([
  ['a misspelt option', [{}, { afterMS: 5 }], 'afterMS is not an option: did you mean afterMs?'],
  ['a time that is none', [{}, { afterMs: '5' }], 'afterMs must be a number of milliseconds, 0 or more'],
  ['a time before now', [{}, { afterMs: -5 }], 'afterMs must be a number of milliseconds, 0 or more'],
  ['no time at all', [{}, { afterMs: Number.NaN }], 'afterMs must be a number of milliseconds, 0 or more'],
  ['a text', ['over'], 'input must be an object, such as { outcome }'],
  ['null', [null], 'input must be an object, such as { outcome }'],
])('an end with %s is refused, and the call goes on', async (_what, given, message) => {
  await using live = await start();
  const call = live.calls.of(ringing);

  await expect(Reflect.apply(call.end, call, given) as Promise<unknown>).rejects.toThrow(message);
  expect(live.calls.size).toBe(1);
});

test('closing leaves what was written as it is', async () => {
  await using live = await start();
  await live.calls.of(ringing).end();
  const before = structuredClone(live.platform.crm.tasks);
  const { length } = live.platform.requests;

  await live.integration.close();

  expect(live.platform.crm.tasks).toEqual(before);
  expect(live.platform.requests).toHaveLength(length);
});

test('closing twice waits for the first one', async () => {
  await using live = await start();
  for (const callId of ['CA1', 'CA2', 'CA3']) live.calls.of({ callId, phone });

  void live.integration.close();
  await live.integration.close();

  expect(live.platform.crm.tasks).toHaveLength(3);
  expect(live.errors).toEqual([]);
});

test('a call whose end was reported is written, although the others are left for the next process', async () => {
  await using live = await start({ atClose: 'leave' });
  const waiting = live.calls.of(ringing).end({ outcome: 'hung up' }, { afterMs: 60_000 });
  live.calls.of({ callId: 'CA2', phone });

  await live.integration.close();

  expect(await waiting).toMatchObject({ complete: true });
  expect(live.platform.crm.tasks).toMatchObject([{ Subject: expect.stringContaining('hung up') as string }]);
});

test('an end that isn’t awaited is heard when it fails, and ends no process', async () => {
  const queue = createMemoryMessageQueue({});
  vi.spyOn(queue, 'enqueue').mockRejectedValueOnce(new StoreError('the disk is full'));
  await using live = await start({}, { finishLater: { queue, work: false } });
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);

  void live.calls.of(ringing).end({ outcome: 'hung up' });
  await until(() => live.errors.length > 0);
  await new Promise(setImmediate);

  expect(live.errors).toMatchObject([{ message: 'the disk is full' }]);
  expect(unhandled).not.toHaveBeenCalled();
  process.off('unhandledRejection', unhandled);
  await queue.close(0);
});

test('a tool that a late request calls does nothing after the end', async () => {
  await using live = await start({}, { payments: { ...payments, confirm: false } });
  live.platform.billing.addCustomer({ id: 'cus_1', phone });
  live.platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120.5 });
  const call = live.calls.of(ringing);
  await call.tools.run('lookup_customer_invoices', {});
  await call.end({ outcome: 'hung up' });

  const paid = await live.calls.of(ringing).tools.run('create_payment', { invoice_id: 'inv_1', amount: 120.5 });

  expect(paid.text).toContain('cancelled');
  expect(live.platform.billing.payments).toEqual([]);
});

test('a call that couldn’t be stored is tried again by itself', async () => {
  const queue = createMemoryMessageQueue({});
  vi.spyOn(queue, 'enqueue').mockRejectedValueOnce(new StoreError('the disk is full'));
  await using live = await start({ quietMs: 60_000 }, { finishLater: { queue, work: false } });
  const clock = createVirtualClock();
  await expect(live.calls.of(ringing).end({ outcome: 'hung up' })).rejects.toThrow('the disk is full');

  await clock.advance(60_000);
  await until(async () => (await queue.admin.stats()).ready === 1);

  expect(await queue.admin.get('finish-call:CA1:1')).toMatchObject({ payload: { input: { outcome: 'hung up' } } });
  await queue.close(0);
});

test('an engine of your own gets a call once, however often it ends', async () => {
  const send = vi.fn(async () => {});
  await using live = await start({}, { finishLater: { send } });
  const call = live.calls.of(ringing);

  await call.end({ outcome: 'hung up' });
  await call.end();
  await expect(call.end({ outcome: 'escalated' })).rejects.toThrow(InvalidArgumentError);
  expect(await call.end()).toMatchObject({ queued: true });
  await live.integration.close();

  expect(send).toHaveBeenCalledTimes(1);
  expect(live.errors).toMatchObject([{ field: 'outcome' }]);
});

test('an engine that doesn’t answer doesn’t keep the server from stopping', async () => {
  const send = () => new Promise(() => {});
  await using live = await start({}, { finishLater: { send } });
  const clock = createVirtualClock();
  live.calls.of(ringing);

  const closed = live.integration.close();
  await clock.advance(10_000);
  await closed;

  expect(live.errors).toMatchObject([
    { code: 'store_failed', message: expect.stringContaining('finishLater.send') as string },
  ]);
});

test('the integration that stores a call is the one that writes it, whatever tenant its tools have', async () => {
  const queue = createMemoryMessageQueue({});
  await using live = await start({}, { finishLater: { queue }, phoneCalls: { tools: { tenant: 'acme' } } });

  await live.calls.of(ringing).end({ outcome: 'hung up' });

  await until(() => live.platform.crm.tasks.length === 1);
  await live.integration.close();
  expect(live.platform.crm.tasks).toMatchObject([{ Subject: expect.stringContaining('hung up') as string }]);
  await queue.close(0);
});
