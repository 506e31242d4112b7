/**
 * OpenAI Agents SDK: agents run the tools themselves, so `tools` is all they need. The same serves `Agent` and
 * `RealtimeAgent`.
 *
 * @module
 */
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toStrict } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';

/**
 * For the `tools` of an agent. `tool` is the SDK's own function: an object that is like its result but not made by it
 * is taken for a tool with approvals, and waits for one when its arguments are no JSON.
 *
 * @example
 * import { RealtimeAgent, tool } from '@openai/agents/realtime';
 * const agent = new RealtimeAgent({ name, instructions, tools: tools(phoneCall.tools, tool) });
 */
export const tools = <AgentTool>(
  toolbox: Toolbox,
  tool: (options: AgentToolOptions) => AgentTool,
  context: ToolCallContext = {},
): AgentTool[] =>
  toolbox.tools().map(({ name, description, parameters }) =>
    tool({
      name,
      description,
      parameters: { ...toStrict(parameters), additionalProperties: false },
      strict: true,
      execute: async (input, _, { toolCall, signal } = {}) =>
        (await toolbox.run(name, input, mergeContexts(context, { toolCallId: toolCall?.callId, signal }))).text,
    }),
  );

/** What the SDK's `tool` is given. It parses the arguments and leaves checking them to the toolbox. */
export interface AgentToolOptions {
  name: string;
  description: string;
  parameters: DialectParameters & { additionalProperties: false };
  strict: true;
  execute: (input: unknown, runContext?: unknown, details?: AgentToolCallDetails) => Promise<string>;
}

/** What the SDK says about a tool call. */
export interface AgentToolCallDetails {
  readonly toolCall?: { readonly callId: string };
  readonly signal?: AbortSignal;
}
