/**
 * LiveKit Agents: native tools for a `voice.Agent`, made with the package's own `llm.tool`. LiveKit runs them itself.
 *
 * @module
 */
import { InvalidArgumentError } from '../../core/errors.ts';
import { setTimer } from '../../core/timers.ts';
import type { Json } from '../../stores/ports/json.ts';
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { type DialectParameters, toPortable } from '../dialects.ts';
import type { ToolInfo } from '../tool.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { hasAnswered, type Said } from './has-answered.ts';
import { isErrorResult } from './target.ts';

/** The functions of LiveKit's own package that make the tools. */
export interface LiveKitOptions<Made> {
  /** `llm` of `@livekit/agents`. */
  readonly llm: {
    readonly tool: (definition: {
      description: string;
      parameters: DialectParameters;
      onDuplicate: 'allow' | 'reject';
      execute: (args: Record<string, unknown>, running: Running) => Promise<Json>;
    }) => Made;
    readonly ToolError: new (message: string) => Error;
  };
  /** The context of every run. The id of the tool call and LiveKit's signal are added; either signal cancels. */
  readonly context?: ToolCallContext | undefined;
}

/** LiveKit's part of a tool call. */
interface Running {
  readonly ctx?: RunContext;
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal;
}

/** The part of LiveKit's `RunContext` that is used. The optional ones came with 1.9. */
interface RunContext {
  disallowInterruptions(): void;
  filler<Result>(words: string, options: { delay: number }, work: () => Promise<Result>): Promise<Result>;
  update?(words: string): Promise<void>;
  readonly updates?: readonly unknown[];
  readonly session?: Session;
}

/** The part of LiveKit's session that is read. */
interface Session {
  readonly llm?: object | undefined;
  readonly history?: { readonly items: readonly HistoryItem[] } | undefined;
}

/** An item of the conversation: a message, or what a tool gave. */
interface HistoryItem {
  readonly type: string;
  readonly id?: string;
  readonly role?: string;
  readonly textContent?: string | undefined;
  readonly output?: string;
}

/**
 * Needs `@livekit/agents` 1.5.0 or later; with an older one each tool throws `InvalidArgumentError` and runs nothing.
 *
 * @example
 * import { llm, voice } from '@livekit/agents';
 * const agent = new voice.Agent({ instructions, tools: livekit.tools(phoneCall.tools, { llm }) });
 */
export const livekit = {
  /**
   * A tool that changes something isn't run a second time while it runs. Once it has begun, neither the person nor LiveKit
   * can cut it. A slow tool has its slow message said in a pause. A look-up that takes even longer lets the conversation
   * go on, and its result comes in a reply of its own.
   * Each returns its value, since LiveKit writes it as JSON, and throws a failure, since that is how LiveKit flags it.
   */
  tools: <Made>(from: WithTools, { llm, context = {} }: LiveKitOptions<Made>): Record<string, Made> =>
    Object.fromEntries(
      toolboxOf(from, 'livekit.tools')
        .tools()
        .map((tool) => [
          tool.name,
          llm.tool({
            description: tool.description,
            parameters: toPortable(tool.parameters),
            onDuplicate: tool.effect === 'read' ? 'allow' : 'reject',
            execute: async (args, { ctx, toolCallId, abortSignal }) => {
              assertNewEnough(ctx);
              const isRead = tool.effect === 'read';
              const signal = isRead ? abortSignal : startOnly(ctx, abortSignal);
              const keepTurn = isRead ? freeTurnWhenSlow(tool, ctx) : () => {};
              const result = await withFiller(tool, ctx, () =>
                toolboxOf(from).run(
                  tool.name,
                  args,
                  mergeContexts(context, { toolCallId, signal, hasAnswered: (token) => hasAnsweredIn(ctx, token) }),
                ),
              ).finally(keepTurn);
              // LiveKit drops an error and `null` that come after an update.
              if (hasUpdate(ctx)) return result.value ?? { result: null };
              if (isErrorResult(result)) throw new llm.ToolError(result.text);
              return result.value;
            },
          }),
        ]),
    ),
};

/** A model of speech gets the caller's words before they are in the history. */
const hasAnsweredIn = (ctx: RunContext | undefined, token: string): boolean | undefined => {
  const { history, llm } = ctx?.session ?? {};
  const isAnswered = hasAnswered((history?.items ?? []).flatMap(toSaid), token);
  return isAnswered || typeof Reflect.get(llm ?? {}, 'chat') === 'function' ? isAnswered : undefined;
};

const toSaid = ({ type, id, role, textContent, output }: HistoryItem): Said[] => {
  if (type === 'function_call_output') return [{ by: 'tool', text: output, id }];
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return [];
  return [{ by: role === 'user' ? 'caller' : 'agent', text: textContent ?? '', id }];
};

/** In older versions every write would look interrupted. */
const assertNewEnough = (ctx: Partial<RunContext> | undefined): void => {
  if (!ctx || (typeof ctx.disallowInterruptions === 'function' && typeof ctx.filler === 'function')) return;
  throw new InvalidArgumentError(
    '@livekit/agents',
    'is too old: its RunContext has no disallowInterruptions or no filler. Install 1.5.0 or later',
    { operation: 'livekit.tools' },
  );
};

/** The signal of a write: aborted if the turn that asked for it is over, which LiveKit throws for. None once it has begun. */
const startOnly = (ctx: RunContext | undefined, signal: AbortSignal | undefined): AbortSignal | undefined => {
  try {
    ctx?.disallowInterruptions();
    return signal?.aborted ? signal : undefined;
  } catch {
    return AbortSignal.abort();
  }
};

const hasUpdate = (ctx: RunContext | undefined): boolean => (ctx?.updates?.length ?? 0) > 0;

/** Has LiveKit go on with the conversation once a tool takes very long. Returns what stops that. */
const freeTurnWhenSlow = (
  { expectedMs, slowMessage, stillSlowMessage = slowMessage ?? 'This is taking a little longer.' }: ToolInfo,
  ctx: RunContext | undefined,
): (() => void) => {
  if (!ctx?.update || isTestRun(ctx)) return () => {};
  return setTimer(() => void ctx.update?.(stillSlowMessage).catch(() => {}), expectedMs + freeTurnAfterMs);
};

const freeTurnAfterMs = 4_000;

/** In `session.run`, an update ends the process: https://github.com/livekit/agents-js/issues/2354 */
const isTestRun = ({ session }: RunContext): boolean => Reflect.get(session ?? {}, '_globalRunState') !== undefined;

const withFiller = <Result>(
  { slowMessage, expectedMs }: ToolInfo,
  ctx: RunContext | undefined,
  work: () => Promise<Result>,
): Promise<Result> =>
  slowMessage === undefined || !ctx ? work() : ctx.filler(slowMessage, { delay: expectedMs }, work);
