/**
 * Mastra: agents run the tools themselves, so `tools` is all they need.
 *
 * @module
 */
import { mergeContexts, type ToolCallContext, type ToolResult } from '../context.ts';
import { toPortable, toStrict } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { type SaidMessage, seenIn } from './has-answered.ts';
import { approvalNeeded, isApprovedCall, toModelOutput, unchecked } from './target.ts';

/** The functions of Mastra's own package that make the tools. */
export interface MastraOptions<Made> {
  /** `createTool` of `@mastra/core/tools`. */
  readonly createTool: (definition: {
    id: string;
    description: string;
    inputSchema: ReturnType<typeof unchecked>;
    strict: boolean;
    requireApproval: boolean | ((input: unknown) => boolean);
    execute: (input: unknown, context: MastraExecution) => Promise<ToolResult>;
    toModelOutput: (output: unknown) => ReturnType<typeof toModelOutput>;
  }) => Made;
  /** The context of every run. The id of the tool call and Mastra's signal are added; either signal cancels. */
  readonly context?: ToolCallContext | undefined;
  /** Holds the model to the schema, where its provider can. @defaultValue false */
  readonly strict?: boolean | undefined;
}

/** The part of the second argument of `execute` that is used. */
interface MastraExecution {
  readonly abortSignal?: AbortSignal | undefined;
  readonly agent?: { readonly toolCallId: string; readonly messages: readonly SaidMessage[] } | undefined;
}

/**
 * The results of the tools are whole `ToolResult`s for the application; the model gets the text alone.
 *
 * @example
 * import { createTool } from '@mastra/core/tools';
 * const agent = new Agent({ id, name, instructions, model, tools: mastra.tools(phoneCall.tools, { createTool }) });
 */
export const mastra = {
  /**
   * For the `tools` of an agent. With `approve: 'framework'` a tool that needs it suspends the run until
   * `approveToolCall` or `declineToolCall` of the agent.
   */
  tools: <Made>(
    from: WithTools,
    { createTool, context = {}, strict = false }: MastraOptions<Made>,
  ): Readonly<Record<string, Made>> =>
    Object.fromEntries(
      toolboxOf(from, 'mastra.tools')
        .tools()
        .map((tool) => [
          tool.name,
          createTool({
            id: tool.name,
            description: tool.description,
            inputSchema: unchecked(strict ? toStrict(tool.parameters) : toPortable(tool.parameters)),
            strict,
            requireApproval: approvalNeeded(tool),
            execute: (input, { agent, abortSignal }) => {
              const own = {
                toolCallId: agent?.toolCallId,
                signal: abortSignal,
                ...seenIn(agent?.messages ?? []),
                approved: isApprovedCall(tool, input),
              };
              return toolboxOf(from).run(tool.name, input, mergeContexts(context, own));
            },
            // Mastra passes what `execute` gave.
            toModelOutput: (output) => toModelOutput(output as ToolResult),
          }),
        ]),
    ),
};
