import { hash } from 'node:crypto';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, checkOptions, must, oneOf, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import type { EventListeners } from '../observability/listeners.ts';
import type { Redact } from '../observability/redactor.ts';
import { createEmitter, within } from '../observability/emitter.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { JsonObject } from '../stores/ports/json.ts';
import { createMemoryIdempotencyStore } from '../stores/memory-idempotency-store.ts';

import { createAgreements } from './agreement/agreement.ts';
import { assertCallId } from '../phone-call/steps/call-id.ts';
import type { Approve } from './agreement/approval.ts';
import { canonicalJson, checkToolCall, checkWithoutBound } from './arguments.ts';
import type { ResultBudget } from './compact.ts';
import { type AgreementRequest, assertConfirmation, type ConfirmationOptions } from './agreement/confirmation.ts';
import {
  assertContext,
  type ContextSource,
  contextOf,
  mergeContexts,
  personOf,
  type ToolCallContext,
  type ToolContext,
  type ToolResult,
  withReadNumber,
} from './context.ts';
import * as failures from './failures.ts';
import { isCutOff } from './finish-reason.ts';
import { createIdempotentWrites, type IdempotentWrites } from './idempotent-writes.ts';
import { createLimitCounter, type PhoneCallLimits, type ToolLimits } from './limits.ts';
import { missingTool } from './missing-tool.ts';
import { createReport, type ErrorPlace, type OnError } from './on-error.ts';
import { createPaymentRunner } from './payments/payment-runner.ts';
import { createCallMemory, createSharedCallMemory, type StateOwner } from './call-memory.ts';
import { createRepeatedCalls, type RepeatedCalls } from './repeated-calls.ts';
import type { CheckedArguments, SentArguments, Tool, ToolInfo } from './tool.ts';
import type { Toolbox } from './toolbox.ts';
import { assertTools, toInfos, withReadableResults } from './tool-list.ts';
import { toolRunEvent } from './tool-run-event.ts';
import { type WordsOfTools, rewordTools } from './tool-words.ts';
import { startToolRun, type ToolRun, unknownCaller } from './tool-run.ts';

/** The tools of a toolbox, what every run of them has, and what one phone call may do at most. */
export interface ToolboxOptions extends ResultBudget {
  /** At most 128, each of another name. */
  readonly tools: readonly Tool[];
  /** Other words for tools than their own, such as in another language. */
  readonly words?: WordsOfTools | undefined;
  /** What every run has; see {@link Toolbox.bind}. */
  readonly context?: ToolCallContext | (() => ToolCallContext) | undefined;
  /**
   * Where payments, approvals and used tokens are remembered. In memory a crash forgets them: use a store that outlives
   * the process.
   * @defaultValue one in memory
   */
  readonly store?: IdempotencyStore | undefined;
  /**
   * Shared by the processes that answer one phone call: its limits hold in all of them, and an idempotent write, such as a
   * reply, is done once. Give the same to `billingTools`.
   * @defaultValue the memory of this process
   */
  readonly phoneCallStore?: IdempotencyStore | undefined;
  /** The time of a tool call that says nothing itself, in milliseconds. @defaultValue 8000 */
  readonly deadline?: number | undefined;
  /** Per phone call. */
  readonly limits?: ToolLimits | undefined;
  /**
   * Decides on tools with `confirm: 'approve'`. A function may take its time: see {@link Approve}. `'framework'`: the
   * framework has a person asked, which AI SDK, OpenAI Agents, Mastra and MCP do.
   */
  readonly approve?: Approve | 'framework' | undefined;
  /** For tools with `confirm: 'two-step'`. */
  readonly confirmation?: ConfirmationOptions | undefined;
  /** Gets the real error of each tool call that failed, of which the model sees no more than it needs. @defaultValue one process warning for each cause */
  readonly onError?: OnError | undefined;
  /** Gets how each tool call ended; several may listen. What they throw is ignored. */
  readonly onEvent?: EventListeners | undefined;
  /** What is taken out of events before listeners get them. @defaultValue secrets and personal data */
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
export const createToolbox = (options: ToolboxOptions): Toolbox => {
  assertKnown(options, optionNames);
  assertTools(options);
  const { deadline = 8_000, limits = {}, approve } = options;
  const report = createReport(options.onError);
  checkOptions(undefined, toolboxChecks(options));
  const tools = rewordTools(options.tools, options.words ?? {});
  const byName = new Map(withReadableResults(tools).map((tool) => [tool.name, tool]));
  // Names of this package's tools alone.
  const missed = new Set<string>();
  const { phoneCallStore } = options;
  const sharedWrites = phoneCallStore && {
    store: phoneCallStore,
    report: (error: unknown) => report(error, { part: 'store' }),
  };
  const memories = createCallMemory(startMemory);
  // What a tool call gave isn't another person's, even if both have one call id.
  const memoryOf = ({ tenant, callId, caller }: Pick<ToolContext, 'tenant' | 'callId' | 'caller'>) =>
    memories({ tenant, callId: canonicalJson([callId, personOf({ caller, callId })]) });
  const limitsState = createSharedCallMemory({
    name: 'limits',
    start: (kept) => createLimitCounter(limits, kept),
    toJson: (counter) => counter.toJson(),
    store: phoneCallStore,
  });
  const limitsOf =
    (call: StateOwner): PhoneCallLimits =>
    async (use) => {
      try {
        return await limitsState.change(call, use);
      } catch (error) {
        report(error, { part: 'store', callId: call.callId, tenant: call.tenant });
        return 'unavailable';
      }
    };
  const emitter = createEmitter(options.onEvent, { api: 'tools', redact: options.redact });
  const store = options.store ?? createMemoryIdempotencyStore();
  const payments = createPaymentRunner({ store, report });
  const agree = createAgreements({
    store,
    approve,
    confirmation: options.confirmation,
    runLate: (request) => {
      const { tool } = request.toolRun;
      return observed({ tool, args: request.sent, context: request.given }, (onGiven) => runApproved(request, onGiven));
    },
  });

  const observed = async (
    { tool, args, context }: ObservedCall,
    work: (onGiven?: (given: unknown) => void) => Promise<ToolResult>,
  ): Promise<ToolResult> => {
    if (!emitter.hasListeners()) return work();
    const startedAt = performance.now();
    const span = emitter.startSpan({ type: 'tool-run', tool: tool?.name ?? 'unknown' });
    let given: unknown;
    const onGiven = (all: unknown) => {
      given = all;
    };
    const result = await within(span, () => work(onGiven));
    const durationMs = performance.now() - startedAt;
    const event = toolRunEvent({ tool, context, result, given, durationMs });
    emitter.forTenant(context.tenant).emit(event, span, { asked: args, answered: result.text });
    return result;
  };

  const run = async (
    tool: Tool,
    args: unknown,
    context: ToolCallContext,
    onGiven?: (given: unknown) => void,
  ): Promise<ToolResult> => {
    const { callId, tenant, toolCallId } = context;
    const site: Partial<ErrorPlace> = { tool: tool.name, callId, toolCallId, tenant };
    try {
      if (!callId)
        throw new InvalidArgumentError('callId', 'must be given, by the run or by what the toolbox is bound to');
      if (context.signal?.aborted) return failures.toFailedResult(failures.cancelled(tool.effect));
      assertCallId(callId);
      const memory = memoryOf({ tenant, callId, caller: context.caller ?? unknownCaller });
      const sent = tool.read(args);
      const fingerprint = () => canonicalJson([tool.name, sent]);
      const result = await memory.toolCalls.run({ id: toolCallId, fingerprint, effect: tool.effect }, () =>
        runNew({ tool, sent, context: { ...context, callId }, memory, onGiven }),
      );
      return result === 'conflict'
        ? failures.toFailedResult(failures.notAllowed('another_call_in_progress', tool.effect))
        : result;
    } catch (error) {
      report(error, site);
      return failures.toFailedResult(failures.internalError(tool.effect));
    }
  };

  const noTool = (name: string, { callId, toolCallId, tenant }: ToolCallContext): ToolResult => {
    const missing = byName.has(name) || missed.has(name) ? undefined : missingTool(name, callId);
    if (missing) {
      missed.add(name);
      report(missing, { callId, toolCallId, tenant });
    }
    return failures.toFailedResult(failures.unknownTool());
  };

  const runNew = async ({ tool, sent, context, memory, onGiven }: NewCall): Promise<ToolResult> => {
    const limitsHere = limitsOf({ tenant: context.tenant, callId: context.callId });
    const tooMany = await limitsHere((counter) => counter.countToolCall());
    // A payment that is known to be made is reported as that, with or without a store.
    if (tooMany && (tooMany !== 'unavailable' || tool.effect !== 'payment'))
      return failures.toFailedResult(failures.overLimit(tooMany, tool.effect));
    if (isCutOff(context.finishReason)) return failures.toFailedResult(failures.cutOff(tool.effect));
    if (!sent.ok) return failures.toFailedResult(failures.invalidArguments(sent.problems, tool.effect));
    const toolRun = startRun(tool, context, onGiven);
    return toolRun.inTime(async () => {
      const checked = await checkToolCall(tool, toolRun.context, sent.args);
      if ('refusal' in checked) {
        const { refusal, against } = checked;
        const paid = against && tool.effect === 'payment' ? await payments.paidBefore(toolRun, against) : undefined;
        return paid ?? toolRun.fail(refusal);
      }
      if (tooMany)
        return (
          (await payments.paidBefore(toolRun, checked.args)) ?? toolRun.fail(failures.overLimit(tooMany, tool.effect))
        );
      const request = { toolRun, sent: sent.args, args: checked.args, token: sent.token, given: context };
      const work = () => execute(toolRun, checked.args, memory);
      if (!tool.confirm) return work();
      const isAnswered = sent.token !== undefined;
      const refusal = isAnswered ? undefined : await payments.refusalOf(toolRun, checked.args);
      return refusal ? toolRun.fail(refusal) : agree(request, work);
    });
  };

  const startRun = (tool: Tool, context: NewCall['context'], onGiven: NewCall['onGiven']) =>
    startToolRun(tool, context, { deadlineMs: deadline, report, budget: options, onGiven });

  /** What was approved after its tool call had ended, if that is still what would be done. */
  const runApproved = (approved: AgreementRequest, onGiven: NewCall['onGiven']): Promise<ToolResult> => {
    const { tool, context } = approved.toolRun;
    const toolRun = startRun(
      tool,
      { ...approved.given, callId: context.callId, signal: undefined, deadline: undefined, onSlow: undefined },
      onGiven,
    );
    return toolRun.inTime(async () => {
      const checked = await checkToolCall(tool, toolRun.context, approved.sent);
      if ('refusal' in checked) return toolRun.fail(checked.refusal);
      const isSame = canonicalJson(checked.args) === canonicalJson(approved.args);
      if (!isSame) return toolRun.fail(failures.notAllowed('approval_expired', tool.effect));
      return execute(toolRun, checked.args, memoryOf(toolRun.context));
    });
  };

  const execute = async (toolRun: ToolRun, args: JsonObject, memory: Memory): Promise<ToolResult> => {
    const { tool } = toolRun;
    // Taken back, or out of time: the approval may have taken too long.
    if (toolRun.context.signal.aborted) return toolRun.fail(failures.cancelled(tool.effect));
    if (tool.effect === 'payment') return payments.run(toolRun, args, limitsOf(toolRun.context));
    if (tool.effect === 'read') return toolRun.answer(await toolRun.run(args, toolRun.context));
    const { tenant, callId, toolCallId } = toolRun.context;
    const once = tool.idempotent ? null : toolCallId || null;
    const work = canonicalJson([tenant ?? null, callId, personOf(toolRun.context), tool.name, args, once]);
    const write = async (idempotencyKey: string) => {
      const tooMany = await limitsOf(toolRun.context)((counter) => counter.countWrite());
      if (tooMany) return toolRun.fail(failures.overLimit(tooMany, tool.effect));
      return toolRun.answer(await toolRun.run(args, toolRun.contextWith({ idempotencyKey })));
    };
    if (tool.idempotent) {
      const key = keyOf(work, 0);
      memory.idempotentWrites ??= createIdempotentWrites({ shared: sharedWrites });
      const end = await memory.idempotentWrites.run(key, () => write(key));
      if (end === 'busy') return toolRun.fail(failures.notAllowed('another_call_in_progress', tool.effect));
      return end === 'unavailable' ? toolRun.fail(failures.unavailable('phone_call_store', tool.effect)) : end;
    }
    const timesDone = memory.timesDone.get(work) ?? 0;
    const result = await write(keyOf(work, timesDone));
    if (result.status === 'done') memory.timesDone.set(work, timesDone + 1);
    return result;
  };

  const validate = async (tool: Tool | undefined, args: unknown): Promise<CheckedArguments> => {
    if (!tool) return { ok: false, problems: [{ field: 'name', problem: 'is none of the tools of this toolbox' }] };
    const sent = tool.read(args);
    return sent.ok ? checkWithoutBound(tool, sent.args) : { ok: false, problems: sent.problems };
  };

  const toolboxOf = (infos: readonly ToolInfo[], source: ContextSource): Toolbox => {
    if (typeof source === 'object') assertContext(source);
    const find = (name: string) => infos.find((info) => info.name === name);
    const toolOf = (name: string) => byName.get(find(name)?.name ?? '');
    const pick = (names: readonly string[], isPicked: (info: ToolInfo) => boolean) => {
      const unknown = names.find((name) => !find(name));
      if (unknown !== undefined)
        throw new InvalidArgumentError('names', `must be tools of this toolbox: it has no ${unknown}`);
      return toolboxOf(Object.freeze(infos.filter(isPicked)), source);
    };
    return {
      tools: () => infos,
      find,
      run: async (name, args, context = {}) => {
        try {
          const merged = mergeContexts(contextOf(source), context);
          assertContext(merged);
          const whole = { ...merged, caller: merged.caller && withReadNumber(merged.caller) };
          const tool = toolOf(name);
          return await observed({ tool, args, context: whole }, async (onGiven) =>
            tool ? run(tool, args, whole, onGiven) : noTool(name, whole),
          );
        } catch (error) {
          report(error, { tool: toolOf(name)?.name });
          return failures.toFailedResult(failures.internalError('read'));
        }
      },
      validate: (name, args) => validate(toolOf(name), args),
      bind: (inner) => {
        if (typeof inner === 'object') assertContext(inner);
        return toolboxOf(infos, () => mergeContexts(contextOf(source), contextOf(inner)));
      },
      only: (names) => pick(names, ({ name }) => names.includes(name)),
      without: (names) => pick(names, ({ name }) => !names.includes(name)),
    };
  };
  return toolboxOf(toInfos({ ...options, tools }), options.context);
};

/** The checks of what phone calls set for their toolboxes. */
export const toolboxChecks = ({
  approve,
  limits,
  confirmation,
}: Pick<ToolboxOptions, 'approve' | 'limits' | 'confirmation'>): readonly OptionCheck[] => [
  () => typeof approve === 'function' || oneOf(approve, 'approve', ['framework'], 'a function')(),
  () => assertKnown(limits, { toolCalls: true, writes: true, paymentTotal: true }, 'limits'),
  ...Object.entries(limits ?? {}).map(([name, most]) =>
    must(
      most === undefined || (typeof most === 'number' && most >= 0),
      `limits.${name}`,
      'must be a number, 0 or more',
    ),
  ),
  () => assertConfirmation(confirmation),
];

interface ObservedCall {
  readonly tool: Tool | undefined;
  /** As the model sent them. */
  readonly args: unknown;
  readonly context: ToolCallContext;
}

interface NewCall {
  readonly tool: Tool;
  readonly sent: SentArguments;
  readonly context: ToolCallContext & { readonly callId: string };
  readonly memory: Memory;
  readonly onGiven: ((given: unknown) => void) | undefined;
}

/** What a toolbox remembers of one phone call. */
interface Memory {
  readonly toolCalls: RepeatedCalls;
  idempotentWrites: IdempotentWrites | undefined;
  /** How often a write that isn't idempotent was done under one tool-call id: a further time is another write. */
  readonly timesDone: Map<string, number>;
}

const startMemory = (): Memory => ({
  toolCalls: createRepeatedCalls(),
  idempotentWrites: undefined,
  timesDone: new Map(),
});

/** Two tries of one write have one key, and the write that follows a done one has another. */
const keyOf = (work: string, timesDone: number): string =>
  hash('sha256', timesDone === 0 ? work : `${work} ${timesDone}`, 'hex');

const optionNames: OptionNames<ToolboxOptions> = {
  tools: true,
  words: true,
  context: true,
  store: true,
  phoneCallStore: true,
  deadline: true,
  limits: true,
  approve: true,
  confirmation: true,
  onError: true,
  onEvent: true,
  redact: true,
  maxChars: true,
  countTokens: true,
};
