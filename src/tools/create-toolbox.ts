import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, checkOptions, must, oneOf, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import type { EventListeners } from '../observability/listeners.ts';
import type { Redact } from '../observability/redaction/redactor.ts';
import type { Approve } from './agreement/approval.ts';
import { checkWithoutBound } from './arguments.ts';
import type { ResultBudget } from './compact.ts';
import {
  assertContext,
  type ContextSource,
  contextOf,
  mergeContexts,
  type ToolCallContext,
  type ToolResult,
  withReadNumber,
} from './context.ts';
import * as failures from './failures.ts';
import type { ToolLimits } from './limits.ts';
import { type PaymentRules, paymentRulesCheck, withPaymentRules } from './payment-rules.ts';
import { missingTool } from './missing-tool.ts';
import { isBuiltIn } from './tools-by-job.ts';
import { createReport, type OnError, type Report } from './on-error.ts';
import { withReadableResults } from './readable-result.ts';
import { oldStoreNames, storeCheck, type StoreOption } from './store-option.ts';
import type { CheckedArguments, Tool, ToolInfo } from './tool.ts';
import { createToolObserver, type ToolObserver } from './tool-run-event.ts';
import { createToolRunner, type ToolRunner } from './tool-runner.ts';
import { rewordTools, type WordsOfTools } from './tool-words.ts';
import { assertTools, toInfos, type Toolbox } from './toolbox.ts';

/** The tools of a toolbox, what every run of them has, and what one phone call may do at most. */
export interface ToolboxOptions extends ResultBudget {
  /** At most 128, each of another name. */
  readonly tools: readonly Tool[];
  /** Other words for tools than their own, such as in another language. */
  readonly words?: WordsOfTools | undefined;
  /** The context that every run has; see {@link Toolbox.bind}. */
  readonly context?: ToolCallContext | (() => ToolCallContext) | undefined;
  /**
   * The memory that outlives this process and that all processes share. It keeps payments, writes that are done once,
   * approvals and used confirmations, and a phone call's limits and idempotent writes. `'memory'` says that you know
   * it's lost with the process. Give the same to `billingTools`.
   * @defaultValue the memory of this process; the first payment then warns once
   */
  readonly store?: StoreOption | undefined;
  /** The rules of every payment tool. @defaultValue each tool's own */
  readonly payments?: PaymentRules | undefined;
  /** The time of a tool call that says nothing itself, in milliseconds. @defaultValue 8000 */
  readonly deadline?: number | undefined;
  /** Per phone call. */
  readonly limits?: ToolLimits | undefined;
  /**
   * Decides on tools with `confirm: 'approve'`. A function may take its time: see {@link Approve}. `'framework'`: the
   * framework has a person asked, which AI SDK, OpenAI Agents, Mastra and MCP do.
   */
  readonly approve?: Approve | 'framework' | undefined;
  /** Gets the real error of each tool call that failed. The model sees less of it. @defaultValue one process warning for each cause */
  readonly onError?: OnError | undefined;
  /** Gets how each tool call ended; several may listen. What they throw is ignored. */
  readonly onEvent?: EventListeners | undefined;
  /** The data taken out of events before listeners get them. @defaultValue secrets and personal data */
  readonly redact?: Redact | undefined;
}

/**
 * Puts tools together, ready for a model.
 * Throws `InvalidArgumentError` for two tools of one name, for more than 128, and for a tool that needs `approve` where
 * there is none.
 *
 * @example
 * const toolbox = createToolbox({ tools: billingTools({ billing, payments: false }), context: { callId, caller } });
 * const result = await toolbox.run('lookup_customer_invoices', '{}', { toolCallId });
 */
export const createToolbox = (options: ToolboxOptions): Toolbox => createToolboxAfter(undefined, options);

/** A toolbox whose every run waits for `before`, which never rejects: what it learns is in the run's context. */
export const createToolboxAfter = (before: ToolboxParts['before'], options: ToolboxOptions): Toolbox => {
  assertKnown(options, optionNames, undefined, oldStoreNames);
  assertTools(options);
  checkOptions(undefined, toolboxChecks(options));
  const { deadline = 8_000, limits = {}, approve, store, payments = {} } = options;
  const report = createReport(options.onError);
  const observe = createToolObserver(options.onEvent, options.redact);
  const run = createToolRunner({
    store,
    deadlineMs: deadline,
    budget: options,
    limits: { ...limits, perCall: payments.perCall },
    approve,
    report,
    observe,
  });
  const tools = withPaymentRules(rewordTools(options.tools, options.words ?? {}), payments);
  const byName = new Map(withReadableResults(tools).map((tool) => [tool.name, tool]));
  const parts = { before, byName, run, observe, report, reportMissing: createMissingReport(byName, report) };
  return toolboxOf(toInfos({ ...options, tools }), options.context, parts);
};

/** The parts that a toolbox shares with those made of it by `bind`, `only` and `without`. */
interface ToolboxParts {
  readonly before: (() => Promise<void>) | undefined;
  readonly byName: ReadonlyMap<string, Tool>;
  readonly run: ToolRunner;
  readonly observe: ToolObserver;
  readonly report: Report;
  readonly reportMissing: (name: string, context: ToolCallContext) => void;
}

const toolboxOf = (infos: readonly ToolInfo[], source: ContextSource, parts: ToolboxParts): Toolbox => {
  if (typeof source === 'object') assertContext(source);
  const { before, byName, run, observe, report, reportMissing } = parts;
  const find = (name: string) => infos.find((info) => info.name === name);
  const toolOf = (name: string) => byName.get(find(name)?.name ?? '');
  const pick = (names: readonly string[], isPicked: (info: ToolInfo) => boolean) => {
    // A ready tool that this phone call wasn't given is no mistake.
    const unknown = names.find((name) => !find(name) && !isBuiltIn(name));
    if (unknown !== undefined)
      throw new InvalidArgumentError('names', `must be tools of this toolbox: it has no ${unknown}`);
    return toolboxOf(Object.freeze(infos.filter(isPicked)), source, parts);
  };
  const noTool = (name: string, context: ToolCallContext): ToolResult => {
    reportMissing(name, context);
    return failures.toFailedResult(failures.unknownTool());
  };
  return {
    tools: () => infos,
    find,
    run: async (name, args, context = {}) => {
      try {
        if (before) await before();
        const merged = mergeContexts(contextOf(source), context);
        assertContext(merged);
        const whole = { ...merged, caller: merged.caller && withReadNumber(merged.caller) };
        const tool = forCall(toolOf(name), args);
        return await observe({ tool, args, context: whole }, async (onFullResult) =>
          tool ? run({ tool, args, context: whole, onFullResult }) : noTool(name, whole),
        );
      } catch (error) {
        report(error, { tool: toolOf(name)?.name });
        return failures.toFailedResult(failures.internalError('read'));
      }
    },
    validate: async (name, args) => validate(forCall(toolOf(name), args), args),
    bind: (inner) => {
      if (typeof inner === 'object') assertContext(inner);
      return toolboxOf(infos, () => mergeContexts(contextOf(source), contextOf(inner)), parts);
    },
    only: (names) => pick(names, ({ name }) => names.includes(name)),
    without: (names) => pick(names, ({ name }) => !names.includes(name)),
  };
};

/** The tool as it is for one call: its effect may depend on what the model sent. */
const forCall = (tool: Tool | undefined, args: unknown): Tool | undefined => {
  if (!tool?.forCall) return tool;
  const { effect, idempotent, again, confirm, read, options } = tool.forCall(args);
  const { run, rules } = options;
  return { ...tool, effect, idempotent, again, confirm, read, options: { ...tool.options, run, rules } };
};

/** Reports each tool of this package once that the model asked for and the toolbox doesn't have. */
const createMissingReport = (byName: ReadonlyMap<string, Tool>, report: Report): ToolboxParts['reportMissing'] => {
  // Names of this package's tools alone.
  const reported = new Set<string>();
  return (name, { callId, toolCallId, tenant }) => {
    const missing = byName.has(name) || reported.has(name) ? undefined : missingTool(name, callId);
    if (!missing) return;
    reported.add(name);
    report(missing, { callId, toolCallId, tenant });
  };
};

const validate = async (tool: Tool | undefined, args: unknown): Promise<CheckedArguments> => {
  if (!tool) return { ok: false, problems: [{ field: 'name', problem: 'is none of the tools of this toolbox' }] };
  const sent = tool.read(args);
  return sent.ok ? checkWithoutBound(tool, sent.args) : { ok: false, problems: sent.problems };
};

/** The checks of what phone calls set for their toolboxes. */
export const toolboxChecks = ({
  approve,
  limits,
  store,
  payments,
}: Pick<ToolboxOptions, 'approve' | 'limits' | 'store' | 'payments'>): readonly OptionCheck[] => [
  () => typeof approve === 'function' || oneOf(approve, 'approve', ['framework'], 'a function')(),
  () => assertKnown(limits, { toolCalls: true, writes: true }, 'limits', { paymentTotal: 'payments.perCall' }),
  storeCheck(store),
  paymentRulesCheck(payments),
  ...Object.entries(limits ?? {}).map(([name, most]) =>
    must(
      most === undefined || (typeof most === 'number' && most >= 0),
      `limits.${name}`,
      'must be a number, 0 or more',
    ),
  ),
];

const optionNames: OptionNames<ToolboxOptions> = {
  tools: true,
  words: true,
  context: true,
  store: true,
  payments: true,
  deadline: true,
  limits: true,
  approve: true,
  onError: true,
  onEvent: true,
  redact: true,
  maxChars: true,
  countTokens: true,
};
