import { hash } from 'node:crypto';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertCallId } from '../phone-call/steps/call-id.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import { fieldsOf, type JsonObject } from '../stores/ports/json.ts';
import { createAgreements } from './agreement/agreement.ts';
import type { Approve } from './agreement/approval.ts';
import type { AgreementRequest } from './agreement/confirmation.ts';
import { canonicalJson, checkToolCall } from './arguments.ts';
import { createHomeMemory } from './call-memory.ts';
import type { ResultBudget } from './compact.ts';
import { personOf, type ToolCallContext, type ToolContext, type ToolResult } from './context.ts';
import * as failures from './failures.ts';
import { isCutOff } from './finish-reason.ts';
import { createIdempotentWrites, type IdempotentWrites } from './idempotent-writes.ts';
import { createLimits, type CallLimits, type LimitCounter, type PhoneCallLimits } from './limits.ts';
import type { Report } from './on-error.ts';
import { createPaymentGuard } from './payments/payment-guard.ts';
import { createPaymentRunner } from './payments/payment-runner.ts';
import { createRepeatedCalls, type RepeatedCalls } from './repeated-calls.ts';
import { memoryIn, sharedStore, storeOf, type StoreOption, warnOfMemory } from './store-option.ts';
import type { SentArguments, Tool } from './tool.ts';
import { startToolRun, type ToolRun, unknownCaller } from './tool-run.ts';
import type { ToolObserver } from './tool-run-event.ts';
import { createWriteOnce, isAgainIn, withAgainIn } from './write-once.ts';

export interface ToolRunnerOptions {
  readonly store: StoreOption | undefined;
  readonly deadlineMs: number;
  readonly budget: ResultBudget;
  readonly limits: CallLimits;
  readonly approve: Approve | 'framework' | undefined;
  readonly report: Report;
  readonly observe: ToolObserver;
}

/** Runs one tool call. Never rejects. */
export type ToolRunner = (call: ToolCall) => Promise<ToolResult>;

interface ToolCall {
  readonly tool: Tool;
  /** The model's arguments. */
  readonly args: unknown;
  readonly context: ToolCallContext;
  /** Gets what the tool gave, before it is cut to size. */
  readonly onFullResult: ((result: unknown) => void) | undefined;
}

/**
 * Takes a tool call through everything that may end it. In this order: repetitions, limits, arguments and rules, the
 * yes of people, earlier payments or writes.
 */
export const createToolRunner = (options: ToolRunnerOptions): ToolRunner => {
  const { deadlineMs, budget, limits, report, observe } = options;
  // What only one phone call knows needs no store in this process.
  const shared = sharedStore(options.store);
  const home = memoryIn(options.store);
  const store = storeOf(options.store);
  const memoryOf = createMemories(home);
  const limitsOf = createLimits({ limits, store: shared, home, report });
  const guard = createPaymentGuard({ store, onStoreError: (error) => report(error, { part: 'store' }) });
  const payments = createPaymentRunner({ store, guard });
  const writeOnce = createWriteOnce(guard);
  const agree = createAgreements({
    store,
    approve: options.approve,
    runLate: (request) => {
      const { tool } = request.toolRun;
      return observe({ tool, args: request.sent, context: request.callContext }, (onFullResult) =>
        runApproved(request, onFullResult),
      );
    },
  });

  const startRun = (tool: Tool, context: NewCall['context'], onFullResult: NewCall['onFullResult']) =>
    startToolRun(tool, context, { deadlineMs, report, budget, onFullResult });

  const runNew = async (call: NewCall): Promise<ToolResult> => {
    const { effect } = call.tool;
    const { tenant, callId } = call.context;
    const limitsHere = limitsOf({ tenant, callId });
    const count = () => limitsHere((counter) => counter.countToolCall());
    if (effect !== 'payment' || !shared) return runCounted(call, limitsHere, await count());
    // In a shared store, a payment that is sent counts its tool call in the same change.
    const { limits, isCounted } = withToolCall(limitsHere);
    const result = await runCounted(call, limits, undefined);
    const isStoreDown = fieldsOf(result.value)['reason'] === 'store';
    const tooMany = isCounted() || isStoreDown ? undefined : await count();
    return tooMany && tooMany !== 'unavailable' ? failures.toFailedResult(failures.overLimit(tooMany, effect)) : result;
  };

  const runCounted = async (
    { tool, sent, context, memory, onFullResult }: NewCall,
    limitsHere: PhoneCallLimits,
    tooMany: failures.NotAllowedReason | 'unavailable' | undefined,
  ): Promise<ToolResult> => {
    // A payment that is known to be made is reported as that, with or without a store.
    if (tooMany && (tooMany !== 'unavailable' || tool.effect !== 'payment'))
      return failures.toFailedResult(failures.overLimit(tooMany, tool.effect));
    if (isCutOff(context.finishReason)) return failures.toFailedResult(failures.cutOff(tool.effect));
    if (!sent.ok) return failures.toFailedResult(failures.invalidArguments(sent.problems, tool.effect));
    const toolRun = startRun(tool, context, onFullResult);
    return toolRun.inTime(async () => {
      const checked = await checkToolCall(tool, toolRun.context, sent.args);
      if ('refusal' in checked) {
        const { refusal, against } = checked;
        const paid = against && tool.effect === 'payment' ? await payments.paidBefore(toolRun, against) : undefined;
        return paid ?? toolRun.fail(refusal);
      }
      const args = withAgainIn(tool, checked.args, sent.isAgain);
      if (tooMany)
        return (await payments.paidBefore(toolRun, args)) ?? toolRun.fail(failures.overLimit(tooMany, tool.effect));
      const work = () => execute(toolRun, args, memory, limitsHere);
      if (!tool.confirm) return work();
      const { token } = sent;
      const refusal = token === undefined ? await payments.refusalOf(toolRun, args) : undefined;
      return refusal
        ? toolRun.fail(refusal)
        : agree({ toolRun, sent: sent.args, args, token, callContext: context }, work);
    });
  };

  /** Does what was approved after its tool call had ended, if rules and bound arguments still allow exactly that. */
  const runApproved = (approved: AgreementRequest, onFullResult: NewCall['onFullResult']): Promise<ToolResult> => {
    const { tool, context } = approved.toolRun;
    const toolRun = startRun(
      tool,
      { ...approved.callContext, callId: context.callId, signal: undefined, deadline: undefined, onSlow: undefined },
      onFullResult,
    );
    return toolRun.inTime(async () => {
      const checked = await checkToolCall(tool, toolRun.context, approved.sent);
      if ('refusal' in checked) return toolRun.fail(checked.refusal);
      const args = withAgainIn(tool, checked.args, isAgainIn(tool, approved.args));
      const isSame = canonicalJson(args) === canonicalJson(approved.args);
      if (!isSame) return toolRun.fail(failures.notAllowed('approval_expired', tool.effect));
      return execute(toolRun, args, memoryOf(toolRun.context), limitsOf(toolRun.context));
    });
  };

  const execute = async (
    toolRun: ToolRun,
    args: JsonObject,
    memory: Memory,
    limitsHere: PhoneCallLimits,
  ): Promise<ToolResult> => {
    const { tool, context } = toolRun;
    // Taken back, or out of time: the approval may have taken too long.
    if (context.signal.aborted) return toolRun.fail(failures.cancelled(tool.effect));
    if (tool.effect === 'payment') warnOfMemory(store);
    if (tool.effect === 'payment') return payments.run(toolRun, args, limitsHere);
    if (tool.effect === 'read') return toolRun.answer(await toolRun.run(args, context));
    if (tool.again !== undefined) return writeOnce(toolRun, args, limitsHere);
    const idempotentWrites = () => (memory.idempotentWrites ??= createWrites(shared, report));
    return runWrite(toolRun, args, { idempotentWrites, timesDone: memory.timesDone, limits: limitsHere });
  };

  return async ({ tool, args, context, onFullResult }) => {
    const { callId, tenant, toolCallId } = context;
    try {
      if (!callId)
        throw new InvalidArgumentError('callId', 'must be given, by the run or by what the toolbox is bound to');
      if (context.signal?.aborted) return failures.toFailedResult(failures.cancelled(tool.effect));
      assertCallId(callId);
      const memory = memoryOf({ tenant, callId, caller: context.caller ?? unknownCaller });
      const sent = tool.read(args);
      const fingerprint = () => canonicalJson([tool.name, sent]);
      const result = await memory.toolCalls.run({ id: toolCallId, fingerprint, effect: tool.effect }, () =>
        runNew({ tool, sent, context: { ...context, callId }, memory, onFullResult }),
      );
      return result === 'conflict'
        ? failures.toFailedResult(failures.notAllowed('another_call_in_progress', tool.effect))
        : result;
    } catch (error) {
      report(error, { tool: tool.name, callId, toolCallId, tenant });
      return failures.toFailedResult(failures.internalError(tool.effect));
    }
  };
};

/** The limits, in which the payment that is sent counts its tool call too. */
const withToolCall = (limits: PhoneCallLimits) => {
  let isCounted = false;
  const withCall = (counter: LimitCounter): LimitCounter => ({
    ...counter,
    countWrite: () => counter.countToolCall() ?? counter.countWrite(),
  });
  const counting: PhoneCallLimits = (use) => {
    const isFirst = !isCounted;
    isCounted = true;
    return limits((counter) => use(isFirst ? withCall(counter) : counter));
  };
  return { limits: counting, isCounted: () => isCounted };
};

interface NewCall extends Pick<ToolCall, 'tool' | 'onFullResult'> {
  readonly sent: SentArguments;
  readonly context: ToolCallContext & { readonly callId: string };
  readonly memory: Memory;
}

/** The memory of one phone call in this process. */
interface Memory {
  readonly toolCalls: RepeatedCalls;
  idempotentWrites: IdempotentWrites | undefined;
  /** The number of times that a write was done under one tool-call id: a further time is another write. */
  readonly timesDone: Map<string, number>;
}

/** Finds the memory of a phone call. A tool call's result isn't another person's, even if both have one call id. */
const createMemories = (home: object = {}) => {
  const memories = createHomeMemory('tool calls', home, startMemory);
  return ({ tenant, callId, caller }: Pick<ToolContext, 'tenant' | 'callId' | 'caller'>) =>
    memories({ tenant, callId: canonicalJson([callId, personOf({ caller, callId })]) });
};

const startMemory = (): Memory => ({
  toolCalls: createRepeatedCalls(),
  idempotentWrites: undefined,
  timesDone: new Map(),
});

const createWrites = (store: IdempotencyStore | undefined, report: Report): IdempotentWrites =>
  createIdempotentWrites({ shared: store && { store, report: (error) => report(error, { part: 'store' }) } });

interface WriteMemory extends Pick<Memory, 'timesDone'> {
  readonly idempotentWrites: () => IdempotentWrites;
  readonly limits: PhoneCallLimits;
}

/** Does an idempotent write once in a phone call. Any other is another write as soon as the one before is done. */
const runWrite = async (
  toolRun: ToolRun,
  args: JsonObject,
  { idempotentWrites, timesDone, limits }: WriteMemory,
): Promise<ToolResult> => {
  const { tool, context } = toolRun;
  const { tenant, callId, toolCallId } = context;
  const once = tool.idempotent ? null : toolCallId || null;
  const work = canonicalJson([tenant ?? null, callId, personOf(context), tool.name, args, once]);
  const write = async (idempotencyKey: string) => {
    const tooMany = await limits((counter) => counter.countWrite());
    if (tooMany) return toolRun.fail(failures.overLimit(tooMany, tool.effect));
    return toolRun.answer(await toolRun.run(args, toolRun.contextWith({ idempotencyKey })));
  };
  if (tool.idempotent) {
    const key = keyOf(work, 0);
    const end = await idempotentWrites().run(key, () => write(key), { isKept: !tool.looksUp });
    if (end === 'busy') return toolRun.fail(failures.notAllowed('another_call_in_progress', tool.effect));
    return end === 'unavailable' ? toolRun.fail(failures.unavailable('store', tool.effect)) : end;
  }
  const times = timesDone.get(work) ?? 0;
  const result = await write(keyOf(work, times));
  if (result.status === 'done') timesDone.set(work, times + 1);
  return result;
};

/** Two tries of one write have one key, and the write that follows a done one has another. */
const keyOf = (work: string, timesDone: number): string =>
  hash('sha256', timesDone === 0 ? work : `${work} ${timesDone}`, 'hex');
