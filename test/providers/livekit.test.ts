import { initializeLogger, llm, voice } from '@livekit/agents';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool, refused, type Toolbox, type ToolEffect } from '../../src/tools/index.ts';
import { livekit } from '../../src/tools/providers/livekit.ts';
import { createPaymentTools } from '../support/payment-tools.ts';
import { asText, type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

initializeLogger({ pretty: false, level: 'silent' });

/** Makes the calls turn by turn, as LiveKit's own `FakeLLM` does, with the ids of the test. */
class ScriptedLLM extends llm.LLM {
  readonly #turns: readonly (readonly ModelCall[])[];
  /** What each turn of the model got. */
  readonly told: string[] = [];

  constructor(turns: readonly (readonly ModelCall[])[]) {
    super();
    this.#turns = turns;
  }

  override label() {
    return 'scripted';
  }

  override chat({ chatCtx, toolCtx, connOptions }: Parameters<llm.LLM['chat']>[0]): llm.LLMStream {
    const tools = toolCtx ? llm.sortedToolEntries(llm.toToolContext(toolCtx)) : [];
    const definitions = tools.map(([name, { description, parameters }]) => [
      name,
      description,
      llm.toJsonSchema(parameters),
    ]);
    const calls = this.#turns[this.told.length] ?? [];
    this.told.push(JSON.stringify([definitions, chatCtx.toJSON()]));
    return new ScriptedStream(this, calls, {
      chatCtx,
      ...(toolCtx && { toolCtx }),
      connOptions: connOptions ?? { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 10_000 },
    });
  }
}

class ScriptedStream extends llm.LLMStream {
  readonly #calls: readonly ModelCall[];

  constructor(model: llm.LLM, calls: readonly ModelCall[], options: ConstructorParameters<typeof llm.LLMStream>[1]) {
    super(model, options);
    this.#calls = calls;
  }

  protected override async run() {
    const toolCalls = this.#calls.map((call) =>
      llm.FunctionCall.create({ callId: call.id, name: call.name, args: asText(call) }),
    );
    const delta = toolCalls.length > 0 ? { toolCalls } : { content: 'Done.' };
    this.queue.put({ id: 'scripted', delta: { role: 'assistant', ...delta } });
  }
}

/** What the model got for its calls, in the order in which they ended. */
const converse = async (model: ScriptedLLM, toolbox: Toolbox): Promise<ModelResult[]> => {
  const session = new voice.AgentSession({ llm: model, maxToolSteps: 10 });
  const tools = livekit.tools(toolbox, { llm });
  await session.start({ agent: new voice.Agent({ instructions: 'Help the caller.', tools }) });
  const run = session.run({ userInput: 'Pay my invoice.' });
  await run.wait();
  await session.close();
  return run.events.flatMap((event) =>
    event.type === 'function_call_output'
      ? [{ id: event.item.callId, text: event.item.output, isError: event.item.isError }]
      : [],
  );
};

describeTarget({
  name: 'LiveKit Agents',
  flagsErrors: true,
  sendsText: false,
  refusesAtOnce: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    const model = new ScriptedLLM(turns);
    const ended = await converse(model, toolbox);
    const results = turns.flatMap((calls) => {
      const ofTurn = ended.splice(0, calls.length);
      return calls.flatMap(({ id }) => ofTurn.filter((result) => result.id === id));
    });
    return { sent: JSON.stringify(model.told), results };
  },
});

test('a payment that is asked for while the same one runs is refused by LiveKit', async () => {
  const { toolbox, charges } = createPaymentTools();
  const args = { invoice_id: 'inv_1', amount: 49.9 };

  const results = await converse(
    new ScriptedLLM([
      [
        { id: 'call_1', name: 'pay_invoice', args },
        { id: 'call_2', name: 'pay_invoice', args },
      ],
    ]),
    toolbox,
  );

  expect(results.find(({ id }) => id === 'call_1')?.text).toBe('{"success":true,"confirmation_number":"C-1"}');
  expect(results.find(({ id }) => id === 'call_2')?.text).toContain('already running');
  expect(charges).toEqual([args]);
});

afterEach(() => vi.useRealTimers());

/** A session in which the model calls one tool, whose work ends when the test says so. */
const startSlowCall = async (
  effect: ToolEffect,
  ask = (session: voice.AgentSession): { readonly waitForEnd: () => Promise<unknown> } => {
    const reply = session.generateReply({ userInput: 'Look it up.' });
    return { waitForEnd: () => reply.waitForPlayout() };
  },
) => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  const work = { runs: 0, signal: undefined as AbortSignal | undefined, end: (_: unknown) => {} };
  const began = new Promise<void>((resolve) => {
    work.end = () => resolve();
  });
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    onError: () => {},
    tools: [
      defineTool({
        name: 'slow',
        description: 'Takes its time.',
        parameters: z.object({}),
        effect,
        confirm: false,
        run: (_, { signal }) => {
          work.runs += 1;
          work.signal = signal;
          const begin = work.end;
          const result = new Promise<unknown>((resolve) => {
            work.end = resolve;
          });
          begin(undefined);
          return result;
        },
        compact: (result) => result,
      }),
    ],
  });
  const model = new ScriptedLLM([[{ id: 'call_1', name: 'slow', args: {} }]]);
  const session = new voice.AgentSession({ llm: model, maxToolSteps: 10 });
  const tools = livekit.tools(toolbox, { llm });
  await session.start({ agent: new voice.Agent({ instructions: 'Help the caller.', tools }) });
  const { waitForEnd } = ask(session);
  await began;
  return { work, model, session, waitForEnd };
};

const resultsIn = (session: voice.AgentSession) =>
  session.history.items.flatMap((item) => (item.type === 'function_call_output' ? [[item.callId, item.output]] : []));

describe('a slow look-up lets the conversation go on', () => {
  test.each([
    ['its result', { found: 1 }, '{"found":1}'],
    ['its failure', refused({ error: 'no_such_order' }), '{"error":"no_such_order"}'],
    ['nothing', null, '{"result":null}'],
  ])('and %s comes in one reply of its own', async (_, result, text) => {
    const { work, model, session, waitForEnd } = await startSlowCall('read');

    await vi.advanceTimersByTimeAsync(4_500);
    await waitForEnd();
    expect(resultsIn(session)).toEqual([['call_1', expect.stringContaining('still running')]]);
    expect(model.told).toHaveLength(2);

    work.end(result);
    await vi.waitFor(() => expect(model.told).toHaveLength(3), { timeout: 10_000 });
    await session.close();
    expect(resultsIn(session).slice(1)).toEqual([['call_1_final', text]]);
    expect([model.told.length, work.runs]).toEqual([3, 1]);
  });

  test('and one that is in time has one result and one reply', async () => {
    const { work, model, session, waitForEnd } = await startSlowCall('read');

    work.end({ found: 1 });
    await waitForEnd();
    await vi.advanceTimersByTimeAsync(10_000);
    await session.close();
    expect(resultsIn(session)).toEqual([['call_1', '{"found":1}']]);
    expect(model.told).toHaveLength(2);
  });

  test('except in session.run, where LiveKit would end the process', async () => {
    const { work, session, waitForEnd } = await startSlowCall('read', (started) => {
      const run = started.run({ userInput: 'Look it up.' });
      return { waitForEnd: () => run.wait() };
    });

    await vi.advanceTimersByTimeAsync(5_000);
    work.end({ found: 1 });
    await waitForEnd();
    await session.close();
    expect(resultsIn(session)).toEqual([['call_1', '{"found":1}']]);
  });
});

describe.each(['write', 'payment'] as const)('a %s that has begun', (effect) => {
  test('keeps the turn until its result is there', async () => {
    const { work, session, waitForEnd } = await startSlowCall(effect);

    await vi.advanceTimersByTimeAsync(5_000);
    expect(resultsIn(session)).toEqual([]);
    work.end({ success: true });
    await waitForEnd();
    await session.close();

    expect(resultsIn(session)).toEqual([['call_1', '{"success":true}']]);
  });

  test('goes on to its end if the application forces an interruption', async () => {
    const { work, session, waitForEnd } = await startSlowCall(effect);

    await session.interrupt({ force: true }).await;
    await waitForEnd();
    expect([work.runs, work.signal?.aborted]).toEqual([1, false]);
    work.end({ success: true });
    await session.close();
  });
});

test('a look-up ends with an interruption', async () => {
  const { work, session, waitForEnd } = await startSlowCall('read');

  await session.interrupt({ force: true }).await;
  await waitForEnd();
  await vi.waitFor(() => expect(work.signal?.aborted).toBe(true), { timeout: 10_000 });
  work.end({ found: 1 });
  await session.close();
});
