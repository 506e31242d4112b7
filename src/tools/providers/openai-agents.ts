/**
 * OpenAI Agents SDK: agents run the tools themselves, so `tools` is all they need. The same serves `Agent` and
 * `RealtimeAgent`.
 *
 * @module
 */
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { type DialectParameters, toStrict } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { hasAnswered, type Said, wordsIn } from './has-answered.ts';
import { approvalNeeded, isApprovedCall } from './target.ts';

/** The functions of the SDK's own package that make the tools. */
export interface OpenAIAgentsOptions<Made> {
  /**
   * `tool` of `@openai/agents`. The SDK takes an object that is like its result, but not made by it, for a tool with
   * approvals. Such an object waits for one when its arguments are no JSON.
   */
  readonly tool: (definition: {
    name: string;
    description: string;
    parameters: DialectParameters & { additionalProperties: false };
    strict: true;
    needsApproval: boolean | ((runContext: unknown, input: unknown) => Promise<boolean>);
    execute: (
      input: unknown,
      runContext?: unknown,
      details?: {
        readonly toolCall?: { readonly callId: string; readonly status?: string | undefined };
        readonly signal?: AbortSignal;
      },
    ) => Promise<string>;
  }) => Made;
  /** The context of every run. The id of the tool call and the SDK's signal are added; either signal cancels. */
  readonly context?: ToolCallContext | undefined;
}

/**
 * The SDK parses the arguments and leaves checking them to the toolbox.
 *
 * @example
 * import { RealtimeAgent, tool } from '@openai/agents/realtime';
 * const agent = new RealtimeAgent({ name, instructions, tools: openaiAgents.tools(phoneCall.tools, { tool }) });
 */
export const openaiAgents = {
  /** For the `tools` of an agent. With `approve: 'framework'` a tool that needs it interrupts the run for an approval. */
  tools: <Made>(from: WithTools, { tool, context = {} }: OpenAIAgentsOptions<Made>): Made[] =>
    toolboxOf(from, 'openaiAgents.tools')
      .tools()
      .map((info) =>
        tool({
          name: info.name,
          description: info.description,
          parameters: { ...toStrict(info.parameters), additionalProperties: false },
          strict: true,
          needsApproval: toPolicy(approvalNeeded(info)),
          execute: async (input, runContext, { toolCall, signal } = {}) => {
            const own = {
              toolCallId: toolCall?.callId,
              signal,
              finishReason: toolCall?.status,
              approved: isApprovedCall(info, input),
              hasAnswered: (token: string) => hasAnswered(historyIn(runContext).flatMap(toSaid), token),
            };
            return (await toolboxOf(from).run(info.name, input, mergeContexts(context, own))).text;
          },
        }),
      ),
};

/** A function for a tool that needs none would have the SDK ask a person about arguments that are no JSON. */
const toPolicy = (needed: ReturnType<typeof approvalNeeded>) =>
  typeof needed === 'boolean' ? needed : async (_: unknown, input: unknown) => needed(input);

/** An item of the history that a `RealtimeSession` puts into the context of its tools. An agent without voice has none. */
interface HistoryItem {
  readonly itemId: string;
  readonly type: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly output?: string | null;
}

const historyIn = (runContext: unknown): readonly HistoryItem[] => {
  const { history }: { readonly history?: unknown } = Object(Object(runContext).context);
  return Array.isArray(history) ? history.filter((item): item is HistoryItem => typeof item?.itemId === 'string') : [];
};

const toSaid = ({ itemId: id, type, role, content, output }: HistoryItem): Said[] => {
  if (type === 'function_call') return [{ by: 'tool', text: output ?? '', id }];
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return [];
  const isSpoken = role === 'user' && Array.isArray(content) && content.some(isUnwritten);
  return [{ by: role === 'user' ? 'caller' : 'agent', text: isSpoken ? undefined : wordsIn(content), id }];
};

/** The caller's voice, whose words come later, or never without a transcription. */
const isUnwritten = (part: unknown): boolean => {
  const { type, transcript }: { readonly type?: unknown; readonly transcript?: unknown } = Object(part);
  return type === 'input_audio' && typeof transcript !== 'string';
};
