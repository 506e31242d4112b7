import type { ToolCallContext, ToolResult } from './context.ts';
import type { CheckedArguments, ToolInfo } from './tool.ts';

/** The tools that a model may call, and the one way to run them. */
export interface Toolbox {
  /** What the model reads of each tool, and what an adapter needs: effect, expected time, words for a slow call. The same array every time. */
  tools(): readonly ToolInfo[];
  /** One of {@link Toolbox.tools}; `undefined` when there is none of this name. */
  find(name: string): ToolInfo | undefined;
  /**
   * Runs one tool call. Never throws and never rejects: whatever goes wrong is in the result, in words that a model
   * may read.
   * @param args an object, or JSON text as most providers send it
   */
  run(name: string, args: unknown, context?: ToolCallContext): Promise<ToolResult>;
  /**
   * Says what is wrong with arguments and runs nothing: neither the tool, nor its rules, nor what its application binds.
   * Problems never repeat a value. A toolbox without a tool of this name says so of the field `name`.
   */
  validate(name: string, args: unknown): Promise<CheckedArguments>;
  /**
   * The same tools with a context that every run has; it shares what this toolbox remembers.
   * A function is called for each run, so that a caller who proves who they are counts from then on.
   */
  bind(context: ToolCallContext | (() => ToolCallContext)): Toolbox;
  /**
   * The tools of these names alone, for one agent of several, or until the caller has proved who they are. It shares what
   * this toolbox remembers: payments, limits, what was done.
   * Throws `InvalidArgumentError` for a name that this toolbox doesn't have.
   */
  only(names: readonly string[]): Toolbox;
  /** All tools but these. See {@link Toolbox.only}. */
  without(names: readonly string[]): Toolbox;
}
