/** OpenAI Agents with a scripted model: its own loop runs the tools. */
import { Agent, run, RunState, setTracingDisabled, type Tool, tool } from '@openai/agents';
import { assistantMessage, functionCall, modelError, ScriptedModel } from '@openai/agents/testing';
import { type Charge, chargeArguments, chargeParameters } from './charge.ts';
import { type Deployment, type Host, type ModelCall, nothingRead } from './host.ts';
import type { Shop } from './shop.ts';

setTracingDisabled(true);

/** A tool that charges in this way, in each process. */
export const inOpenAiAgents =
  (chargeIn: (shop: Shop) => Charge) =>
  async (shop: Shop): Promise<Deployment> => {
    const charge = chargeIn(shop);
    const tools = (needsApproval: boolean) => [
      tool({
        name: 'create_payment',
        description: 'Charges a customer.',
        parameters: chargeParameters,
        needsApproval,
        execute: (args, _context, details) => charge(args, { signal: details?.signal }),
      }),
    ];
    const host = openAiAgentsHost({
      tools: () => tools(false),
      approved: () => tools(true),
      argumentsOf: chargeArguments,
    });
    return { process: async () => host, [Symbol.asyncDispose]: async () => {} };
  };

export interface OpenAiAgentsTools {
  /** The tools of a phone call. */
  readonly tools: (callId: string) => Tool[];
  /** The same, with a person's approval. */
  readonly approved: (callId: string) => Tool[];
  readonly argumentsOf: (call: ModelCall) => object;
  /** What the model looks up first. */
  readonly first?: string;
}

export const openAiAgentsHost = ({ tools, approved, argumentsOf, first }: OpenAiAgentsTools): Host => {
  const toCall = (call: ModelCall) =>
    functionCall('create_payment', JSON.stringify(argumentsOf(call)), { callId: call.id });
  const lookUp = (id: string) => (first === undefined ? [] : [[functionCall(first, '{}', { callId: `look_${id}` })]]);
  const agentOf = (model: ScriptedModel, its: Tool[]) => new Agent({ name: 'Desk', model, tools: its });
  return {
    run: async ({ callId = 'CA1', steps, signal, modelFails = false }) => {
      const end = modelFails ? modelError(new Error('500')) : [assistantMessage('Done.')];
      const model = new ScriptedModel([
        ...lookUp(steps[0]?.[0]?.id ?? ''),
        ...steps.map((step) => step.map(toCall)),
        end,
      ]);
      await run(agentOf(model, tools(callId)), prompt, { ...(signal && { signal }) }).catch(() => {});
      return readBy(model);
    },
    save: async () => {
      const model = new ScriptedModel([...lookUp('1'), [toCall({ id: 'call_1' })]]);
      return (await run(agentOf(model, approved('CA1')), prompt)).state.toString();
    },
    resume: async (saved) => {
      const model = new ScriptedModel([[assistantMessage('Done.')]]);
      const agent = agentOf(model, approved('CA1'));
      const state = await RunState.fromString(agent, saved);
      for (const item of state.getInterruptions()) state.approve(item);
      await run(agent, state);
      return readBy(model);
    },
  };
};

const prompt = 'Charge 40 for my repair.';

/** What the tools that charge have answered to the model. */
const readBy = ({ calls }: ScriptedModel): readonly string[] => {
  const input = calls.at(-1)?.request.input ?? [];
  const results = (typeof input === 'string' ? [] : input)
    .filter((item) => item.type === 'function_call_result')
    .filter(({ name }) => name === 'create_payment')
    .map(({ output }) => textOf(output));
  return results.length > 0 ? results : [nothingRead];
};

/** Plain text, or a part that has it. */
const textOf = (output: unknown): string => {
  const { text }: { readonly text?: unknown } = Object(output);
  return typeof output === 'string' ? output : typeof text === 'string' ? text : JSON.stringify(output);
};
