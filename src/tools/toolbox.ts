import { InvalidArgumentError } from '../core/errors.ts';
import { isApproved } from './agreement/agreement.ts';
import type { Approve } from './agreement/approval.ts';
import type { ToolCallContext, ToolResult } from './context.ts';
import type { CheckedArguments, Tool, ToolInfo } from './tool.ts';

/** The tools that a model may call, and the one way to run them. */
export interface Toolbox {
  /**
   * The description of each tool, and flags for an adapter: effect, expected time, words for a slow call. The same
   * array every time, unless a live call gets stricter `payments`.
   */
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
   * `toolsByJob` has the names of the ready tools. One that this toolbox wasn't given is left out.
   * Throws `InvalidArgumentError` for any other name that this toolbox doesn't have.
   */
  only(names: readonly string[]): Toolbox;
  /** All tools but these. See {@link Toolbox.only}. */
  without(names: readonly string[]): Toolbox;
}

interface ToolList {
  readonly tools: readonly Tool[];
  readonly approve?: Approve | 'framework' | undefined;
}

/** Throws `InvalidArgumentError` for two tools of one name, for too many, and for one that needs `approve` if there is none. */
export const assertTools = ({ tools, approve }: ToolList): void => {
  if (!Array.isArray(tools))
    throw new InvalidArgumentError('tools', 'must be a list of tools, such as billingTools(…)');
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidArgumentError('tools', `must not hold two tools called ${twice}`);
  if (tools.length > mostTools)
    throw new InvalidArgumentError('tools', `must be at most ${mostTools}, as some providers take no more`);
  const unapproved = tools.find((tool) => isApproved(tool) && !approve);
  if (unapproved) throw new InvalidArgumentError('approve', `must be given, since ${unapproved.name} asks for it`);
};

/** OpenAI's limit; no other is lower. */
const mostTools = 128;

/** Without what only the toolbox needs. */
export const toInfos = ({ tools, approve }: ToolList): readonly ToolInfo[] =>
  Object.freeze(
    tools.map((tool) => {
      const { maxChars: _1, bound: _2, read: _3, options: _4, keeps: _5, forCall: _6, shows: _7, ...info } = tool;
      return { ...info, needsApproval: approve === 'framework' && isApproved(tool) };
    }),
  );

/** A toolbox that is the one that `now` returns, and so are those made of it. */
export const followToolbox = (now: () => Toolbox): Toolbox => {
  const following = (derive: (toolbox: Toolbox) => Toolbox): Toolbox => {
    let from = now();
    let derived = derive(from);
    return followToolbox(() => {
      if (from !== now()) {
        from = now();
        derived = derive(from);
      }
      return derived;
    });
  };
  /** A name that the toolbox of now has may be none of a later one. */
  const pick = (how: 'only' | 'without', names: readonly string[]): Toolbox => {
    now()[how](names);
    return following((toolbox) => toolbox[how](names.filter((name) => toolbox.find(name))));
  };
  return {
    tools: () => now().tools(),
    find: (name) => now().find(name),
    run: (name, args, context) => now().run(name, args, context),
    validate: (name, args) => now().validate(name, args),
    bind: (context) => following((toolbox) => toolbox.bind(context)),
    only: (names) => pick('only', names),
    without: (names) => pick('without', names),
  };
};
