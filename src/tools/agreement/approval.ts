import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { Claim, IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { Json, JsonObject } from '../../stores/ports/json.ts';
import { settleWithin } from '../../core/timers.ts';
import { canonicalJson } from '../arguments.ts';
import { type AgreedWork, type AgreementRequest, turnTag, unknownTurn } from './confirmation.ts';
import { type Approval, hasAgreed, summaryOf } from './consent.ts';
import { personOf, type ToolContext, type ToolResult, type ToolStatus } from '../context.ts';
import { alreadyDone, type Failure, internalError, notAllowed, unavailable, waitingForApproval } from '../failures.ts';
import { mayRunAgain } from '../tool-run.ts';

/**
 * Asked before a tool with `confirm: 'approve'` runs; `summary` is one sentence, and `args` has all arguments, those that
 * you bind included. The answer may take an hour: after 3 seconds the model reads that a colleague is asked. A payment isn't made if its caller has hung up meanwhile.
 */
export type Approve = (
  summary: string,
  context: ToolContext & { readonly tool: string; readonly args: JsonObject },
) => Approval | Promise<Approval>;

export interface ApprovalsOptions {
  /** The store of questions and answers. */
  readonly store: IdempotencyStore;
  readonly approve: Approve;
  /** Runs the tool after its tool call has ended. */
  readonly runLate: (request: AgreementRequest) => Promise<ToolResult>;
}

/** Has the application agree to tool calls, and runs each call once however long that takes. */
export interface Approvals {
  /**
   * Returns the result of the same call, or that it waits for its approval. `undefined`: this call would do something.
   */
  replay(request: AgreementRequest): Promise<ToolResult | undefined>;
  /** Asks, and does the work; or answers that a colleague is asked, or with the earlier result. */
  run(request: AgreementRequest, work: AgreedWork): Promise<ToolResult>;
}

/** The right to do the work, and the stored answer; without one the request is new. */
interface Held {
  readonly key: string;
  readonly kept: Kept | undefined;
  /** Ends the claim, and stores the answer if there's one. */
  readonly put: (kept?: Kept) => Promise<void>;
}

/** The stored answer of a colleague. */
interface Kept {
  readonly approved: boolean;
  /** Absent if nothing was done. */
  readonly result?: { readonly status: ToolStatus; readonly value: Json };
  /** A model has read it. */
  readonly wasRead?: boolean;
  /** The phone call that it was approved for, or that read it last. */
  readonly callId?: string;
  /** The turn that read a refusal. */
  readonly turn?: string;
}

/**
 * The same call of the same caller is one request, in all phone calls and processes that share the store. While it is
 * asked, its key is claimed; then the key holds what came of it.
 */
export const createApprovals = ({ store, approve, runLate }: ApprovalsOptions): Approvals => {
  /** The last one who asked, by key: a caller who rings back is on the phone again. */
  const waiting = new LRUCache<string, AgreementRequest>({ maxSize: mostWaiting, sizeCalculation: () => 1 });

  const wait = (key: string, request: AgreementRequest): ToolResult => {
    if (waiting.has(key)) waiting.set(key, request);
    return request.toolRun.fail(waitingForApproval());
  };

  /** Claims the right to do the work. Returns a result instead if another call has it, or the store fails. */
  const take = async (request: AgreementRequest): Promise<Held | ToolResult> => {
    const { toolRun } = request;
    const key = keyOf(request);
    const claimed = await store
      .claim(key, { fingerprint: key, leaseMs, retainMs, reopen: true })
      .catch(toolRun.reportStore);
    if (!claimed) return toolRun.fail(unavailable('store', toolRun.tool.effect));
    if (claimed.state === 'in-progress') return wait(key, request);
    if (claimed.state === 'conflict') throw new Error('the idempotency store answered conflict for an approval');
    return heldOf(store, key, claimed);
  };

  const run: Approvals['run'] = async (request, work) => {
    const { toolRun } = request;
    const { tool } = toolRun;
    const held = await take(request);
    if ('status' in held) return held;
    const { kept } = held;
    if (kept && !isNewRequest(kept, request)) return repeat(held, kept, request, work);
    const startedAt = performance.now();
    const asking = askSafely(approve, request);
    const deadline = Math.min(longestSilenceMs, toolRun.context.deadline.remainingMs() / 2);
    const early = await settleWithin(asking, { deadline }).catch(() => undefined);
    if (early) {
      await held.put();
      if ('error' in early) throw early.error;
      return early.approved ? work() : toolRun.fail(notAllowed('not_approved', tool.effect));
    }
    waiting.set(held.key, request);
    void asking
      .then((answer) => finish(held, answer, isExpired(startedAt)))
      .catch(toolRun.reportStore)
      .finally(() => waiting.delete(held.key));
    return toolRun.fail(waitingForApproval());
  };

  /** The answer came after the tool call had ended. */
  const finish = async (held: Held, answer: Answer, isTooLate: boolean): Promise<void> => {
    const request = waiting.get(held.key);
    if (!request) return;
    const { toolRun, callContext } = request;
    const { tool, context } = toolRun;
    const refuse = (failure: Failure) => deliver(request, toolRun.fail(failure));
    if ('error' in answer) {
      toolRun.report(answer.error);
      await held.put();
      return refuse(internalError(tool.effect));
    }
    if (isTooLate) return refuse(notAllowed('approval_expired', tool.effect));
    if (!answer.approved) {
      await held.put({ approved: false, callId: context.callId });
      return refuse(notAllowed('not_approved', tool.effect));
    }
    const isOver = callContext.signal?.aborted === true || hasEnded(request);
    if (isOver && tool.effect === 'payment') {
      // A caller who rings back and asks for it gets it without another approval.
      await held.put({ approved: true });
      return refuse(notAllowed('call_ended', tool.effect));
    }
    const result = await runLate(request);
    await held.put(toKept(result, context.callId)).catch(toolRun.reportStore);
    deliver(request, result);
  };

  return {
    replay: async (request) => {
      const { toolRun } = request;
      const key = keyOf(request);
      const known = await store.read(key);
      // What another phone call waits for stays with it: this one needs a yes of its own.
      if (known?.state === 'in-progress')
        return waiting.get(key)?.toolRun.context.callId === toolRun.context.callId
          ? wait(key, request)
          : toolRun.fail(waitingForApproval());
      const before = known?.state === 'finished' ? readKept(known.result) : undefined;
      if (!before || !isAnswered(before, request)) return undefined;
      const held = await take(request);
      if ('status' in held) return held;
      const { kept } = held;
      if (kept && isAnswered(kept, request)) return repeat(held, kept, request, noWork);
      // It has changed meanwhile: the caller has to agree first.
      await held.put(kept);
      return undefined;
    },
    run,
  };
};

const heldOf = (
  store: IdempotencyStore,
  key: string,
  claimed: Exclude<Claim, { state: 'in-progress' | 'conflict' }>,
): Held => {
  // With `reopen` every state has one.
  const { claim = '' } = claimed;
  return {
    key,
    kept: claimed.state === 'finished' ? readKept(claimed.result) : undefined,
    put: async (kept) => {
      if (kept) await store.settle(key, claim, toStored(kept));
      else await store.release(key, claim);
    },
  };
};

/** Gives the application a result that came after its tool call had ended. */
const deliver = ({ toolRun: { tool, context }, callContext }: AgreementRequest, result: ToolResult): void => {
  const { callId, toolCallId } = context;
  ignoreErrors(() =>
    callContext.onSettled?.({ tool: tool.name, callId, toolCallId, idempotencyKey: undefined, result }),
  );
};

/** Answers the next call with the first one's result, or does the work now if nothing was done yet. */
const repeat = async (
  held: Held,
  kept: Kept,
  { toolRun, callContext }: AgreementRequest,
  work: AgreedWork,
): Promise<ToolResult> => {
  const { tool, context } = toolRun;
  const { approved, result, wasRead = false } = kept;
  const { callId } = context;
  if (!approved) {
    await held.put({ approved, wasRead: true, callId, turn: turnTag(callContext) });
    return toolRun.fail(notAllowed('not_approved', tool.effect));
  }
  if (result && !leavesWork(kept, tool)) {
    await held.put(toKept(result, callId, true));
    const value = wasRead && result.status === 'done' ? alreadyDone(result.value, tool) : result.value;
    return toolRun.answer({ status: result.status, value, outcome: 'not_sent' }, true);
  }
  let end = kept;
  try {
    const done = await work();
    end = toKept(done, callId, true);
    return done;
  } finally {
    await held.put(end).catch(toolRun.reportStore);
  }
};

const noWork: AgreedWork = () => Promise.reject(new Error('a stored answer needs no work'));

/** Made of JSON alone. */
const toStored = (kept: Kept): Json => kept as object as Json & object;

/** Only this file writes under these keys. */
const readKept = (stored: Json): Kept => stored as object as Kept;

const toKept = ({ status, value }: Pick<ToolResult, 'status' | 'value'>, callId: string, wasRead = false): Kept => ({
  approved: true,
  result: { status, value },
  wasRead,
  callId,
});

/**
 * Asked for again later. A refusal counts for the turn that read it. A write whose end a phone call has read is another
 * one in the next phone call; payments decide by themselves which count twice.
 */
const isNewRequest = (
  { approved, wasRead = false, callId, turn, result }: Kept,
  { toolRun: { tool, context }, callContext }: AgreementRequest,
): boolean => {
  if (!wasRead) return false;
  const isNextCall = callId !== context.callId;
  if (!approved) return isNextCall || (turnTag(callContext) !== unknownTurn && turnTag(callContext) !== turn);
  return isNextCall && tool.effect === 'write' && result?.status !== 'unknown';
};

/** Approved, and not done yet. */
const leavesWork = ({ approved, result }: Kept, tool: AgreementRequest['toolRun']['tool']): boolean =>
  approved && (!result || mayRunAgain(tool, result));

/** The stored answer is the result of the request, and nothing is done. */
const isAnswered = (kept: Kept, request: AgreementRequest): boolean =>
  !isNewRequest(kept, request) && !leavesWork(kept, request.toolRun.tool);

type Answer = { readonly approved: boolean } | { readonly error: unknown };

const askSafely = async (approve: Approve, { toolRun, args }: AgreementRequest): Promise<Answer> => {
  const { tool, context, report } = toolRun;
  try {
    const answer = await approve(summaryOf(tool, args, 'colleague'), { ...context, tool: tool.name, args });
    return { approved: hasAgreed(answer, { field: 'approve', tool: tool.name, report }) };
  } catch (error) {
    return { error };
  }
};

/** A payment isn't made unless the phone call certainly goes on. */
const hasEnded = ({ callContext, toolRun }: AgreementRequest): boolean => {
  try {
    const isOver: unknown = callContext.hasEnded ? callContext.hasEnded() : false;
    return isOver !== false;
  } catch (error) {
    toolRun.report(error);
    return true;
  }
};

const keyOf = ({ toolRun, args, callContext }: AgreementRequest): string => {
  const { tool, context } = toolRun;
  const what = [context.tenant ?? null, tool.name, args, callContext.intent ?? null, personOf(context)];
  return `approval:${hash('sha256', canonicalJson(what), 'hex')}`;
};

const isExpired = (startedAt: number): boolean => performance.now() - startedAt > leaseMs - longestRunMs;

/** Longer, and the caller thinks that the line is dead. */
const longestSilenceMs = 3_000;

/** The longest wait for an approval. */
const leaseMs = 60 * 60 * 1000;

/** So that answers that never come don't fill the memory. */
const mostWaiting = 10_000;

/** Left for the tool itself. */
const longestRunMs = 60_000;

const retainMs = 24 * 60 * 60 * 1000;
