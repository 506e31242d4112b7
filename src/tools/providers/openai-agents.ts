/**
 * OpenAI Agents SDK: agents run the tools themselves, so `tools` is all they need. The same serves `Agent` and
 * `RealtimeAgent`.
 *
 * @module
 */
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { type DialectParameters, toStrict } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { approvalNeeded, isApprovedCall } from './target.ts';

/** The functions of the SDK's own package that make the tools. */
export interface OpenAIAgentsOptions<Made> {
  /**
   * `tool` of `@openai/agents`. An object that is like its result but not made by it is taken for a tool with approvals,
   * and waits for one when its arguments are no JSON.
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
          execute: async (input, _, { toolCall, signal } = {}) => {
            const own = {
              toolCallId: toolCall?.callId,
              signal,
              finishReason: toolCall?.status,
              approved: isApprovedCall(info, input),
            };
            return (await toolboxOf(from).run(info.name, input, mergeContexts(context, own))).text;
          },
        }),
      ),
};

/** A function for a tool that needs none would have the SDK ask a person about arguments that are no JSON. */
const toPolicy = (needed: ReturnType<typeof approvalNeeded>) =>
  typeof needed === 'boolean' ? needed : async (_: unknown, input: unknown) => needed(input);
