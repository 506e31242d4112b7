import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { AbortedError, CircuitOpenError, ClientError, RetriesExhaustedError } from '../../src/core/errors.ts';
import { deadlineIn } from '../../src/http/deadline.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import {
  createToolbox,
  type IdempotencyStore,
  defineTool,
  refused,
  type SettledTool,
  type SlowTool,
  type ToolboxOptions,
  type ToolContext,
  type ToolOptions,
  toolsByJob,
} from '../../src/tools/index.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';

const secret = 'pg://admin:hunter2@db';

const echo = (own: Partial<ToolOptions<{ text: string }, unknown>> = {}) =>
  defineTool<{ text: string }, unknown>({
    name: 'echo',
    description: 'Says it again.',
    parameters: z.object({ text: z.string() }),
    effect: 'read',
    run: ({ text }) => ({ text }),
    ...own,
  });

interface Payment {
  readonly invoice: string;
  readonly amount: number;
}

const pay = (own: Partial<ToolOptions<Payment, unknown>> = {}) =>
  defineTool<Payment, unknown>({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ invoice: z.string(), amount: z.number().gt(0) }),
    effect: 'payment',
    idempotent: true,
    confirm: false,
    run: () => ({ success: true }),
    ...own,
  });

const start = (options: ToolboxOptions) => {
  const clock = createVirtualClock();
  const errors: unknown[] = [];
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    onError: (error) => errors.push(error),
    ...options,
  });
  return { clock, errors, toolbox };
};

const never = () => new Promise<never>(() => {});

describe('running a tool', () => {
  test.each([
    ['an object', { text: 'hi' }],
    ['JSON text', '{"text":"hi"}'],
  ])('takes %s', async (_what, args) => {
    const { toolbox } = start({ tools: [echo()] });

    expect(await toolbox.run('echo', args)).toEqual({
      status: 'done',
      value: { text: 'hi' },
      text: '{"text":"hi"}',
      replayed: false,
    });
  });

  test('an unknown name is reported to the model, and is no defect', async () => {
    const { toolbox, errors } = start({ tools: [echo()] });

    const result = await toolbox.run('constructor', {});

    expect([result.status, result.text]).toEqual([
      'refused',
      '{"error":"invalid_arguments","fields":[{"field":"name","problem":"is not the name of a tool"}]}',
    ]);
    expect(errors).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error(secret);
      },
    ],
    [
      'throws no error',
      () => {
        throw secret;
      },
    ],
    ['rejects', () => Promise.reject(new Error(secret))],
    [
      'gives what cannot be read',
      () => ({
        get secret() {
          throw new Error(secret);
        },
      }),
    ],
  ])('a tool that %s shows the model nothing, and the application everything', async (_what, run) => {
    const { toolbox, errors } = start({ tools: [echo({ run })] });

    expect(await toolbox.run('echo', { text: '' })).toEqual({
      status: 'failed',
      value: { error: 'internal_error' },
      text: '{"error":"internal_error"}',
      replayed: false,
    });
    expect(errors).toHaveLength(1);
    expect(String(errors[0])).toContain(secret);
  });

  test('a hook that throws changes nothing', async () => {
    const { toolbox } = start({
      tools: [echo({ run: () => Promise.reject(new Error(secret)) })],
      onError: () => {
        throw new Error('the hook is broken');
      },
    });

    expect(await toolbox.run('echo', { text: '' })).toMatchObject({ status: 'failed' });
  });

  test('a broken context is a defect', async () => {
    const { toolbox, errors } = start({
      tools: [echo()],
      context: () => {
        throw new Error('no such call');
      },
    });

    expect(await toolbox.run('echo', { text: '' })).toMatchObject({ value: { error: 'internal_error' } });
    expect(errors).toEqual([new Error('no such call')]);
  });

  test('without a phone call nothing runs', async () => {
    const run = vi.fn();
    const { toolbox, errors } = start({ tools: [echo({ run })], context: {} });

    expect(await toolbox.run('echo', { text: '' })).toMatchObject({ value: { error: 'internal_error' } });
    expect(run).not.toHaveBeenCalled();
    expect(errors).toEqual([expect.objectContaining({ code: 'invalid_argument', field: 'callId' })]);
  });

  test('a failure of an API becomes data for the model, and the application gets the error', async () => {
    const error = new CircuitOpenError('open', { retryAfterMs: 1_200 });
    const { toolbox, errors } = start({ tools: [echo({ run: () => Promise.reject(error) })] });

    expect((await toolbox.run('echo', { text: '' })).text).toBe(
      '{"error":"temporarily_unavailable","reason":"circuit_open","retry_after_seconds":2}',
    );
    expect(errors).toEqual([error]);
  });

  test('a tool can refuse in its own words', async () => {
    const { toolbox } = start({ tools: [echo({ run: () => refused({ error: 'day_is_taken' }) })] });

    expect(await toolbox.run('echo', { text: '' })).toMatchObject({
      status: 'refused',
      text: '{"error":"day_is_taken"}',
    });
  });

  test('a rule can refuse before anything runs', async () => {
    const run = vi.fn();
    const { toolbox } = start({
      tools: [
        echo({
          run,
          rules: [({ text }) => (text === 'no' ? { field: 'text', problem: 'must not say no' } : undefined)],
        }),
      ],
    });

    expect((await toolbox.run('echo', { text: 'no' })).text).toBe(
      '{"error":"invalid_arguments","fields":[{"field":"text","problem":"must not say no"}]}',
    );
    expect(run).not.toHaveBeenCalled();
  });

  test.each<[string, unknown]>([
    ['deep inside', { rows: [{ words: 'a' }, { words: 'it is 4242424242424242, till 12/30' }] }],
    ['as a number', { rows: [{ count: 4242424242424242 }] }],
  ])('a card number %s is refused', async (_where, args) => {
    const row = z.object({ words: z.string().optional(), count: z.number().optional() });
    const run = vi.fn();
    const tool = defineTool({
      name: 'save',
      description: 'Saves.',
      parameters: z.object({ rows: z.array(row) }),
      effect: 'write',
      run,
    });

    expect((await start({ tools: [tool] }).toolbox.run('save', args)).value).toEqual({
      error: 'invalid_arguments',
      fields: [{ field: 'rows', problem: 'must not hold a card number' }],
    });
    expect(run).not.toHaveBeenCalled();
  });

  test('a card number is refused, whatever the argument is called', async () => {
    const run = vi.fn();
    const { toolbox } = start({ tools: [echo({ run })] });

    const { text } = await toolbox.run('echo', { text: 'it is 4242 4242 4242 4242' });

    expect(text).toBe(
      '{"error":"invalid_arguments","fields":[{"field":"text","problem":"must not hold a card number"}]}',
    );
    expect(run).not.toHaveBeenCalled();
  });
});

describe('the context', () => {
  const seenBy = (options: Partial<ToolboxOptions> = {}) => {
    const seen: ToolContext[] = [];
    const tool = echo({
      run: (_args, context) => {
        seen.push(context);
      },
    });
    return { seen, ...start({ tools: [tool], ...options }) };
  };

  test('who is on which phone call is taken from the application, whatever the run says', async () => {
    const caller = { phone: '+14155550100', verified: 'caller-id' } as const;
    const { seen, toolbox } = seenBy({ context: { callId: 'CA1', tenant: 't', caller, conversationIds: ['a'] } });

    await toolbox.run(
      'echo',
      { text: '', callId: 'CA9', caller: { verified: 'strong' } },
      {
        callId: 'CA9',
        tenant: 'u',
        caller: { verified: 'strong' },
        conversationIds: ['b'],
        toolCallId: 'tc',
      },
    );

    expect(seen).toEqual([
      expect.objectContaining({ callId: 'CA1', tenant: 't', caller, conversationIds: ['a', 'b'], toolCallId: 'tc' }),
    ]);
  });

  test('a function is asked for each run', async () => {
    let verified: 'no' | 'strong' = 'no';
    const { seen, toolbox } = seenBy({ context: () => ({ callId: 'CA1', caller: { verified } }) });
    await toolbox.run('echo', { text: '1' });
    verified = 'strong';
    await toolbox.run('echo', { text: '2' });

    expect(seen.map(({ caller }) => caller.verified)).toEqual(['no', 'strong']);
  });

  test('a toolbox can be bound further, and not be bound to something else', async () => {
    const { seen, toolbox } = seenBy({ context: { tenant: 't' } });
    const bound = toolbox.bind({ callId: 'CA7', tenant: 'u' });
    await bound.run('echo', { text: '1' });

    expect(seen).toEqual([expect.objectContaining({ callId: 'CA7', tenant: 't' })]);
    expect(bound.tools()).toBe(toolbox.tools());
  });

  test('a part of a toolbox runs its own tools alone, and shares what was done with the whole', async () => {
    const limited = createToolbox({
      context: { callId: 'CA1' },
      tools: [echo(), pay()],
      payments: { perCall: 8 },
    });
    const [reading, paying] = [limited.without(['pay']), limited.only(['pay'])];
    const args = { invoice: 'inv_1', amount: 5 };
    const refusedHere = await reading.run('pay', args);
    const paid = await paying.run('pay', args);
    const again = await limited.bind({}).run('pay', args);
    const another = await paying.bind({ tenant: undefined }).run('pay', { invoice: 'inv_2', amount: 5 });

    expect([reading, paying].map((box) => box.tools().map(({ name }) => name))).toEqual([['echo'], ['pay']]);
    expect(reading.find('pay')).toBeUndefined();
    expect(refusedHere).toMatchObject({ status: 'refused', value: { error: 'invalid_arguments' } });
    expect(await reading.validate('pay', args)).toMatchObject({ ok: false, problems: [{ field: 'name' }] });
    expect([paid.status, again.status, again.replayed]).toEqual(['done', 'done', true]);
    expect(another).toMatchObject({ status: 'refused' });
  });

  test('a name that the toolbox lacks is refused when a part is taken', () => {
    const { toolbox } = seenBy();
    expect(() => toolbox.only(['ecko'])).toThrow('names must be tools of this toolbox: it has no ecko');
    expect(() => toolbox.only(['echo']).without(['pay'])).toThrow('it has no pay');
  });

  test('a ready tool that the phone call was not given is left out of a part', () => {
    const { toolbox } = seenBy();
    const part = toolbox.only([...toolsByJob.follow, 'echo']);

    expect(part.tools().map(({ name }) => name)).toEqual(['echo']);
    expect(() => toolbox.only(['create_tickets'])).toThrow('it has no create_tickets');
  });

  test('requests of a read share the deadline and carry the phone call, and no key', async () => {
    const { seen, toolbox } = seenBy();
    const deadline = deadlineIn(3_000);
    await toolbox.run('echo', { text: '' }, { deadline });

    expect(seen[0]?.request).toMatchObject({ deadline, callId: 'CA1', idempotencyKey: undefined });
    expect(seen[0]?.deadline).toBe(deadline);
  });

  test('the key of a write is the same when the tool call is repeated, and another for another one', async () => {
    const keys: (string | undefined)[] = [];
    const tool = echo({
      effect: 'write',
      run: (_args, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        throw new ClientError('no', { status: 400 });
      },
    });
    const { toolbox } = start({ tools: [tool] });
    for (const [text, toolCallId] of [
      ['a', '1'],
      ['a', '1'],
      ['a', '2'],
      ['b', '2'],
    ] as const) {
      await toolbox.run('echo', { text }, { toolCallId });
    }

    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
  });
});

describe('an API that fails in a rule or in what is bound', () => {
  const failures: readonly (readonly [string, Error, string, object])[] = [
    [
      'refuses',
      new ClientError('no', { status: 404, details: { message: 'No such order' } }),
      'refused',
      { error: 'client_error', details: { message: 'No such order' } },
    ],
    [
      'gives no answer',
      new RetriesExhaustedError('x', { reason: 'server_error', outcome: 'unknown' }),
      'failed',
      { error: 'max_retries_exceeded', reason: 'server_error' },
    ],
    [
      'is not asked, since it has been failing',
      new CircuitOpenError('x'),
      'failed',
      { error: 'temporarily_unavailable', reason: 'circuit_open' },
    ],
  ];

  test.each(failures)('gives the same result as in the tool itself: it %s', async (_what, error, status, value) => {
    const run = vi.fn();
    const fail = () => Promise.reject(error);
    const read = echo({ run, rules: [fail] });
    const write = echo({ name: 'write', effect: 'write', run, bind: { text: fail } });
    const payment = pay({ run, rules: [fail] });
    const { toolbox, errors } = start({ tools: [read, write, payment] });

    expect(await toolbox.run('echo', { text: 'a' })).toMatchObject({ status, value });
    expect(await toolbox.run('write', {})).toMatchObject({ status, value });
    expect(await toolbox.run('pay', { invoice: 'i', amount: 5 })).toMatchObject({
      status,
      value: { success: false, ...value },
    });
    expect(run).not.toHaveBeenCalled();
    expect(errors).toEqual([error, error, error]);
  });

  test('is not what a rule that is broken says: that is a defect', async () => {
    const broken = new TypeError(secret);
    const fail = () => Promise.reject(broken);
    const { toolbox, errors } = start({ tools: [echo({ rules: [fail] }), pay({ rules: [fail] })] });

    expect(await toolbox.run('echo', { text: 'a' })).toMatchObject({ value: { error: 'internal_error' } });
    expect(await toolbox.run('pay', { invoice: 'i', amount: 5 })).toMatchObject({
      status: 'failed',
      value: { success: false, error: 'internal_error' },
    });
    expect(errors).toEqual([broken, broken]);
  });
});

describe('a tool call that is delivered twice', () => {
  test('joins the first while it runs, and is answered from memory afterwards', async () => {
    const run = vi.fn(async () => ({ n: 1 }));
    const { toolbox } = start({ tools: [echo({ effect: 'write', run })] });
    const call = () => toolbox.run('echo', { text: 'a' }, { toolCallId: 'tc' });

    const results = [...(await Promise.all([call(), call()])), await call()];

    expect(run).toHaveBeenCalledTimes(1);
    expect(results.map(({ text, replayed }) => [text, replayed])).toEqual([
      ['{"n":1}', false],
      ['{"n":1}', true],
      ['{"n":1}', true],
    ]);
  });

  test('is refused with other arguments while the first runs', async () => {
    const { toolbox, clock } = start({ tools: [echo({ run: never, effect: 'write' })] });
    const controller = new AbortController();
    const first = toolbox.run('echo', { text: 'a' }, { toolCallId: 'tc', signal: controller.signal });

    expect((await toolbox.run('echo', { text: 'b' }, { toolCallId: 'tc' })).text).toBe(
      '{"error":"not_allowed","reason":"another_call_in_progress"}',
    );
    controller.abort();
    await clock.advance(50);
    expect(await first).toMatchObject({ status: 'cancelled' });
  });

  test('runs with other arguments under one id if it only reads', async () => {
    const { toolbox } = start({ tools: [echo()] });
    const look = (text: string) => toolbox.run('echo', { text }, { toolCallId: 'echo' });

    const results = await Promise.all(['1', '2', '3', '1'].map(look));

    expect(results.map(({ text, replayed }) => [text, replayed])).toEqual([
      ['{"text":"1"}', false],
      ['{"text":"2"}', false],
      ['{"text":"3"}', false],
      ['{"text":"1"}', true],
    ]);
  });

  test('runs again when the first failed', async () => {
    const run = vi
      .fn()
      .mockRejectedValueOnce(new ClientError('no', { status: 400 }))
      .mockResolvedValueOnce('ok');
    const { toolbox } = start({ tools: [echo({ run })] });
    await toolbox.run('echo', { text: 'a' }, { toolCallId: 'tc' });

    expect(await toolbox.run('echo', { text: 'a' }, { toolCallId: 'tc' })).toMatchObject({
      status: 'done',
      replayed: false,
    });
  });

  test('asks a look-up again, since what it found may have changed', async () => {
    const run = vi.fn(async () => 'ok');
    const { toolbox } = start({ tools: [echo({ run }), pay()] });
    await toolbox.run('echo', { text: 'a' }, { toolCallId: 'tool:0' });
    await toolbox.run('pay', { invoice: 'i', amount: 5 }, { toolCallId: 'tool:0' });

    expect(await toolbox.run('echo', { text: 'a' }, { toolCallId: 'tool:0' })).toMatchObject({ replayed: false });
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('pays a payment once, whatever ids the tool calls have', async () => {
    const run = vi.fn(() => ({ success: true }));
    const { toolbox } = start({ tools: [pay({ run })] });
    for (const toolCallId of ['tool:0', 'tool:0', '', '', 'tool:1', undefined])
      await toolbox.run('pay', { invoice: 'i', amount: 5 }, { toolCallId });

    expect(run).toHaveBeenCalledTimes(1);
  });

  test('takes two calls with empty ids for two calls', async () => {
    const { toolbox } = start({ tools: [echo()] });

    const results = await Promise.all(['a', 'b'].map((text) => toolbox.run('echo', { text }, { toolCallId: '' })));

    expect(results.map(({ text }) => text)).toEqual(['{"text":"a"}', '{"text":"b"}']);
  });

  test('does A, B and A again as three writes, each under a key of its own', async () => {
    const keys: (string | undefined)[] = [];
    const tool = echo({ effect: 'write', run: (_args, { idempotencyKey }) => void keys.push(idempotencyKey) });
    const { toolbox } = start({ tools: [tool] });
    for (const text of ['a', 'b', 'a', 'a']) await toolbox.run('echo', { text }, { toolCallId: `derived ${text}` });

    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(3);
  });

  test('does a write that is idempotent once, also under another id', async () => {
    const run = vi.fn(async () => 'ok');
    const { toolbox } = start({ tools: [echo({ effect: 'write', idempotent: true, run })] });

    const results = [
      await toolbox.run('echo', { text: 'a' }, { toolCallId: '1' }),
      await toolbox.run('echo', { text: 'a' }, { toolCallId: '2' }),
      await toolbox.run('echo', { text: 'a' }),
    ];

    expect(run).toHaveBeenCalledTimes(1);
    expect(results.map(({ replayed }) => replayed)).toEqual([false, true, true]);
  });

  test('phone calls do not know each other', async () => {
    const run = vi.fn(async () => 'ok');
    const { toolbox } = start({ tools: [echo({ effect: 'write', idempotent: true, run })], context: {} });
    await toolbox.run('echo', { text: 'a' }, { callId: 'CA1', toolCallId: '1' });
    await toolbox.run('echo', { text: 'a' }, { callId: 'CA2', toolCallId: '1' });

    expect(run).toHaveBeenCalledTimes(2);
  });
});

describe('taking a tool call back', () => {
  test('before it began: nothing runs', async () => {
    const run = vi.fn();
    const { toolbox } = start({ tools: [echo({ run })] });

    expect(await toolbox.run('echo', { text: '' }, { signal: AbortSignal.abort() })).toMatchObject({
      status: 'cancelled',
      text: '{"error":"cancelled"}',
    });
    expect(run).not.toHaveBeenCalled();
  });

  test('before its own code has begun: that does not run any more', async () => {
    const controller = new AbortController();
    const run = vi.fn();
    const { toolbox } = start({ tools: [echo({ run })] });
    const result = toolbox.run('echo', { text: '' }, { signal: controller.signal });
    controller.abort();

    expect(await result).toMatchObject({ status: 'cancelled' });
    expect(run).not.toHaveBeenCalled();
  });

  test('ends a read through its signal', async () => {
    const controller = new AbortController();
    const tool = echo({
      run: (_args, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new AbortedError('gone')))),
    });
    const { toolbox, errors, clock } = start({ tools: [tool] });
    const result = toolbox.run('echo', { text: '' }, { signal: controller.signal });
    await clock.advance(0);
    controller.abort();

    expect(await result).toMatchObject({ status: 'cancelled', value: { error: 'cancelled' } });
    expect(errors).toEqual([]);
  });

  test('lets go of a tool that does not listen', async () => {
    const controller = new AbortController();
    const { toolbox, clock } = start({ tools: [echo({ run: never })] });
    const result = toolbox.run('echo', { text: '' }, { signal: controller.signal });
    await clock.advance(0);
    controller.abort();
    await clock.advance(50);

    expect(await result).toMatchObject({ status: 'cancelled' });
    expect(clock.pendingTimers()).toBe(0);
  });

  test('leaves no listener on a long-lived signal', async () => {
    const { signal } = new AbortController();
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    const { toolbox, clock } = start({ tools: [echo()] });
    await toolbox.run('echo', { text: '' }, { signal });

    expect(add.mock.calls.length).toBeGreaterThan(0);
    expect(remove.mock.calls.map(([, listener]) => listener)).toEqual(
      expect.arrayContaining(add.mock.calls.map(([, listener]) => listener)),
    );
    expect(clock.pendingTimers()).toBe(0);
  });

  test('a payment that was not sent yet is never sent', async () => {
    const controller = new AbortController();
    const run = vi.fn();
    createVirtualClock();
    const store = createMemoryIdempotencyStore({});
    const slow: IdempotencyStore = {
      ...store,
      claim: async (...all) => {
        controller.abort();
        return store.claim(...all);
      },
    };
    const { toolbox } = start({ tools: [pay({ run })], store: slow });

    expect(await toolbox.run('pay', { invoice: 'i', amount: 5 }, { signal: controller.signal })).toMatchObject({
      status: 'cancelled',
      value: { success: false, error: 'cancelled' },
    });
    expect(run).not.toHaveBeenCalled();
  });

  test('does not abandon a payment that was sent: it is called unknown, and its end is reported', async () => {
    const controller = new AbortController();
    const settled: SettledTool[] = [];
    let answer: (result: unknown) => void = () => {};
    const run = vi.fn(() => new Promise((resolve) => (answer = resolve)));
    const { toolbox, clock } = start({ tools: [pay({ run })] });
    const args = { invoice: 'i', amount: 5 };
    const result = toolbox.run('pay', args, {
      toolCallId: 'tc',
      signal: controller.signal,
      onSettled: (end) => settled.push(end),
    });
    await clock.advance(0);
    controller.abort();
    await clock.advance(50);

    expect(await result).toMatchObject({
      status: 'cancelled',
      value: { success: false, error: 'cancelled', outcome: 'unknown', message: expect.stringContaining('Never say') },
    });

    answer({ success: true, confirmation_number: 'C1' });
    await clock.advance(0);
    expect(settled).toEqual([
      {
        tool: 'pay',
        callId: 'CA1',
        toolCallId: 'tc',
        idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/),
        result: expect.objectContaining({ status: 'done', value: { success: true, confirmation_number: 'C1' } }),
      },
    ]);
    expect(await toolbox.run('pay', args)).toMatchObject({ status: 'done', replayed: true });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('a payment whose client lets go of it is settled by what the client reports later', async () => {
    const controller = new AbortController();
    const settled: SettledTool[] = [];
    let late: ToolContext['onSettled'] = () => {};
    const run = vi.fn((_args: Payment, { signal, request }: ToolContext) => {
      late = request.onSettled as ToolContext['onSettled'];
      const gone = new AbortedError('gone', { outcome: 'unknown' });
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(gone)));
    });
    const { toolbox, clock } = start({ tools: [pay({ run })] });
    const args = { invoice: 'i', amount: 5 };
    const result = toolbox.run('pay', args, { signal: controller.signal, onSettled: (end) => settled.push(end) });
    await clock.advance(0);
    controller.abort();

    expect(await result).toMatchObject({ status: 'cancelled', value: { success: false, outcome: 'unknown' } });
    late({ ok: true, result: { success: true } });
    await clock.advance(0);
    expect(settled.map((end) => end.result.status)).toEqual(['done']);
    expect(await toolbox.run('pay', args)).toMatchObject({ status: 'done', replayed: true });
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('time', () => {
  test('a tool that does not mind the deadline is let go, and told so through its signal', async () => {
    let seen: AbortSignal | undefined;
    const tool = echo({
      run: (_args, { signal }) => {
        seen = signal;
        return never();
      },
    });
    const { toolbox, clock } = start({ tools: [tool], deadline: 1_000 });
    const result = toolbox.run('echo', { text: '' });
    await clock.advance(1_250);

    expect((await result).text).toBe('{"error":"max_retries_exceeded","reason":"deadline"}');
    expect(seen?.aborted).toBe(true);
  });

  test('a payment that is not answered in time is unknown', async () => {
    const { toolbox, clock } = start({ tools: [pay({ run: never })], deadline: 1_000 });
    const result = toolbox.run('pay', { invoice: 'i', amount: 5 });
    await clock.advance(1_250);

    expect(await result).toMatchObject({ status: 'unknown', value: { success: false, outcome: 'unknown' } });
  });

  test('a slow tool says so once, a fast one never', async () => {
    const slow: SlowTool[] = [];
    const tool = echo({
      run: ({ text }) => (text === 'slow' ? never() : 'ok'),
      expectedMs: 500,
      slowMessage: 'One moment.',
    });
    const { toolbox, clock } = start({ tools: [tool] });
    const onSlow = (one: SlowTool) => slow.push(one);
    await toolbox.run('echo', { text: 'fast' }, { onSlow });
    const result = toolbox.run('echo', { text: 'slow' }, { toolCallId: 'tc', onSlow });
    await clock.advance(499);
    expect(slow).toEqual([]);
    await clock.advance(1);
    expect(slow).toEqual([{ tool: 'echo', toolCallId: 'tc', message: 'One moment.' }]);
    await clock.advance(20_000);

    await result;
    expect(slow).toHaveLength(1);
  });
});

describe('limits of a phone call', () => {
  test('on tool calls', async () => {
    const { toolbox } = start({ tools: [echo()], limits: { toolCalls: 2 }, context: {} });
    const run = async (callId: string) => (await toolbox.run('echo', { text: 'a' }, { callId })).text;

    expect([await run('CA1'), await run('CA1'), await run('CA1'), await run('CA2')]).toEqual([
      '{"text":"a"}',
      '{"text":"a"}',
      '{"error":"not_allowed","reason":"too_many_tool_calls"}',
      '{"text":"a"}',
    ]);
  });

  test('on writes, and a read is none', async () => {
    const read = echo({ name: 'read' });
    const { toolbox } = start({ tools: [echo({ effect: 'write' }), read], limits: { writes: 1 } });
    await toolbox.run('echo', { text: 'a' });

    expect(await toolbox.run('echo', { text: 'b' })).toMatchObject({ value: { reason: 'too_many_writes' } });
    expect(await toolbox.run('read', { text: 'b' })).toMatchObject({ status: 'done' });
  });

  test('on the sum of payments: exact, without those that were refused, and a replay is free', async () => {
    const run = ({ invoice }: Payment) => (invoice === 'bad' ? refused({ error: 'no' }) : { success: true });
    const { toolbox } = start({ tools: [pay({ run })], payments: { perCall: 0.301 } });
    const amounts = [
      ['bad', 0.3],
      ['a', 0.1],
      ['b', 0.2],
      ['a', 0.1],
      ['c', 0.01],
    ] as const;
    const results = [];
    for (const [invoice, amount] of amounts) results.push(await toolbox.run('pay', { invoice, amount }));

    expect(results.map(({ status, value }) => [status, (value as { reason?: string }).reason])).toEqual([
      ['refused', undefined],
      ['done', undefined],
      ['done', undefined],
      ['done', undefined],
      ['refused', 'payment_limit_reached'],
    ]);
  });
});

test.each([-100, Number.NaN])('%d does not make room for more payments', async (strange) => {
  const run = vi.fn(() => ({ success: true }));
  const amount = (args: Payment) => (args.invoice === 'strange' ? strange : args.amount);
  const { toolbox } = start({ tools: [pay({ run, amount })], payments: { perCall: 10 } });
  await toolbox.run('pay', { invoice: 'strange', amount: 1 });

  expect(await toolbox.run('pay', { invoice: 'i', amount: 11 })).toMatchObject({
    status: 'refused',
    value: { reason: 'payment_limit_reached' },
  });
});

describe('agreement', () => {
  const args = { invoice: 'i', amount: 5 };

  test('in two steps: a short result still holds the token, and the summary nothing that the application supplies', async () => {
    const bind = { invoice: 'inv_of_the_application' };
    const { toolbox, clock } = start({ tools: [pay({ confirm: 'two-step', maxChars: 60, bind })] });
    const { value } = await toolbox.run('pay', { amount: 5 });
    const { confirmation_token } = value as { confirmation_token: string };

    await clock.advance(3_000);
    expect(value).toMatchObject({ summary: 'pay {"amount":5}', expires_in_seconds: 300 });
    expect(await toolbox.run('pay', { amount: 5, confirmation_token })).toMatchObject({ status: 'done' });
  });

  test('the application that approves gets everything', async () => {
    const approve = vi.fn(() => false);
    const { toolbox } = start({ tools: [pay({ confirm: 'approve', bind: { invoice: 'inv_1' } })], approve });
    await toolbox.run('pay', { amount: 5 });

    expect(approve).toHaveBeenCalledWith('pay {"invoice":"inv_1","amount":5}', expect.anything());
  });

  test('the token is an optional argument only where two steps are switched on', () => {
    const names = (tool: ReturnType<typeof pay>) => Object.keys(tool.parameters.properties);

    expect(names(pay())).toEqual(['invoice', 'amount']);
    expect(names(pay({ confirm: 'two-step' }))).toEqual(['invoice', 'amount', 'confirmation_token']);
    expect(pay({ confirm: 'two-step' }).parameters.required).toEqual(['invoice', 'amount']);
  });

  test.each([true, false])('the application can be asked: %s', async (answer) => {
    const run = vi.fn(() => ({ success: true }));
    const approve = vi.fn(() => answer);
    const tool = pay({ run, confirm: 'approve', summarize: ({ amount }) => `Pay ${amount}.` });
    const { toolbox } = start({ tools: [tool], approve });

    expect((await toolbox.run('pay', args)).text).toBe(
      answer ? '{"success":true}' : '{"success":false,"error":"not_allowed","reason":"not_approved"}',
    );
    expect(approve).toHaveBeenCalledWith('Pay 5.', expect.objectContaining({ tool: 'pay', callId: 'CA1' }));
    expect(run).toHaveBeenCalledTimes(answer ? 1 : 0);
  });
});

describe('failures of a payment', () => {
  const paying = async (run: () => unknown) => {
    const started = start({ tools: [pay({ run })] });
    return { ...started, result: await started.toolbox.run('pay', { invoice: 'i', amount: 5 }) };
  };
  const unknownValue = {
    success: false,
    error: 'payment_status_unknown',
    outcome: 'unknown',
    message: expect.stringMatching(/Never say it failed or succeeded/),
  };

  test('an unknown outcome wins over the class of the error', async () => {
    const { result, errors } = await paying(() =>
      Promise.reject(new ClientError('conflict', { status: 409, outcome: 'unknown', details: 'declined' })),
    );

    expect(result).toMatchObject({ status: 'unknown', value: unknownValue });
    expect(errors).toEqual([expect.any(ClientError)]);
  });

  test('a defect may have happened after the money moved', async () => {
    const { result, errors } = await paying(() => {
      throw new TypeError(secret);
    });

    expect(result).toMatchObject({ status: 'unknown', value: unknownValue });
    expect(errors).toHaveLength(1);
  });

  test.each([20, 200])('are given whole, however short results are to be: %i characters', async (maxChars) => {
    const { toolbox } = start({ tools: [pay({ run: () => Promise.reject(new TypeError(secret)), maxChars })] });
    const { value, text } = await toolbox.run('pay', { invoice: 'i', amount: 5 });

    expect(value).toEqual({ ...unknownValue, message: expect.stringMatching(/ charges once\.$/) });
    expect(JSON.parse(text)).toEqual(value);
  });

  test('an answer that cannot be read came after the money moved', async () => {
    const unreadable = {
      get number() {
        throw new Error(secret);
      },
    };
    const { result, errors } = await paying(() => unreadable);

    expect(result).toMatchObject({ status: 'done', value: { success: true } });
    expect(errors).toEqual([new Error(secret)]);
  });

  test('an end whose words cannot be read is the end all the same, and does not throw in onSettled', async () => {
    let late: ToolContext['onSettled'] = () => {};
    const run = vi
      .fn()
      .mockImplementationOnce((_args: Payment, { onSettled }: ToolContext) => {
        late = onSettled;
        throw new AbortedError('gone', { outcome: 'unknown' });
      })
      .mockReturnValueOnce({ success: true });
    const compact = (result: { readonly success?: boolean }) => {
      if (!result.success) throw new Error(secret);
      return result;
    };
    const { toolbox, errors } = start({ tools: [pay({ run, compact: (result) => compact(result as object) })] });
    const args = { invoice: 'i', amount: 5 };
    expect(await toolbox.run('pay', args)).toMatchObject({ status: 'unknown' });

    late({ ok: true, result: {} });
    expect(errors).toEqual([new Error(secret)]);
    expect(await toolbox.run('pay', args)).toMatchObject({ status: 'done', replayed: true });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('an amount that cannot be counted is a defect before anything is sent', async () => {
    const run = vi.fn(() => ({ success: true }));
    let isBroken = true;
    const amount = () => {
      if (isBroken) throw new Error(secret);
      return 5;
    };
    const { toolbox, errors } = start({ tools: [pay({ run, amount })] });

    expect((await toolbox.run('pay', { invoice: 'i', amount: 5 })).text).toBe(
      '{"success":false,"error":"internal_error"}',
    );
    expect(run).not.toHaveBeenCalled();
    expect(errors).toEqual([new Error(secret)]);
    isBroken = false;
    expect(await toolbox.run('pay', { invoice: 'i', amount: 5 })).toMatchObject({ status: 'done', replayed: false });
  });

  test('too many requests say nothing about the payment', async () => {
    const error = new RetriesExhaustedError('429', {
      reason: 'rate_limited',
      outcome: 'rejected',
      retryAfterMs: 3_000,
    });
    const { result } = await paying(() => Promise.reject(error));

    expect(result).toMatchObject({
      status: 'failed',
      value: { success: false, error: 'max_retries_exceeded', reason: 'rate_limited', retry_after_seconds: 3 },
    });
  });

  test('a store that cannot be reached means that nothing was sent', async () => {
    const run = vi.fn();
    const failing = () => Promise.reject(new Error('no store'));
    const { toolbox, errors } = start({
      tools: [pay({ run })],
      store: { claim: failing, renew: failing, read: failing, settle: failing, release: failing },
    });

    expect((await toolbox.run('pay', { invoice: 'i', amount: 5 })).text).toBe(
      '{"success":false,"error":"temporarily_unavailable","reason":"store"}',
    );
    expect(run).not.toHaveBeenCalled();
    expect(new Set(errors.map(String))).toEqual(new Set(['Error: no store']));
  });
});

test('two tools of one name, too many tools and a missing approval are refused when the toolbox is made', () => {
  expect(() => createToolbox({ tools: [echo(), echo()] })).toThrow('tools must not hold two tools called echo');
  expect(() =>
    createToolbox({ tools: Array.from({ length: 129 }, (_, index) => echo({ name: `echo_${index}` })) }),
  ).toThrow('tools must be at most 128');
  expect(() => createToolbox({ tools: [pay({ confirm: 'approve' })] })).toThrow('approve must be given');
});

test('what an adapter needs can be read of each tool', () => {
  const { toolbox } = start({ tools: [echo(), pay({ expectedMs: 900, slowMessage: 'One moment.' })] });

  expect(toolbox.find('pay')).toMatchObject({
    effect: 'payment',
    idempotent: true,
    expectedMs: 900,
    slowMessage: 'One moment.',
    confirm: false,
  });
  expect(toolbox.find('nothing')).toBeUndefined();
  expect(toolbox.tools().map(({ name }) => name)).toEqual(['echo', 'pay']);
  expect(toolbox.tools()).toBe(toolbox.tools());
  expect(toolbox.tools()[0]).toMatchObject({
    name: 'echo',
    description: 'Says it again.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  });
});
