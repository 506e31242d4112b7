import { isUnkeyed } from '../billing/own/unkeyed.ts';
import { ClientError, DeadlineExceededError, IntegrationError, InvalidArgumentError } from '../core/errors.ts';
import { type Deadline, deadlineIn } from '../http/deadline.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { maskSecretLooks, maskStackTraces } from '../observability/redaction/secrets.ts';
import type { JsonObject } from '../stores/ports/json.ts';
import { setTimer, settleWithin } from '../core/timers.ts';
import { isRefusal } from './arguments.ts';
import { compact, type ResultBudget } from './compact.ts';
import type { ToolCallContext, ToolContext, ToolResult, ToolStatus } from './context.ts';
import {
  cancelled,
  cancelledOnTheWay,
  type Failure,
  internalError,
  outOfTime,
  paymentUnknown,
  refusedByTool,
  toFailure,
  unavailable,
  unknownAnswerOf,
  writeUnknown,
} from './failures.ts';
import type { ErrorSite, Report } from './on-error.ts';
import type { PaymentEnd } from './payments/payment-tries.ts';
import type { Tool, WorkOutcome } from './tool.ts';
import { endInWord } from '../billing/payment-outcome.ts';

/** One tool call on its way: its context, its time, and how its end becomes a result. */
export interface ToolRun {
  readonly tool: Tool;
  /** For what comes before the tool's own code; without a key. */
  readonly context: ToolContext;
  /** The context of the tool's own code. */
  contextWith(own: Partial<Pick<ToolContext, 'idempotencyKey' | 'onSettled'>>): ToolContext;
  /** Runs the tool's own code; what it throws becomes data. Never rejects. */
  run(args: JsonObject, context: ToolContext): Promise<ToolAnswer>;
  /** From here on money may move, and the work goes on after the time is up: `onLateResult` gets its result. */
  markIrrevocable(onLateResult: (result: ToolResult) => void): void;
  /** Runs the work within the call's time, and says so when it is slow. */
  inTime(work: () => Promise<ToolResult>): Promise<ToolResult>;
  /** The result of what the tool gave; what went wrong goes to the application. */
  answer(answer: ToolAnswer, replayed?: boolean): ToolResult;
  fail(failure: Failure): ToolResult;
  /** Returns what an error means as long as the tool's own code has done nothing. Reports it. */
  failureBeforeRun(error: unknown): Failure;
  report(error: unknown): void;
  /** The same for an error of the store. */
  reportStore(error: unknown): void;
  /** The application's callbacks and intent. */
  readonly hooks: Pick<ToolCallContext, 'onSettled' | 'intent' | 'turn' | 'exchange'>;
}

/** The result of a tool's code, before it's cut to size. */
export interface ToolAnswer {
  readonly status: ToolStatus;
  readonly value: unknown;
  /** The end of its effect, as far as known. */
  readonly outcome: PaymentEnd['outcome'];
  /** All that the tool gave, where `value` is what the model reads of it. */
  readonly fullResult?: unknown;
  /** The error, if the application can act on it. */
  readonly problem?: { readonly error: unknown } | undefined;
  /** A payment that may have been made without its key. */
  readonly isUnkeyed?: boolean | undefined;
}

export interface ToolRunOptions {
  readonly deadlineMs: number;
  readonly budget: ResultBudget;
  readonly report: Report;
  /** Gets what the tool gave, before it is cut to size. */
  readonly onFullResult: ((result: unknown) => void) | undefined;
}

export const startToolRun = (tool: Tool, callContext: StartingContext, options: ToolRunOptions): ToolRun => {
  const { deadlineMs, budget, onFullResult } = options;
  const { callId, toolCallId, tenant, signal } = callContext;
  const site: ErrorSite = { tool: tool.name, callId, toolCallId, tenant };
  const report: ToolRun['report'] = (error) => options.report(error, site);
  const ending = new AbortController();
  const { deadline: wanted = deadlineMs } = callContext;
  const deadline = typeof wanted === 'number' ? deadlineIn(wanted) : wanted;
  let onLate: ((result: ToolResult) => void) | undefined;
  let hasBegun = false;
  const facts = { effect: tool.effect, idempotent: tool.idempotent, isRefund: isRefund(tool) };

  const contextWith = contextMaker(callContext, { signal: ending.signal, deadline });

  const isCancelled = () => signal?.aborted ?? false;

  const answer: ToolRun['answer'] = ({ status, value, problem, fullResult }, replayed = false) => {
    if (fullResult !== undefined) onFullResult?.(fullResult);
    // What ended because the time was up has been reported as that.
    if (problem && !(ending.signal.aborted && problem.error === ending.signal.reason)) report(problem.error);
    const own = tool.maxChars ?? budget.maxChars;
    const maxChars = own !== undefined && status !== 'done' ? Math.max(own, roomForFailures) : own;
    // What isn't a result may be in the words of others.
    const mask = status === 'done' ? undefined : (text: string) => maskStackTraces(maskSecretLooks(text));
    return { status, ...compact(value, { ...budget, maxChars, mask }), replayed };
  };
  const fail: ToolRun['fail'] = ({ status, value }) => answer({ status, value, outcome: 'not_sent' });

  const guarded = async (work: () => Promise<ToolResult>): Promise<ToolResult> => {
    try {
      return await work();
    } catch (error) {
      if (!onLate && !hasBegun) return fail(failureBeforeRun(error));
      report(error);
      if (onLate) return fail(paymentUnknown(facts));
      return fail(tool.effect === 'read' ? internalError(tool.effect) : writeUnknown(tool.effect));
    }
  };

  /** A rule, or a function that binds an argument, has failed: often because of an API that it asked. */
  const failureBeforeRun: ToolRun['failureBeforeRun'] = (error) => {
    const failure = toFailure(error, {
      effect: tool.effect,
      idempotent: tool.idempotent,
      argumentNames: Object.keys(tool.parameters.properties),
      isCancelled: isCancelled(),
      isBeforeRun: true,
    });
    if (failure.isReported) report(error);
    return failure;
  };

  const emitSlow = () =>
    ignoreErrors(() => callContext.onSlow?.({ tool: tool.name, toolCallId, message: tool.slowMessage }));

  return {
    tool,
    context: contextWith({}),
    contextWith,
    run: async (args, context) => {
      hasBegun = true;
      try {
        return toAnswer(tool, args, await tool.options.run(args, context), isCancelled());
      } catch (error) {
        return toErrorAnswer(tool, error, isCancelled());
      }
    },
    markIrrevocable: (onLateResult) => {
      onLate = onLateResult;
    },
    inTime: async (start) => {
      const abort = () => ending.abort(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
      const cancelSlow = callContext.onSlow ? setTimer(emitSlow, tool.expectedMs) : () => {};
      const work = guarded(start);
      const { result, isLate } = await waitFor(work, { signal, deadline });
      cancelSlow();
      signal?.removeEventListener('abort', abort);
      if (result) return result;
      if (onLate) void work.then(onLate);
      if (!isLate && onLate) return fail(paymentUnknown(facts, { isCancelled: true }));
      if (!isLate) return fail(hasBegun ? cancelledOnTheWay(tool.effect) : cancelled(tool.effect));
      const late = new DeadlineExceededError(`${tool.name} was not done when its time was up`, {
        operation: `tools.${tool.name}`,
      });
      ending.abort(late);
      report(late);
      if (tool.effect === 'payment' && !onLate) return fail(unavailable('deadline_exceeded', tool.effect));
      return fail(outOfTime(facts));
    },
    answer,
    fail,
    failureBeforeRun,
    report,
    reportStore: (error) => options.report(error, { ...site, part: 'store' }),
    hooks: callContext,
  };
};

/** Makes the contexts of the tool's own code. */
const contextMaker =
  (
    { callId, toolCallId, tenant, caller = unknownCaller, conversationIds = [] }: StartingContext,
    { signal, deadline }: Pick<ToolContext, 'signal' | 'deadline'>,
  ): ToolRun['contextWith'] =>
  ({ idempotencyKey, onSettled = () => {} }) => ({
    callId,
    toolCallId,
    tenant,
    caller,
    conversationIds,
    signal,
    deadline,
    idempotencyKey,
    onSettled,
    request: { callId, signal, deadline, idempotencyKey, onSettled },
  });

type StartingContext = ToolCallContext & { readonly callId: string };

/** Cut, "it is not known whether it went through" is a plain failure, and a summary comes without its token. */
const roomForFailures = 500;

/** Returns whether the same call may do its work now: nothing was done, or doing it twice does it once. */
export const mayRunAgain = ({ idempotent }: Tool, { status }: Pick<ToolResult, 'status'>): boolean =>
  status === 'failed' || (status === 'unknown' && idempotent);

export const unknownCaller = { verified: 'no' } as const;

/** The answer that a result of the tool's code means. */
export const toAnswer = (tool: Tool, args: JsonObject, result: unknown, isCancelled = false): ToolAnswer => {
  const { effect, options } = tool;
  if (isRefusal(result)) return { ...valueOf(refusedByTool(result.refusal, effect)), outcome: 'not_sent' };
  const { outcome, problem } = readOutcome(tool, result);
  if (outcome === 'unknown' && effect === 'payment') {
    const { cause }: { readonly cause?: unknown } = Object(result);
    const failure = cause === undefined ? undefined : toErrorAnswer(tool, cause, isCancelled);
    let words: string | undefined;
    let wordless: ToolAnswer['problem'];
    try {
      words = options.wordsSoFar?.(result);
    } catch (error) {
      wordless = { error };
    }
    const idempotent = tool.idempotent && !isUnkeyed(cause);
    const value = valueOf(paymentUnknown({ idempotent, isRefund: isRefund(tool) }, { isCancelled, words }));
    return { ...value, outcome, problem: failure?.problem ?? problem ?? wordless, isUnkeyed: isUnkeyed(cause) };
  }
  const end = outcome === 'refused' ? 'declined' : outcome;
  try {
    const value = options.compact ? options.compact(result, args) : result;
    const told = outcome === 'unknown' && effect === 'write' ? unknownAnswerOf(value) : value;
    return { status: outcome, value: told, fullResult: result, outcome: end, problem };
  } catch (error) {
    if (effect === 'read') throw error;
    // The work is done, whatever there is to say about it.
    const value = effect === 'payment' ? { success: outcome === 'done' } : { done: true };
    return { status: outcome, value, fullResult: result, outcome: end, problem: { error } };
  }
};

/** Reads the end of the work. If reading fails, the end is unknown. */
const readOutcome = ({ name, effect, options }: Tool, result: unknown): ReadOutcome => {
  try {
    if (!options.outcome) return effect === 'payment' ? outcomeIn(name, result) : { outcome: 'done' };
    const outcome = options.outcome(result);
    return outcomes.includes(outcome) ? { outcome } : { outcome: 'unknown', problem: { error: wrongOutcome(name) } };
  } catch (error) {
    return { outcome: 'unknown', problem: { error } };
  }
};

const outcomes: readonly WorkOutcome[] = ['done', 'refused', 'unknown'];

const wrongOutcome = (tool: string) =>
  new InvalidArgumentError(
    'outcome',
    `of ${tool} must return 'done', 'refused' or 'unknown': the end counts as unknown`,
  );

/** The answer that an error of the tool's code means. */
export const toErrorAnswer = (tool: Tool, error: unknown, isCancelled = false): ToolAnswer => {
  const { effect } = tool;
  const argumentNames = Object.keys(tool.parameters.properties);
  const idempotent = tool.idempotent && !isUnkeyed(error);
  const failure = toFailure(error, { effect, idempotent, isRefund: isRefund(tool), argumentNames, isCancelled });
  const problem = failure.isReported ? { error } : undefined;
  return { ...valueOf(failure), outcome: outcomeOf(error), problem, isUnkeyed: isUnkeyed(error) };
};

/** Returns whether a payment tool gives money back. */
export const isRefund = ({ options }: Pick<Tool, 'options'>): boolean => options.refundOf !== undefined;

const valueOf = ({ status, value }: Failure) => ({ status, value });

/** A refusal for coming too often says nothing about the payment, so that the same try can be sent again. */
const outcomeOf = (error: unknown): PaymentEnd['outcome'] => {
  if (!(error instanceof IntegrationError) || error.outcome === 'unknown') return 'unknown';
  return error.outcome === 'rejected' && error instanceof ClientError ? 'rejected' : 'not_sent';
};

/**
 * Waits for work until its deadline passes or its signal aborts, even if it listens to neither. Both leave it a moment to
 * end by itself; without a result it had none. The work must not reject.
 */
const waitFor = async <Value>(
  work: Promise<Value>,
  { signal, deadline }: { readonly signal: AbortSignal | undefined; readonly deadline: Deadline },
): Promise<{ readonly result: Value | undefined; readonly isLate: boolean }> => {
  let isLate = false;
  const inTime = settleWithin(work, {
    signal,
    deadline: deadline.remainingMs() + graceAfterDeadlineMs,
    late: () => (isLate = true),
  });
  const result = await inTime
    .catch(() => (isLate ? undefined : settleWithin(work, { deadline: graceAfterAbortMs })))
    .catch(() => undefined);
  return { result, isLate };
};

const graceAfterAbortMs = 50;
const graceAfterDeadlineMs = 250;

/** The end of a payment, and a problem that the application should know. */
interface ReadOutcome {
  readonly outcome: WorkOutcome;
  readonly problem?: { readonly error: unknown } | undefined;
}

/**
 * Reads how a payment ended from what its tool returned, where the tool has no `outcome`. Only what says nothing against
 * it is `done`: the same payment would be "already paid" from then on.
 */
const outcomeIn = (tool: string, result: unknown): ReadOutcome => {
  const { success, ok, status, outcome }: { readonly [name: string]: unknown } = Object(result);
  const end = typeof status === 'string' ? endInWord(status) : undefined;
  if (end === 'refused' || (success === false && (outcome === 'rejected' || outcome === 'not_sent')))
    return { outcome: 'refused' };
  if (end === 'pending') return { outcome: 'unknown' };
  if (success !== false && ok !== false && !(result instanceof Error)) return { outcome: 'done' };
  const isKnown = outcome === 'unknown';
  return { outcome: 'unknown', problem: isKnown ? undefined : { error: missingOutcome(tool, result) } };
};

const missingOutcome = (tool: string, result: unknown) =>
  new InvalidArgumentError(
    'outcome',
    `of ${tool} is needed, since its run returned a failure: say if the money can have moved, or return refused(…)`,
    { cause: result instanceof Error ? result : undefined },
  );
