import type { Clock } from '../clock.ts';
import { deadlineIn } from '../http/deadline.ts';
import { quietly } from '../observability/quietly.ts';
import { maskSecretLooks } from '../observability/secret-looks.ts';
import { maskStackTraces } from '../observability/stack-traces.ts';
import { compact, type ResultBudget } from './compact.ts';
import type { ToolCallContext, ToolContext } from './context.ts';
import { cancelled, type Failure, outOfTime, paymentUnknown, toFailure, unavailable } from './failures.ts';
import { letGoInTime } from './let-go.ts';
import type { ToolResult } from './result.ts';
import type { RunningTool, ToolAnswer } from './run-tool.ts';
import type { Tool } from './tool.ts';

/** Where a defect showed. */
export interface ErrorSite {
  /** Its name; `undefined` where there is no such tool. */
  readonly tool: string | undefined;
  /** The phone call. */
  readonly callId: string | undefined;
  /** The id that the provider gave the tool call. */
  readonly toolCallId: string | undefined;
}

/** One tool call on its way: its context, its time, and how its end becomes a result. */
export interface ToolRun extends RunningTool {
  /** For what comes before the tool's own code; without a key. */
  readonly context: ToolContext;
  /** The context of the tool's own code. */
  contextWith(own: Partial<Pick<ToolContext, 'idempotencyKey' | 'onSettled'>>): ToolContext;
  /** From here on money may move, and letting go does not end the work: `lateEnd` hears its result. */
  becomeOpen(lateEnd: (result: ToolResult) => void): void;
  /** Runs the work within the call's time, and says so when it is slow. */
  inTime(work: () => Promise<ToolResult>): Promise<ToolResult>;
  /** The result of what the tool gave; its defect goes to the application. */
  answer(answer: ToolAnswer, replayed?: boolean): ToolResult;
  fail(failure: Failure): ToolResult;
  report(error: unknown): void;
  /** What the application asked to hear. */
  readonly hooks: Pick<ToolCallContext, 'onSettled' | 'intent'>;
}

export interface ToolRunOptions {
  readonly budgetMs: number;
  readonly budget: ResultBudget;
  readonly clock: Clock;
  readonly report: (error: unknown, site: ErrorSite) => void;
  /** Hears what the tool gave, before it is cut to size. */
  readonly onGiven?: (given: unknown) => void;
}

export const startToolRun = (
  tool: Tool,
  given: ToolCallContext & { readonly callId: string },
  { budgetMs, budget, clock, report, onGiven }: ToolRunOptions,
): ToolRun => {
  const { callId, toolCallId, tenant, caller = nobody, conversationIds = [], signal, deadline = budgetMs } = given;
  const site: ErrorSite = { tool: tool.name, callId, toolCallId };
  const ending = new AbortController();
  const shared = typeof deadline === 'number' ? deadlineIn(deadline, { clock }) : deadline;
  let lateEnd: ((result: ToolResult) => void) | undefined;

  const contextWith: ToolRun['contextWith'] = ({ idempotencyKey, onSettled = () => {} }) => ({
    callId,
    toolCallId,
    tenant,
    caller,
    conversationIds,
    signal: ending.signal,
    deadline: shared,
    idempotencyKey,
    onSettled,
    request: { callId, signal: ending.signal, deadline: shared, idempotencyKey, onSettled },
  });

  const answer: ToolRun['answer'] = ({ status, value, defect, given: whole = value }, replayed = false) => {
    onGiven?.(whole);
    if (defect) report(defect.error, site);
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
      const failure = lateEnd ? { ...paymentUnknown(), isDefect: true } : failureBeforeRun(error);
      if (failure.isDefect) report(error, site);
      return fail(failure);
    }
  };

  /** A rule, or a function that binds an argument, has failed: often because of an API that it asked. */
  const failureBeforeRun = (error: unknown): Failure =>
    toFailure(error, {
      effect: tool.effect,
      argumentNames: Object.keys(tool.parameters.properties),
      isCancelled: signal?.aborted ?? false,
      isBeforeRun: true,
    });

  const sayWhenSlow = () => quietly(() => given.onSlow?.({ tool: tool.name, toolCallId, message: tool.slowMessage }));

  return {
    tool,
    context: contextWith({}),
    contextWith,
    isCancelled: () => signal?.aborted ?? false,
    becomeOpen: (listener) => {
      lateEnd = listener;
    },
    inTime: async (start) => {
      const abort = () => ending.abort(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
      const cancelSlow = given.onSlow ? clock.setTimer(sayWhenSlow, tool.expectedMs) : () => {};
      const work = guarded(start);
      const waited = await letGoInTime(work, { signal, deadline: shared, clock });
      cancelSlow();
      signal?.removeEventListener('abort', abort);
      if (waited.how === 'ended') return waited.value;
      if (lateEnd) void work.then(lateEnd);
      if (waited.how === 'cancelled')
        return fail(lateEnd ? paymentUnknown({ isCancelled: true }) : cancelled(tool.effect));
      ending.abort();
      if (tool.effect === 'payment' && !lateEnd) return fail(unavailable('deadline_exceeded', tool.effect));
      return fail(outOfTime(tool.effect));
    },
    answer,
    fail,
    report: (error) => report(error, site),
    hooks: { onSettled: given.onSettled, intent: given.intent },
  };
};

/** Cut, "it is not known whether it went through" is a plain failure, and a summary comes without its token. */
const roomForFailures = 500;

const nobody = { verified: 'no' } as const;
