import { initializeLogger, llm, voice } from '@livekit/agents';
import { expect, test } from 'vitest';
import type { Toolbox } from '../../src/tools/index.ts';
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
