/**
 * LiveKit Agents: native tools for a `voice.Agent`, made with the package's own `llm.tool`.
 *
 * `tools` registers the toolbox; `run` and `toResult` are what each tool does.
 *
 * @module
 */
import { InvalidArgumentError } from '../../errors.ts';
import type { Json } from '../../ports/json.ts';
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toPortable } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { ToolInfo } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';

/** What LiveKit's own package makes the tools with. */
export interface LiveKitOptions<Made> {
  /** `llm` of `@livekit/agents`. */
  readonly llm: LiveKitModule<Made>;
  /** What every run of these tools has; the id of the tool call and LiveKit's signal are added: either signal cancels. */
  readonly context?: ToolCallContext;
}

/**
 * A tool that changes something is not run a second time while it runs, and the person cannot talk over it: LiveKit
 * loses the result of a tool that was interrupted. A slow tool has its slow message said while nobody speaks.
 * Needs `@livekit/agents` 1.5.0 or later; with an older one each tool throws `InvalidArgumentError` and runs nothing.
 *
 * @example
 * import { llm, voice } from '@livekit/agents';
 * const agent = new voice.Agent({ instructions, tools: livekit.tools(phoneCall.tools, { llm }) });
 */
export const tools = <Made>(toolbox: Toolbox, { llm, context = {} }: LiveKitOptions<Made>): Record<string, Made> =>
  Object.fromEntries(
    toolbox.tools().map((tool) => [
      tool.name,
      llm.tool({
        description: tool.description,
        parameters: toPortable(tool.parameters),
        onDuplicate: tool.effect === 'read' ? 'allow' : 'reject',
        execute: async (args, { ctx, toolCallId, abortSignal }) => {
          assertNewEnough(ctx);
          const signal = tool.effect === 'read' || holdsTheTurn(ctx) ? abortSignal : AbortSignal.abort();
          const call = { name: tool.name, args, toolCallId };
          const result = await withFiller(tool, ctx, () => runCall(toolbox, call, mergeContexts(context, { signal })));
          return toResult(result, llm.ToolError);
        },
      }),
    ]),
  );

/**
 * Runs one tool call for a loop of your own. Throws `ToolError`, and nothing else, for a failure.
 *
 * @example
 * const value = await livekit.run(toolbox, { name, args, toolCallId }, { ToolError: llm.ToolError });
 */
export const run = async (
  toolbox: Toolbox,
  call: LiveKitToolCall,
  {
    ToolError,
    context,
  }: { readonly ToolError: LiveKitModule<unknown>['ToolError']; readonly context?: ToolCallContext },
): Promise<Json> => toResult(await runCall(toolbox, call, context), ToolError);

/**
 * The value itself, since LiveKit writes it as JSON. A failure is thrown: that is how LiveKit flags it.
 *
 * @example
 * const value = livekit.toResult(await toolbox.run(name, args, { toolCallId }), llm.ToolError);
 */
export const toResult = (result: ToolResult, ToolError: LiveKitModule<unknown>['ToolError']): Json => {
  if (isErrorResult(result)) throw new ToolError(result.text);
  return result.value;
};

const runCall = (toolbox: Toolbox, { name, args, toolCallId }: LiveKitToolCall, context: ToolCallContext = {}) =>
  toolbox.run(name, args, { ...context, toolCallId });

/** In older versions every write would look interrupted. */
const assertNewEnough = (ctx: Partial<LiveKitRunContext> | undefined): void => {
  if (!ctx || (typeof ctx.disallowInterruptions === 'function' && typeof ctx.filler === 'function')) return;
  throw new InvalidArgumentError(
    '@livekit/agents',
    'is too old: its RunContext has no disallowInterruptions or no filler. Install 1.5.0 or later',
    { operation: 'livekit.tools' },
  );
};

/** Whether the turn that asked for the tool is still the person's wish: LiveKit throws once it was interrupted. */
const holdsTheTurn = (ctx: LiveKitRunContext | undefined): boolean => {
  try {
    ctx?.disallowInterruptions();
    return true;
  } catch {
    return false;
  }
};

const withFiller = <Result>(
  { slowMessage, expectedMs }: ToolInfo,
  ctx: LiveKitRunContext | undefined,
  work: () => Promise<Result>,
): Promise<Result> =>
  slowMessage === undefined || !ctx ? work() : ctx.filler(slowMessage, { delay: expectedMs }, work);

/** What of the module `llm` is used. */
export interface LiveKitModule<Made> {
  readonly tool: (definition: LiveKitDefinition) => Made;
  readonly ToolError: new (message: string) => Error;
}

/** The name stands in the object that holds the tools. */
export interface LiveKitDefinition {
  description: string;
  parameters: DialectParameters;
  onDuplicate: 'allow' | 'reject';
  execute: (args: Record<string, unknown>, running: LiveKitRun) => Promise<Json>;
}

/** What LiveKit says about a tool call. */
export interface LiveKitRun {
  readonly ctx?: LiveKitRunContext;
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal;
}

/** What of LiveKit's `RunContext` is used. */
export interface LiveKitRunContext {
  disallowInterruptions(): void;
  filler<Result>(words: string, options: { delay: number }, work: () => Promise<Result>): Promise<Result>;
}

/** A tool call of a loop of your own; `args` as an object or JSON text, unchecked. */
export interface LiveKitToolCall {
  readonly name: string;
  readonly args: unknown;
  readonly toolCallId: string;
}
