/** The AI SDK with a scripted model: its own loop runs the tools. */
import { generateText, isStepCount, type ModelMessage, type ToolSet, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { type Charge, chargeArguments, chargeParameters } from './charge.ts';
import { type Deployment, type Host, type ModelCall, nothingRead } from './host.ts';
import type { Shop } from './shop.ts';

/** A tool that charges in this way, in each process. */
export const inAiSdk =
  (chargeIn: (shop: Shop) => Charge) =>
  async (shop: Shop): Promise<Deployment> => {
    const charge = chargeIn(shop);
    const tools = (needsApproval: boolean) => ({
      create_payment: tool({
        description: 'Charges a customer.',
        inputSchema: chargeParameters,
        needsApproval,
        execute: (args, { abortSignal }) => charge(args, { signal: abortSignal }),
      }),
    });
    const host = aiSdkHost({ tools: () => tools(false), approved: () => tools(true), argumentsOf: chargeArguments });
    return { process: async () => host, [Symbol.asyncDispose]: async () => {} };
  };

export interface AiSdkTools {
  /** The tools of a phone call. */
  readonly tools: (callId: string, says: string) => ToolSet;
  /** The same, with a person's approval. */
  readonly approved: (callId: string, says: string) => ToolSet;
  readonly argumentsOf: (call: ModelCall) => object;
  /** What the model looks up first. */
  readonly first?: string;
  /** The tool that does it. @defaultValue 'create_payment' */
  readonly name?: string;
}

export const aiSdkHost = ({ tools, approved, argumentsOf, first, name = 'create_payment' }: AiSdkTools): Host => {
  const toCall = (call: ModelCall): Call => ({ id: call.id, name, args: argumentsOf(call) });
  const lookUp = (id: string): Call[][] => (first === undefined ? [] : [[{ id: `look_${id}`, name: first, args: {} }]]);
  return {
    run: async ({ callId = 'CA1', steps, says = prompt, signal, modelFails = false }) => {
      const calls = steps.map((step) => step.map(toCall));
      const model = scripted([...lookUp(calls[0]?.[0]?.id ?? ''), ...calls], modelFails);
      const run = generateText({
        ...running,
        model,
        tools: tools(callId, says),
        prompt: says,
        ...(signal && { abortSignal: signal }),
      });
      await run.catch(() => {});
      return readBy(model, name);
    },
    save: async () => {
      const calls = [toCall({ id: 'call_1' })];
      const model = scripted([...lookUp('1'), calls], false);
      const { content, response } = await generateText({ ...running, model, tools: approved('CA1', prompt), prompt });
      const asked = content.filter((part) => part.type === 'tool-approval-request');
      const messages: ModelMessage[] = [
        { role: 'user', content: prompt },
        ...response.messages,
        {
          role: 'tool',
          content: asked.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved: true })),
        },
      ];
      return JSON.stringify(messages);
    },
    resume: async (saved) => {
      const model = scripted([], false);
      // As `save` wrote them.
      const messages = JSON.parse(saved) as ModelMessage[];
      await generateText({ ...running, model, tools: approved('CA1', prompt), messages });
      return readBy(model, name);
    },
  };
};

const prompt = 'Charge 40 for my repair.';
const running = { stopWhen: isStepCount(5), maxRetries: 0 } as const;

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

const scripted = (steps: readonly (readonly Call[])[], fails: boolean): MockLanguageModelV4 => {
  let step = 0;
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const calls = steps[step];
      step += 1;
      if (!calls && fails) throw new Error('500');
      return {
        content: calls
          ? calls.map(({ id, name, args }) => ({
              type: 'tool-call' as const,
              toolCallId: id,
              toolName: name,
              input: JSON.stringify(args),
            }))
          : [{ type: 'text' as const, text: 'Done.' }],
        finishReason: { unified: calls ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
};

/** What the tools that charge have answered to the model. */
const readBy = ({ doGenerateCalls }: MockLanguageModelV4, name: string): readonly string[] => {
  const results = (doGenerateCalls.at(-1)?.prompt ?? [])
    .filter((message) => message.role === 'tool')
    .flatMap(({ content }) => content)
    .filter((part) => part.type === 'tool-result')
    .filter(({ toolName }) => toolName === name)
    .map(({ output }) => ('value' in output ? textOf(output.value) : output.type));
  return results.length > 0 ? results : [nothingRead];
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
