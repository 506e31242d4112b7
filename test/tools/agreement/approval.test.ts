import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { CircuitOpenError } from '../../../src/core/errors.ts';
import type { IntegrationEvent } from '../../../src/observability/events.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import type { IdempotencyStore } from '../../../src/stores/ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory/index.ts';
import {
  type Approval,
  createToolbox,
  defineTool,
  type SettledTool,
  type ToolboxOptions,
  type ToolOptions,
  type ToolResult,
} from '../../../src/tools/index.ts';

interface Payment {
  readonly invoice: string;
  readonly amount: number;
}

const args = { invoice: 'i', amount: 5 };

const waiting = {
  status: 'waiting',
  value: {
    waiting_for_approval: true,
    message:
      'Nothing was done yet: a colleague has to approve it. Tell the caller that you are waiting for a colleague. ' +
      'Call again with the same arguments to learn what came of it.',
  },
};

interface Started extends Partial<Omit<ToolboxOptions, 'tools'>> {
  readonly tool?: Partial<ToolOptions<Payment, unknown>>;
}

/** A tool that a colleague approves, and the colleague. */
const start = ({ tool: own = {}, ...options }: Started = {}) => {
  const clock = createVirtualClock();
  const run = vi.fn((): unknown => ({ success: true, confirmation_number: 'C-1' }));
  const errors: unknown[] = [];
  const settled: SettledTool[] = [];
  let decision = Promise.withResolvers<Approval>();
  const approve = vi.fn(() => {
    decision = Promise.withResolvers<Approval>();
    return decision.promise;
  });
  const tool = defineTool<Payment, unknown>({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ invoice: z.string(), amount: z.number() }),
    effect: 'payment',
    confirm: 'approve',
    run,
    ...own,
  });
  const process = () =>
    createToolbox({
      context: { callId: 'CA1' },
      approve,
      onError: (error) => errors.push(error),
      ...options,
      tools: [tool],
    });
  const toolbox = process();
  /** Asks, and lets so much time pass that a model gets an answer. */
  const ask = async (context: Parameters<typeof toolbox.run>[2] = {}, box = toolbox): Promise<ToolResult> => {
    const asked = box.run('pay', args, { onSettled: (end) => settled.push(end), ...context });
    await clock.advance(3_000);
    return asked;
  };
  const decide = async (approval: Approval | Error) => {
    if (approval instanceof Error) decision.reject(approval);
    else decision.resolve(approval);
    await clock.advance(0);
    await clock.advance(0);
  };
  return { clock, run, tool, approve, decide, ask, toolbox, process, errors, settled };
};

describe('a colleague who needs a while', () => {
  test('the model reads that a colleague is asked, and the next call says what came of it', async () => {
    const { ask, decide, run, settled, approve } = start();
    const first = await ask();
    const second = await ask();
    await decide(true);
    const third = await ask();
    const fourth = await ask();

    expect([first, second]).toEqual([expect.objectContaining(waiting), expect.objectContaining(waiting)]);
    const done = { status: 'done', value: { success: true, confirmation_number: 'C-1' } };
    expect(third).toMatchObject({ ...done, replayed: true });
    expect(fourth.value).toEqual({ ...done.value, already_paid: true, message: expect.any(String) });
    expect(settled).toEqual([
      {
        tool: 'pay',
        callId: 'CA1',
        toolCallId: undefined,
        idempotencyKey: undefined,
        result: expect.objectContaining(done),
      },
    ]);
    expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([1, 1]);
    expect(approve.mock.calls[0]).toEqual([expect.any(String), expect.objectContaining({ tool: 'pay', args })]);
  });

  test('a no is the answer to every further call', async () => {
    const { ask, decide, run, settled, approve } = start();
    await ask();
    await decide(false);
    const refusal = { success: false, error: 'not_allowed', reason: 'not_approved' };

    expect(settled.map(({ result }) => result.value)).toEqual([refusal]);
    expect([(await ask()).value, (await ask()).value]).toEqual([refusal, refusal]);
    expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([0, 1]);
  });

  test('a no that was read is the answer in its turn; asked for in a later one, a colleague is asked again', async () => {
    const { ask, decide, run, approve } = start();
    await ask({ turn: 1 });
    await decide(false);
    const inSameTurn = [await ask({ turn: 2 }), await ask({ turn: 2 })];
    const later = await ask({ turn: 3 });
    await decide(true);

    const refused = expect.objectContaining({ status: 'refused' });
    expect(inSameTurn).toEqual([refused, refused]);
    expect(later).toMatchObject(waiting);
    expect(await ask({ turn: 4 })).toMatchObject({ status: 'done' });
    expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([1, 2]);
  });

  test('a no to a payment is the answer once to who rings back, and then a colleague is asked again', async () => {
    const caller = { phone: '+14155550100', verified: 'caller-id' } as const;
    const { ask, decide, approve } = start({ context: { caller } });
    await ask({ callId: 'CA1' });
    await decide(false);

    expect(await ask({ callId: 'CA2' })).toMatchObject({ status: 'refused' });
    expect(await ask({ callId: 'CA3' })).toMatchObject(waiting);
    expect(approve).toHaveBeenCalledTimes(2);
  });

  test('what came of it goes to the toolbox and to the run', async () => {
    const received: string[] = [];
    const { ask, decide } = start({ context: { callId: 'CA1', onSettled: () => received.push('toolbox') } });
    await ask({ onSettled: () => received.push('run') });
    await decide(true);

    expect(received).toEqual(['toolbox', 'run']);
  });

  test('an approval that fails is a defect, and the next call asks again', async () => {
    const { ask, decide, run, errors, approve } = start();
    await ask();
    await decide(new Error('the desk is closed'));
    await ask();
    await decide(true);

    expect(errors.map(String)).toEqual(['Error: the desk is closed']);
    expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([1, 2]);
  });

  test('an answer within three seconds counts at once, and the next call asks again', async () => {
    const { clock, toolbox, decide, approve, run } = start({ tool: { effect: 'write' } });
    for (const answer of [true, false]) {
      const asked = toolbox.run('pay', args);
      await clock.advance(2_999);
      await decide(answer);
      expect((await asked).status).toBe(answer ? 'done' : 'refused');
    }

    expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([1, 2]);
  });

  test('a turn that is short is not used up by waiting', async () => {
    const { clock, toolbox } = start({ deadline: 1_000 });
    const asked = toolbox.run('pay', args);
    await clock.advance(500);

    expect(await asked).toMatchObject(waiting);
  });

  test('an answer after an hour does nothing', async () => {
    const { clock, ask, decide, run, settled } = start();
    await ask();
    await clock.advance(60 * 60_000);
    await decide(true);

    expect(run).not.toHaveBeenCalled();
    expect(settled.map(({ result }) => result.value)).toEqual([
      { success: false, error: 'not_allowed', reason: 'approval_expired' },
    ]);
  });

  test('what failed is tried again without asking again', async () => {
    const { ask, decide, run, approve } = start({ tool: { effect: 'write', idempotent: true } });
    run.mockRejectedValueOnce(new Error('the line went dead'));
    await ask();
    await decide(true);
    const [again, more] = [await ask(), await ask()];

    expect([again.status, again.replayed, more.status]).toEqual(['done', false, 'done']);
    expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([2, 1]);
  });

  test('listeners get the wait and the end', async () => {
    const events: IntegrationEvent[] = [];
    const { ask, decide } = start({ onEvent: (event) => events.push(event) });
    await ask();
    await decide(true);

    expect(events.map((event) => event.type === 'tool-run' && event.status)).toEqual(['waiting', 'done']);
  });

  test('what is bound must still be what was approved', async () => {
    let card = 'pm_1';
    const bind = { invoice: () => card };
    const { ask, decide, run, settled } = start({ tool: { bind } });
    await ask();
    card = 'pm_2';
    await decide(true);

    expect(run).not.toHaveBeenCalled();
    expect(settled[0]?.result.value).toMatchObject({ reason: 'approval_expired' });
  });

  test('a rule that forbids it meanwhile counts', async () => {
    let isAllowed = true;
    const rules = [() => (isAllowed ? undefined : { field: 'amount', problem: 'is too high now' })];
    const { ask, decide, run } = start({ tool: { rules } });
    await ask();
    isAllowed = false;
    await decide(true);

    expect(run).not.toHaveBeenCalled();
  });
});

describe('a caller who hangs up meanwhile', () => {
  const hungUp = async (own: Started, approval: Approval) => {
    const started = start(own);
    const line = new AbortController();
    await started.ask({ signal: line.signal });
    line.abort();
    await started.decide(approval);
    return started;
  };

  test('a payment isn’t made', async () => {
    const { run, settled } = await hungUp({}, true);

    expect(run).not.toHaveBeenCalled();
    expect(settled.map(({ result }) => result.value)).toEqual([
      { success: false, error: 'not_allowed', reason: 'call_ended' },
    ]);
  });

  test.each([
    ['true', () => true],
    ['a moment', () => new Date(0)],
    ['1', () => 1],
    ['nothing', () => undefined],
    ['a text', () => 'false'],
    [
      'an error',
      () => {
        throw new Error('the phone call is unknown');
      },
    ],
  ])('a payment isn’t made if hasEnded gives %s, and the call does not go on waiting', async (_what, hasEnded) => {
    const { ask, decide, run, settled } = start();
    await ask({ hasEnded: hasEnded as () => boolean });
    await decide(true);

    expect(run).not.toHaveBeenCalled();
    expect(settled.map(({ result }) => result.value)).toMatchObject([{ reason: 'call_ended' }]);
  });

  test('a payment is made while hasEnded gives false', async () => {
    const { ask, decide, run } = start();
    await ask({ hasEnded: () => false });
    await decide(true);

    expect(run).toHaveBeenCalledTimes(1);
  });

  test('another write is done', async () => {
    const { run } = await hungUp({ tool: { effect: 'write' } }, true);

    expect(run).toHaveBeenCalledTimes(1);
  });

  test('who rings back and asks for it makes it, once', async () => {
    const context = { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } } as const;
    const { ask, process, run, approve } = await hungUp({ context, store: createMemoryIdempotencyStore() }, true);
    const back = await ask({}, process().bind({ ...context, callId: 'CA2' }));

    expect(back).toMatchObject({ status: 'done', value: { confirmation_number: 'C-1' } });
    expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([1, 1]);
  });

  test.each([true, false])('who rings back later can have another write approved (last answer %s)', async (isYes) => {
    const caller = { phone: '+14155550100', verified: 'caller-id' } as const;
    const { ask, decide, run, approve } = start({ tool: { effect: 'write' }, context: { caller } });
    const inCall = (callId: string) => ask({ callId });
    await inCall('CA1');
    await decide(isYes);
    const learned = await inCall('CA1');
    expect(await inCall('CA1')).toMatchObject({ status: learned.status });
    expect(await inCall('CA2')).toMatchObject(waiting);
    await decide(true);

    expect(await inCall('CA2')).toMatchObject({ status: 'done' });
    expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([isYes ? 2 : 1, 2]);
  });

  test('who rings back reads once what came of a write', async () => {
    const caller = { phone: '+14155550100', verified: 'caller-id' } as const;
    const { ask, decide, run } = start({ tool: { effect: 'write' }, context: { caller } });
    await ask({ callId: 'CA1' });
    await decide(true);

    expect(await ask({ callId: 'CA2' })).toMatchObject({ status: 'done', replayed: true });
    expect(await ask({ callId: 'CA3' })).toMatchObject(waiting);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('who rings back does not start a write again whose end is unknown', async () => {
    const caller = { phone: '+14155550100', verified: 'caller-id' } as const;
    const { ask, decide, run } = start({
      tool: { effect: 'write', outcome: () => 'unknown' },
      context: { caller },
    });
    const inCall = (callId: string) => ask({ callId });
    await inCall('CA1');
    await decide(true);
    await inCall('CA1');

    expect(await inCall('CA2')).toMatchObject({ status: 'unknown', replayed: true });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('who rings back while the colleague thinks is on the phone again', async () => {
    const { ask, decide, run, settled, toolbox } = start({
      context: { caller: { phone: '+14155550100', verified: 'caller-id' } },
    });
    const line = new AbortController();
    await ask({ callId: 'CA1', signal: line.signal }, toolbox);
    line.abort();
    await ask({ callId: 'CA2' }, toolbox);
    await decide(true);

    expect(run).toHaveBeenCalledTimes(1);
    expect(settled.map(({ callId, result }) => [callId, result.status])).toEqual([['CA2', 'done']]);
  });

  test('a phone call that was finished counts as ended', async () => {
    const { clock, tool, approve, decide, run } = start();
    const phoneCall = startPhoneCall(
      {},
      {
        callId: 'CA1',
        phone: '+14155550100',
        tools: { own: [tool], approve },
        payments: { below: 100 },
      },
    );
    const asked = phoneCall.tools.run('pay', args);
    await clock.advance(3_000);
    expect(await asked).toMatchObject(waiting);
    await phoneCall.finish().catch(() => {});
    await decide(true);

    expect(run).not.toHaveBeenCalled();
  });
});

test('two processes that share a store ask once and do it once', async () => {
  const { ask, process, decide, run, approve } = start({ store: createMemoryIdempotencyStore() });
  const other = process();
  await ask();
  const there = await ask({}, other);
  await decide(true);

  expect([there.status, (await ask({}, other)).status]).toEqual(['waiting', 'done']);
  expect([run.mock.calls.length, approve.mock.calls.length]).toEqual([1, 1]);
});

describe('both kinds', () => {
  const confirmed = async (started: ReturnType<typeof start>) => {
    const { value } = await started.toolbox.run('pay', args);
    await started.clock.advance(3_000);
    const { confirmation_token } = value as { confirmation_token: string };
    return { ...args, confirmation_token };
  };

  test('the caller agrees first, and only then a colleague is asked', async () => {
    const started = start({ tool: { confirm: 'both' } });
    const withToken = await confirmed(started);
    expect(started.approve).not.toHaveBeenCalled();
    const asked = started.toolbox.run('pay', withToken);
    await started.clock.advance(3_000);
    expect(await asked).toMatchObject(waiting);
    await started.decide(true);

    expect(started.run).toHaveBeenCalledTimes(1);
  });

  test.each([true, false])('what came of it is read with the token or without: %s', async (isSent) => {
    const started = start({ tool: { confirm: 'both' } });
    const withToken = await confirmed(started);
    const asked = started.toolbox.run('pay', withToken);
    await started.clock.advance(3_000);
    await asked;
    const again = isSent ? withToken : args;

    expect(await started.toolbox.run('pay', again)).toMatchObject(waiting);
    await started.decide(true);
    expect(await started.toolbox.run('pay', again)).toMatchObject({ status: 'done' });
    expect([started.run.mock.calls.length, started.approve.mock.calls.length]).toEqual([1, 1]);
  });

  const reasonOf = ({ value }: ToolResult) => (value as { readonly reason?: string }).reason;

  test.each(['payment', 'write'] as const)(
    'a token counts once when the colleague answers at once: a %s',
    async (effect) => {
      const started = start({ tool: { confirm: 'both', effect }, approve: () => true });
      const withToken = await confirmed(started);
      const results = [await started.toolbox.run('pay', withToken), await started.toolbox.run('pay', withToken)];

      expect(results.map(({ status, replayed }) => [status, replayed])).toEqual([
        ['done', false],
        ['done', true],
      ]);
      expect(started.run).toHaveBeenCalledTimes(1);
    },
  );

  test('a token that came too early is used up, also once enough time has passed', async () => {
    const started = start({ tool: { confirm: 'both' }, approve: () => true });
    const { value } = await started.toolbox.run('pay', args);
    const { confirmation_token } = value as { confirmation_token: string };
    const early = await started.toolbox.run('pay', { ...args, confirmation_token });
    await started.clock.advance(3_000);
    const later = await started.toolbox.run('pay', { ...args, confirmation_token });

    expect([early, later].map(reasonOf)).toEqual(['caller_has_not_answered', 'confirmation_token_used']);
    expect(started.run).not.toHaveBeenCalled();
  });

  test('a token that came too early stays used up while a colleague thinks and says no', async () => {
    const started = start({ tool: { confirm: 'both' } });
    const { value } = await started.toolbox.run('pay', args, { turn: 1 });
    const { confirmation_token } = value as { confirmation_token: string };
    const early = await started.toolbox.run('pay', { ...args, confirmation_token }, { turn: 1 });
    const second = (early.value as { confirmation_token: string }).confirmation_token;
    const asked = started.toolbox.run('pay', { ...args, confirmation_token: second }, { turn: 2 });
    await started.clock.advance(3_000);
    await asked;
    await started.decide(false);
    await started.toolbox.run('pay', args, { turn: 2 });
    const again = await started.toolbox.run('pay', { ...args, confirmation_token }, { turn: 3 });

    expect(reasonOf(again)).toBe('confirmation_token_used');
    expect([started.run.mock.calls.length, started.approve.mock.calls.length]).toEqual([0, 1]);
  });

  test('after a failure that did nothing the token counts again', async () => {
    const started = start({ tool: { confirm: 'both', effect: 'write' }, approve: () => true });
    started.run.mockRejectedValueOnce(new CircuitOpenError('closed') as never);
    const withToken = await confirmed(started);
    const results = [await started.toolbox.run('pay', withToken), await started.toolbox.run('pay', withToken)];

    expect(results.map(({ status }) => status)).toEqual(['failed', 'done']);
  });

  test('one token in two processes at the same time pays once', async () => {
    const started = start({
      tool: { confirm: 'both' },
      approve: () => true,
      store: createMemoryIdempotencyStore(),
    });
    const withToken = await confirmed(started);
    const boxes = [started.toolbox, started.process()];
    const both = Promise.all(boxes.map((box) => box.run('pay', withToken)));
    // One waits for the end of the other.
    await started.clock.advance(1_000);

    expect((await both).filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(started.run).toHaveBeenCalledTimes(1);
  });

  test('a process that dies at work leaves the token unusable, and the caller can agree again once it has expired', async () => {
    const started = start({
      tool: { confirm: 'both' },
      approve: () => true,
      store: createMemoryIdempotencyStore(),
    });
    const withToken = await confirmed(started);
    started.run.mockReturnValueOnce(new Promise(() => {}));
    void started.toolbox.run('pay', withToken);
    await started.clock.advance(297_000);
    const other = started.process();
    const meanwhile = other.run('pay', withToken);
    await started.clock.advance(61_000);

    expect(reasonOf(await meanwhile)).toBe('another_call_in_progress');
    expect((await other.run('pay', withToken)).value).toMatchObject({ error: 'confirmation_required' });
  });

  test('a caller who rings back while the colleague thinks agrees again before anything is done', async () => {
    const caller = { phone: '+14155550100', verified: 'caller-id' } as const;
    let callId = 'CA1';
    const started = start({ tool: { confirm: 'both' }, context: () => ({ callId, caller }) });
    const line = new AbortController();
    const asked = started.toolbox.run('pay', await confirmed(started), { signal: line.signal });
    await started.clock.advance(3_000);
    await asked;
    line.abort();
    callId = 'CA2';
    const meanwhile = await started.toolbox.run('pay', args);
    await started.decide(true);
    const { value } = await started.toolbox.run('pay', args);

    expect(meanwhile).toMatchObject(waiting);
    expect(value).toMatchObject({ error: 'confirmation_required' });
    expect(started.run).not.toHaveBeenCalled();
  });

  test('a caller who rings back agrees again before what was approved meanwhile is done', async () => {
    const caller = { phone: '+14155550100', verified: 'caller-id' } as const;
    let callId = 'CA1';
    const started = start({ tool: { confirm: 'both' }, context: () => ({ callId, caller }) });
    const line = new AbortController();
    const asked = started.toolbox.run('pay', await confirmed(started), { signal: line.signal });
    await started.clock.advance(3_000);
    await asked;
    line.abort();
    await started.decide(true);
    callId = 'CA2';
    const { value } = await started.toolbox.run('pay', args);

    expect(value).toMatchObject({ error: 'confirmation_required' });
    expect(started.run).not.toHaveBeenCalled();
  });

  test.each([
    ['fails', new Error('The desk is closed.'), { error: 'confirmation_required' }, 0],
    ['is given', true, { confirmation_number: 'C-1' }, 1],
  ] as const)(
    'an approval that %s just when it is asked for again asks no colleague without the caller',
    async (_how, end, next, runs) => {
      const inner = createMemoryIdempotencyStore();
      let onNext = async () => {};
      // The end comes between two requests to the store.
      const store: IdempotencyStore = {
        ...inner,
        claim: async (key, options) => {
          if (!key.startsWith('phone-call:')) await onNext();
          return inner.claim(key, options);
        },
      };
      const started = start({ tool: { confirm: 'both' }, store });
      const asked = started.toolbox.run('pay', await confirmed(started));
      await started.clock.advance(3_000);
      await asked;
      onNext = async () => {
        onNext = async () => {};
        await started.decide(end);
      };
      const meanwhile = await started.toolbox.run('pay', args);
      await onNext();
      const { value } = await started.toolbox.run('pay', args);

      expect(meanwhile).toMatchObject(waiting);
      expect(value).toMatchObject(next);
      expect([started.run.mock.calls.length, started.approve.mock.calls.length]).toEqual([runs, 1]);
    },
  );

  test('the caller reads nothing that the application binds, the colleague everything', async () => {
    const started = start({ tool: { confirm: 'both', bind: { invoice: 'inv_secret' } } });
    const { value } = await started.toolbox.run('pay', { amount: 5 });
    await started.clock.advance(3_000);
    const { confirmation_token } = value as { confirmation_token: string };
    void started.toolbox.run('pay', { amount: 5, confirmation_token });
    await started.clock.advance(0);

    expect((value as { summary: string }).summary).toBe('pay {"amount":5}');
    expect(started.approve).toHaveBeenCalledWith('pay {"invoice":"inv_secret","amount":5}', expect.anything());
  });
});

describe('a framework that asks', () => {
  test('its word counts', async () => {
    const { toolbox, run } = start({ approve: 'framework' });

    expect(toolbox.find('pay')?.needsApproval).toBe(true);
    expect(await toolbox.run('pay', args, { approved: true })).toMatchObject({ status: 'done' });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('a target that doesn’t ask does nothing, and the application learns why', async () => {
    const { toolbox, run, errors } = start({ approve: 'framework' });

    expect((await toolbox.run('pay', args)).value).toMatchObject({ reason: 'not_approved' });
    expect(errors.map(String)).toEqual([
      expect.stringContaining("approve is 'framework', but the target that ran pay"),
    ]);
    expect(run).not.toHaveBeenCalled();
  });
});

test('a store that is down asks no one', async () => {
  const store = createMemoryIdempotencyStore();
  store.claim = () => Promise.reject(new Error('down'));
  const { toolbox, approve } = start({ store });

  expect((await toolbox.run('pay', args)).value).toMatchObject({ reason: 'store' });
  expect(approve).not.toHaveBeenCalled();
});
