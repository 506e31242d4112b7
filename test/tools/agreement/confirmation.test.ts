import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory/index.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { createToolbox, defineTool, type ToolboxOptions, type ToolResult } from '../../../src/tools/index.ts';

const args = { invoice: 'i', amount: 5 };

const start = ({ effect = 'payment', result = {}, ...options }: Started = {}) => {
  const clock = createVirtualClock();
  const run = vi.fn(() => result);
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ invoice: z.string(), amount: z.number() }),
    effect,
    idempotent: effect === 'payment',
    confirm: 'two-step',
    summarize: ({ amount, invoice }) => `Pay ${amount} for ${invoice}.`,
    run,
  });
  const process = () => createToolbox({ context: { callId: 'CA1' }, ...options, tools: [pay] });
  return { clock, run, pay, process, toolbox: process() };
};

interface Started extends Partial<ToolboxOptions> {
  readonly effect?: 'write' | 'payment';
  readonly result?: object;
}

const valueOf = ({ value }: ToolResult) => value as Readonly<Record<string, unknown>>;
const tokenIn = (result: ToolResult) => valueOf(result)['confirmation_token'];

test('the same call with the token does it, once the caller can have answered', async () => {
  const { clock, run, toolbox } = start();
  const asked = await toolbox.run('pay', args);
  await clock.advance(3_000);

  expect(asked).toEqual({
    status: 'refused',
    text: expect.any(String),
    replayed: false,
    value: {
      success: false,
      error: 'confirmation_required',
      summary: 'Pay 5 for i.',
      confirmation_token: expect.stringMatching(/^[0-9a-z]{8}\.-\.[0-9a-f]{6}\.[0-9a-f]{24}$/),
      expires_in_seconds: 300,
    },
  });
  expect(await toolbox.run('pay', JSON.stringify({ ...args, confirmation_token: tokenIn(asked) }))).toMatchObject({
    status: 'done',
  });
  expect(run).toHaveBeenCalledTimes(1);
});

test('a model that confirms by itself is refused each time, however long it goes on', async () => {
  const { clock, run, toolbox } = start();
  const tokens = [tokenIn(await toolbox.run('pay', args))];
  for (let round = 0; round < 20; round += 1) {
    await clock.advance(1_000);
    // The newest token, or the oldest one.
    const confirmation_token = round % 2 === 0 ? tokens.at(-1) : tokens[0];
    tokens.push(tokenIn(await toolbox.run('pay', { ...args, confirmation_token })));
  }

  expect(run).not.toHaveBeenCalled();
});

test('a refused token says what the model has to do, and the new one works', async () => {
  const { clock, toolbox } = start();
  const early = await toolbox.run('pay', { ...args, confirmation_token: tokenIn(await toolbox.run('pay', args)) });
  await clock.advance(3_000);

  expect(early.value).toEqual({
    success: false,
    error: 'confirmation_required',
    reason: 'caller_has_not_answered',
    message: 'Say the summary to the caller now and wait for their answer. Then use this new token.',
    summary: 'Pay 5 for i.',
    confirmation_token: expect.any(String),
    expires_in_seconds: 300,
  });
  expect(await toolbox.run('pay', { ...args, confirmation_token: tokenIn(early) })).toMatchObject({ status: 'done' });
});

describe('with what the caller said last', () => {
  test.each([
    ['the same words', 'u1', 60_000, 'caller_has_not_answered'],
    ['new words', 'u2', 0, undefined],
    ['no words known', undefined, 0, 'caller_has_not_answered'],
    ['no words known, later', undefined, 3_000, undefined],
  ] as const)('%s', async (_what, turn, afterMs, reason) => {
    const { clock, toolbox } = start();
    const confirmation_token = tokenIn(await toolbox.run('pay', args, { turn: 'u1' }));
    await clock.advance(afterMs);

    const { value } = await toolbox.run('pay', { ...args, confirmation_token }, { turn });
    expect((value as { reason?: string }).reason).toBe(reason);
  });
});

test('in one turn of a phone call no token counts that it has given, however long it lasts', async () => {
  const { clock, pay, run } = start();
  const phoneCall = startPhoneCall(
    {},
    {
      callId: 'CA1',
      phone: '+14155550100',
      tools: { own: [pay] },
      payments: { below: 100 },
    },
  );
  const turn = phoneCall.turn({ budgetMs: 60_000 });
  const first = await turn.tools.run('pay', args);
  await clock.advance(10_000);
  const second = await turn.tools.run('pay', { ...args, confirmation_token: tokenIn(first) });
  await clock.advance(10_000);
  const third = await phoneCall.turn().tools.run('pay', { ...args, confirmation_token: tokenIn(second) });

  expect([second, third].map(({ status }) => status)).toEqual(['refused', 'done']);
  expect(run).toHaveBeenCalledTimes(1);
});

test('a confirmed payment that comes twice at once, without ids, has one end for both', async () => {
  const store = createMemoryIdempotencyStore();
  const { clock, run, process } = start({ result: { paid: true }, store });
  const [first, second] = [process(), process()];
  const held = Promise.withResolvers<object>();
  run.mockReturnValueOnce(held.promise);
  const withToken = { ...args, confirmation_token: tokenIn(await first.run('pay', args, { turn: 'u1' })) };
  const both = [first, second].map((box) => box.run('pay', withToken, { turn: 'u2' }));
  await clock.advance(1_000);
  held.resolve({ paid: true });
  await clock.advance(1_000);

  const [made, repeated] = await Promise.all(both);
  expect(made).toMatchObject({ status: 'done', replayed: false, value: { paid: true } });
  expect(repeated).toMatchObject({ status: 'done', replayed: true, value: { paid: true, already_paid: true } });
  expect(run).toHaveBeenCalledTimes(1);
});

test.each<[string, object, object]>([
  ['other arguments', { amount: 50 }, {}],
  ['another phone call', {}, { callId: 'CA2' }],
  ['another tenant', {}, { tenant: 'u' }],
  ['a token of the model’s own', { confirmation_token: 'zzzzzzzz.-.000000.000000000000000000000000' }, {}],
  ['a token that is none', { confirmation_token: 7 }, {}],
])('%s is not what was agreed to', async (_what, ownArgs, ownContext) => {
  const { clock, run, toolbox } = start({ context: {} });
  const confirmation_token = tokenIn(await toolbox.run('pay', args, { callId: 'CA1' }));
  await clock.advance(3_000);

  const again = await toolbox.run('pay', { ...args, confirmation_token, ...ownArgs }, { callId: 'CA1', ...ownContext });
  expect(valueOf(again)['error']).toBe('confirmation_required');
  expect(run).not.toHaveBeenCalled();
});

test('a token with another time or turn in it is none', async () => {
  const { clock, run, toolbox } = start();
  const token = String(tokenIn(await toolbox.run('pay', args, { turn: 1 })));
  const [issued = '', tag = '', nonce = '', signature = ''] = token.split('.');
  const earlier = (Number.parseInt(issued, 36) - 60_000).toString(36);
  for (const madeUp of [
    `${earlier}.${tag}.${nonce}.${signature}`,
    `${issued}.-.${nonce}.${signature}`,
    `${issued}.t00000000.${nonce}.${signature}`,
    `${issued}.${tag}.${nonce}.${'0'.repeat(24)}`,
    `${token}0`,
    `x ${token}`,
    `${token}\nx`,
  ])
    expect((await toolbox.run('pay', { ...args, confirmation_token: madeUp }, { turn: 2 })).status).toBe('refused');

  await clock.advance(10_000);
  expect(run).not.toHaveBeenCalled();
});

test.each([
  [300_000, 1],
  [300_001, 0],
])('a token lasts five minutes: after %i ms it runs %i times', async (afterMs, runs) => {
  const { clock, run, toolbox } = start();
  const confirmation_token = tokenIn(await toolbox.run('pay', args));
  await clock.advance(afterMs);
  await toolbox.run('pay', { ...args, confirmation_token });

  expect(run).toHaveBeenCalledTimes(runs);
});

describe('a token counts once', () => {
  const twice = async (started: ReturnType<typeof start>) => {
    const { clock, toolbox } = started;
    const confirmation_token = tokenIn(await toolbox.run('pay', args));
    await clock.advance(3_000);
    const results = [];
    for (let time = 0; time < 2; time += 1) results.push(await toolbox.run('pay', { ...args, confirmation_token }));
    return results;
  };

  test('for a payment: the same token again pays nothing, and says so', async () => {
    const started = start({ result: { success: true, confirmation_number: 'C-1' } });
    const [first, second] = await twice(started);

    expect([first?.value, second?.value]).toEqual([
      { success: true, confirmation_number: 'C-1' },
      {
        success: true,
        confirmation_number: 'C-1',
        already_paid: true,
        message: 'Nothing was charged now: this payment was made before. Tell the caller so.',
      },
    ]);
    expect([started.run.mock.calls.length, second?.replayed]).toEqual([1, true]);
  });

  test('for a write: the same token again does nothing, and says so', async () => {
    const started = start({ effect: 'write', result: { sent: true } });
    const [, second] = await twice(started);

    expect(second?.value).toEqual({
      sent: true,
      already_done: true,
      message: 'Nothing was done now: this was done before. Tell the caller so.',
    });
    expect(started.run).toHaveBeenCalledTimes(1);
  });

  test('in all processes that share a store', async () => {
    const started = start({ store: createMemoryIdempotencyStore(), effect: 'write' });
    const [one, other] = [started.process(), started.process()];
    const confirmation_token = tokenIn(await one.run('pay', args));
    await started.clock.advance(3_000);
    const both = Promise.all([one, other].map((box) => box.run('pay', { ...args, confirmation_token })));
    // One waits until the other has counted the tool call.
    await started.clock.advance(100);

    expect((await both).filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(started.run).toHaveBeenCalledTimes(1);
  });

  test('a token of a process with another store is none', async () => {
    const { clock, process, run } = start();
    const confirmation_token = tokenIn(await process().run('pay', args));
    await clock.advance(3_000);
    await process().run('pay', { ...args, confirmation_token });

    expect(run).not.toHaveBeenCalled();
  });

  test('after a card that was declined, another try needs another yes', async () => {
    const { clock, pay, run } = start();
    const toolbox = createToolbox({
      context: { callId: 'CA1' },
      tools: [{ ...pay, options: { ...pay.options, outcome: () => 'refused' } }],
    });
    const confirmation_token = tokenIn(await toolbox.run('pay', args));
    await clock.advance(3_000);
    await toolbox.run('pay', { ...args, confirmation_token });

    expect(valueOf(await toolbox.run('pay', { ...args, confirmation_token }))['reason']).toBe(
      'confirmation_token_used',
    );
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('while its end is unknown, the same token checks the payment', async () => {
    const { clock, pay, run } = start();
    run.mockRejectedValueOnce(new Error('the line went dead') as never);
    const toolbox = createToolbox({ context: { callId: 'CA1' }, tools: [pay] });
    const confirmation_token = tokenIn(await toolbox.run('pay', args));
    await clock.advance(3_000);
    const results = [
      await toolbox.run('pay', { ...args, confirmation_token }),
      await toolbox.run('pay', { ...args, confirmation_token }),
    ];

    expect(results.map(({ status }) => status)).toEqual(['unknown', 'done']);
  });

  test('a store that is down does nothing', async () => {
    const store = createMemoryIdempotencyStore();
    const errors: unknown[] = [];
    const { clock, run, toolbox } = start({ store, onError: (error) => errors.push(error) });
    const confirmation_token = tokenIn(await toolbox.run('pay', args));
    await clock.advance(3_000);
    store.claim = () => Promise.reject(new Error('down'));

    expect(valueOf(await toolbox.run('pay', { ...args, confirmation_token }))).toEqual({
      success: false,
      error: 'temporarily_unavailable',
      reason: 'store',
    });
    expect([run.mock.calls.length, errors.length]).toEqual([0, 1]);
  });
});

test('an application that has asked the caller itself needs no token', async () => {
  const { run, toolbox } = start();

  expect(await toolbox.run('pay', args, { confirmed: true })).toMatchObject({ status: 'done' });
  expect(run).toHaveBeenCalledTimes(1);
});
