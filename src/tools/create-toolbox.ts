import { type Clock, systemClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { nodeCrypto } from '../node-crypto.ts';
import type { EventListeners } from '../observability/events.ts';
import { inWords } from '../observability/field-names.ts';
import { quietly } from '../observability/quietly.ts';
import type { Redact } from '../observability/redactor.ts';
import { createTeller } from '../observability/teller.ts';
import { within } from '../observability/tracer.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { JsonObject } from '../ports/json.ts';
import { createMemoryIdempotencyStore } from '../stores/memory-idempotency-store.ts';
import { type ContextSource, contextOf, mergeContexts } from './bound-context.ts';
import { canonicalJson } from './canonical-json.ts';
import { cardNumberProblems } from './card-number-arguments.ts';
import type { ResultBudget } from './compact.ts';
import { createToolCallCheck } from './check-tool-call.ts';
import { type ConfirmationOptions, createConfirmations } from './confirmation.ts';
import type { ToolCallContext, ToolContext } from './context.ts';
import { confirmationTokenIn } from './define-tool.ts';
import * as failures from './failures.ts';
import { createIdempotentWrites, type IdempotentWrites, type IdempotentWritesOptions } from './idempotent-writes.ts';
import { createLimitCounter, type PhoneCallLimits, type ToolLimits } from './limits.ts';
import { createPaymentRunner } from './payment-runner.ts';
import { createPhoneCallMemory } from './phone-call-memory.ts';
import { createPhoneCallState, type StateOwner } from './phone-call-state.ts';
import { createRepeatedCalls, type RepeatedCalls } from './repeated-calls.ts';
import { readableResult } from './readable-result.ts';
import type { ToolResult } from './result.ts';
import { runTool } from './run-tool.ts';
import type { CheckedArguments, Tool, ToolDefinition } from './tool.ts';
import type { Toolbox } from './toolbox.ts';
import { toolRunEvent } from './tool-run-event.ts';
import { type ErrorSite, startToolRun, type ToolRun } from './tool-run.ts';

/** The tools of a toolbox, what every run of them has, and what one phone call may do at most. */
export interface ToolboxOptions extends ResultBudget {
  /** At most 128, each of another name. */
  readonly tools: readonly Tool[];
  /** What every run has; see {@link Toolbox.bind}. */
  readonly context?: ToolCallContext | (() => ToolCallContext);
  /**
   * Where payments are remembered. In memory a crash forgets them: use a store that outlives the process.
   * @defaultValue one in memory
   */
  readonly store?: IdempotencyStore;
  /**
   * Shared by the processes that answer one phone call: its limits hold in all of them, and an idempotent write, such as a
   * reply, is done once. Give the same to `billingTools`.
   * @defaultValue the memory of this process
   */
  readonly phoneCallStore?: IdempotencyStore | undefined;
  /** The time of a tool call that says nothing itself. @defaultValue 8000 */
  readonly budgetMs?: number;
  /** Per phone call. */
  readonly limits?: ToolLimits;
  /** Asked before a tool with `confirm: 'approve'` runs; `summary` says in a sentence what it will do. */
  readonly approve?: (summary: string, context: ToolContext & { readonly tool: string }) => boolean | Promise<boolean>;
  /** For tools with `confirm: 'two-step'`. */
  readonly confirmation?: ConfirmationOptions;
  /**
   * Hears defects: what a tool threw that is no failure of an API, and what the application has set up wrongly. The
   * model is told none of it.
   */
  readonly onError?: (error: unknown, site: ErrorSite) => void;
  /** Hears how each tool call ended; several may listen. What they throw is ignored. */
  readonly onEvent?: EventListeners;
  /** What is taken out of events before anybody hears them. @defaultValue secrets and personal data */
  readonly redact?: Redact;
  /** Tells the time; for tests. @defaultValue the machine's own */
  readonly clock?: Clock;
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
export const createToolbox = (options: ToolboxOptions): Toolbox => {
  const { tools, budgetMs = 8_000, limits = {}, approve, onError, clock = systemClock } = options;
  assertTools(options);
  const byName = new Map(tools.map((tool) => [tool.name, withReadableResult(tool, argumentNamesOf(tools))]));
  const definitions = Object.freeze(tools.map(toDefinition));
  const { phoneCallStore } = options;
  const sharedWrites = phoneCallStore && {
    store: phoneCallStore,
    report: (error: unknown) => report(error, { tool: undefined, callId: undefined, toolCallId: undefined }),
  };
  const memoryOf = createPhoneCallMemory(() => startMemory(clock, sharedWrites));
  const limitsState = createPhoneCallState({
    name: 'limits',
    start: (kept) => createLimitCounter(limits, kept),
    toJson: (counter) => counter.toJson(),
    store: phoneCallStore,
  });
  const limitsOf =
    (call: StateOwner): PhoneCallLimits =>
    (use) =>
      limitsState.change(call, use);
  const check = createToolCallCheck({
    approve,
    confirmations: createConfirmations(options.confirmation ?? {}, clock),
  });
  const report = (error: unknown, site: ErrorSite) => quietly(() => onError?.(error, site));
  const tell = createTeller(options.onEvent, { api: 'tools', clock, redact: options.redact });
  const payments = createPaymentRunner({
    store: options.store ?? createMemoryIdempotencyStore({ clock }),
    clock,
    report,
  });

  const run = async (name: string, args: unknown, context: ToolCallContext): Promise<ToolResult> => {
    if (!tell.isHeard('tool-run')) return runQuietly(name, args, context);
    const startedAt = clock.now();
    const tool = byName.get(name);
    const span = tell.begin({ type: 'tool-run', tool: tool?.name ?? 'unknown' });
    let given: unknown;
    const onGiven = (all: unknown) => {
      given = all;
    };
    const result = await within(span, () => runQuietly(name, args, context, onGiven));
    const durationMs = clock.now() - startedAt;
    tell.ofTenant(context.tenant)(toolRunEvent({ tool, context, result, given, durationMs }), span);
    return result;
  };

  const runQuietly = async (
    name: string,
    args: unknown,
    context: ToolCallContext,
    onGiven?: (given: unknown) => void,
  ): Promise<ToolResult> => {
    const { callId, tenant, toolCallId } = context;
    const tool = byName.get(name);
    const site: ErrorSite = { tool: tool?.name, callId, toolCallId };
    try {
      if (!tool) return toolResult(failures.unknownTool());
      if (!callId)
        throw new InvalidArgumentError('callId', 'must be given, by the run or by what the toolbox is bound to');
      if (context.signal?.aborted) return toolResult(failures.cancelled(tool.effect));
      const memory = memoryOf({ tenant, callId });
      const read = tool.work.read(args);
      const token = confirmationTokenIn(tool, args);
      const fingerprint = () => canonicalJson([name, read, token ?? null]);
      const result = await memory.toolCalls.run({ id: toolCallId, fingerprint, effect: tool.effect }, () =>
        runNew({ tool, read, token, context: { ...context, callId }, memory, ...(onGiven && { onGiven }) }),
      );
      return result === 'conflict' ? toolResult(failures.notAllowed('another_call_in_progress', tool.effect)) : result;
    } catch (error) {
      report(error, site);
      return toolResult(failures.internalError(tool?.effect ?? 'read'));
    }
  };

  const runNew = async ({ tool, read, token, context, memory, onGiven }: NewCall): Promise<ToolResult> => {
    const limitsHere = limitsOf({ tenant: context.tenant, callId: context.callId });
    const tooMany = await limitsHere((counter) => counter.countToolCall());
    if (tooMany) return toolResult(failures.notAllowed(tooMany, tool.effect));
    if (!read.ok) return toolResult(failures.invalidArguments(read.problems, tool.effect));
    const toolRun = startToolRun(tool, context, {
      budgetMs,
      clock,
      report,
      budget: options,
      ...(onGiven && { onGiven }),
    });
    return toolRun.inTime(async () => {
      const checked = await check(toolRun, read.args, token);
      return 'refusal' in checked ? toolRun.fail(checked.refusal) : execute(toolRun, checked.args, memory);
    });
  };

  const execute = async (toolRun: ToolRun, args: JsonObject, memory: Memory): Promise<ToolResult> => {
    const { tool } = toolRun;
    // Taken back, or out of time: whoever was asked to approve may have taken too long.
    if (toolRun.context.signal.aborted) return toolRun.fail(failures.cancelled(tool.effect));
    if (tool.effect === 'payment') return payments.run(toolRun, args, limitsOf(toolRun.context));
    if (tool.effect === 'read') return toolRun.answer(await runTool(toolRun, args, toolRun.context));
    const { tenant, callId, toolCallId } = toolRun.context;
    const work = canonicalJson([tenant ?? null, callId, tool.name, args, tool.idempotent ? null : toolCallId || null]);
    const write = async (idempotencyKey: string) => {
      const tooMany = await limitsOf(toolRun.context)((counter) => counter.countWrite());
      if (tooMany) return toolRun.fail(failures.notAllowed(tooMany, tool.effect));
      return toolRun.answer(await runTool(toolRun, args, toolRun.contextWith({ idempotencyKey })));
    };
    if (tool.idempotent) {
      const key = keyOf(work, 0);
      const end = await memory.idempotentWrites.run(key, () => write(key));
      if (end === 'busy') return toolRun.fail(failures.notAllowed('another_call_in_progress', tool.effect));
      return end === 'unavailable' ? toolRun.fail(failures.unavailable('phone_call_store', tool.effect)) : end;
    }
    const timesDone = memory.timesDone.get(work) ?? 0;
    const result = await write(keyOf(work, timesDone));
    if (result.status === 'done') memory.timesDone.set(work, timesDone + 1);
    return result;
  };

  const validate: Toolbox['validate'] = async (name, args) => {
    const tool = byName.get(name);
    if (!tool) return { ok: false, problems: [{ field: 'name', problem: 'is none of the tools of this toolbox' }] };
    const read = tool.work.read(args);
    if (!read.ok) return read;
    const cards = cardNumberProblems(read.args);
    return cards.length > 0 ? { ok: false, problems: cards } : tool.work.validate(read.args);
  };

  const toolboxOn = (source: ContextSource): Toolbox => ({
    definitions: () => definitions,
    tools: () => tools,
    find: (name) => byName.get(name),
    run: async (name, args, context = {}) => {
      try {
        return await run(name, args, mergeContexts(contextOf(source), context));
      } catch (error) {
        report(error, { tool: byName.get(name)?.name, callId: undefined, toolCallId: undefined });
        return toolResult(failures.internalError('read'));
      }
    },
    validate,
    bind: (inner) => toolboxOn(() => mergeContexts(contextOf(source), contextOf(inner))),
  });
  return toolboxOn(options.context);
};

/** The result of a call that did not come as far as its tool. */
const toolResult = ({ status, value }: failures.Failure): ToolResult => ({
  status,
  value,
  text: JSON.stringify(value),
  replayed: false,
});

interface NewCall {
  readonly tool: Tool;
  readonly read: CheckedArguments;
  readonly token: string | undefined;
  readonly context: ToolCallContext & { readonly callId: string };
  readonly memory: Memory;
  readonly onGiven?: (given: unknown) => void;
}

/** What a toolbox remembers of one phone call. */
interface Memory {
  readonly toolCalls: RepeatedCalls;
  readonly idempotentWrites: IdempotentWrites;
  /** How often a write that isn't idempotent was done under one tool-call id: a further time is another write. */
  readonly timesDone: Map<string, number>;
}

const startMemory = (clock: Clock, shared: IdempotentWritesOptions['shared']): Memory => ({
  toolCalls: createRepeatedCalls(clock),
  idempotentWrites: createIdempotentWrites({ shared }),
  timesDone: new Map(),
});

/** Two tries of one write have one key, and the write that follows a done one has another. */
const keyOf = (work: string, timesDone: number): string =>
  nodeCrypto()
    .createHash('sha256')
    .update(timesDone === 0 ? work : `${work} ${timesDone}`)
    .digest('hex');

/** Decided here, since what one tool tells depends on what the others take. */
const withReadableResult = (tool: Tool, argumentNames: ReadonlySet<string>): Tool => {
  const { compact = (result) => readableResult(result, { argumentNames }) } = tool.work;
  return { ...tool, work: { ...tool.work, compact } };
};

const argumentNamesOf = (tools: readonly Tool[]): ReadonlySet<string> =>
  new Set(tools.flatMap(({ parameters }) => Object.keys(parameters.properties).map(inWords)));

const toDefinition = ({ name, description, parameters }: Tool): ToolDefinition => ({ name, description, parameters });

/** OpenAI's limit; nobody else's is lower. */
const mostTools = 128;

const assertTools = ({ tools, approve }: ToolboxOptions) => {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidArgumentError('tools', `must not hold two tools called ${twice}`);
  if (tools.length > mostTools)
    throw new InvalidArgumentError('tools', `must be at most ${mostTools}, as some providers take no more`);
  const unapproved = tools.find(({ confirm }) => confirm === 'approve' && !approve);
  if (unapproved) throw new InvalidArgumentError('approve', `must be given, since ${unapproved.name} asks for it`);
};
