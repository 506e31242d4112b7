import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { Json } from '../ports/json.ts';
import { setTimer } from '../timers.ts';
import { canonicalJson } from './arguments.ts';
import { type AgreedWork, type AgreementRequest, turnTag, unknownTurn } from './confirmation.ts';
import { personOf, type ToolContext, type ToolResult, type ToolStatus } from './context.ts';
import { alreadyDone, type Failure, internalError, notAllowed, unavailable, waitingForApproval } from './failures.ts';
import { summaryOf } from './summary.ts';
import { mayRunAgain } from './tool-run.ts';

/** What your application or a colleague says. */
export type Approval = boolean | { readonly approved: boolean; readonly evenAfterTheCall?: boolean };

/**
 * Asked before a tool with `confirm: 'approve'` runs; `summary` says in a sentence what it will do. It may take an hour:
 * after 3 seconds the model reads that a colleague is asked. `evenAfterTheCall` also makes a payment whose caller has
 * hung up meanwhile.
 */
export type Approve = (
  summary: string,
  context: ToolContext & { readonly tool: string },
) => Approval | Promise<Approval>;

export interface ApprovalsOptions {
  /** Where it is kept what was asked, and what came of it. */
  readonly store: IdempotencyStore;
  readonly approve: Approve;
  /** Runs the tool after its tool call has ended. */
  readonly runLate: (request: AgreementRequest) => Promise<ToolResult>;
}

/** Has the application agree to tool calls, and runs each call once however long that takes. */
export interface Approvals {
  /** What came of the same call, or that it waits for its approval; `undefined` where this one would do something. */
  replay(request: AgreementRequest): Promise<ToolResult | undefined>;
  /** Asks, and does the work; or says that the answer is still to come, or what came of it. */
  run(request: AgreementRequest, work: AgreedWork): Promise<ToolResult>;
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

  /** The right to do the work and what is kept of it; or the answer where another call has it. */
  const take = async (key: string, request: AgreementRequest): Promise<Taken | ToolResult> => {
    const { toolRun } = request;
    const claimed = await store.claim(key, { fingerprint: key, leaseMs, retainMs, reopen: true }).catch(toolRun.report);
    if (!claimed) return toolRun.fail(unavailable('idempotency_store', toolRun.tool.effect));
    if (claimed.state === 'in-progress') return wait(key, request);
    if (claimed.state === 'conflict') throw new Error('the idempotency store answered conflict for an approval');
    // With `reopen` every state has one.
    const { claim = '' } = claimed;
    return { key, claim, kept: claimed.state === 'finished' ? readKept(claimed.result) : undefined };
  };

  const run = async (request: AgreementRequest, work: AgreedWork): Promise<ToolResult> => {
    const { toolRun, args } = request;
    const { tool } = toolRun;
    const key = keyOf(request);
    const taken = await take(key, request);
    if ('status' in taken) return taken;
    const { claim, kept } = taken;
    if (kept && !isAnotherWish(kept, request)) return repeat({ key, claim, kept }, request, work);
    const startedAt = performance.now();
    const summary = summaryOf(tool, args, 'colleague');
    const asking = askSafely(() => approve(summary, { ...toolRun.context, tool: tool.name }));
    const early = await within(Math.min(longestSilenceMs, toolRun.context.deadline.remainingMs() / 2), asking);
    if (early) {
      await store.release(key, claim);
      if ('error' in early) throw early.error;
      return early.approved ? work() : toolRun.fail(notAllowed('not_approved', tool.effect));
    }
    waiting.set(key, request);
    void asking
      .then((answer) => finish({ key, claim, answer, isExpired: isExpired(startedAt) }))
      .catch(toolRun.report)
      .finally(() => waiting.delete(key));
    return toolRun.fail(waitingForApproval());
  };

  /** The answer came after the tool call had ended. */
  const finish = async ({ key, claim, answer, isExpired: isTooLate }: LateAnswer): Promise<void> => {
    const request = waiting.get(key);
    if (!request) return;
    const { toolRun, given } = request;
    const { tool, context } = toolRun;
    const deliver = (result: ToolResult) =>
      ignoreErrors(() =>
        given.onSettled?.({
          tool: tool.name,
          callId: context.callId,
          toolCallId: context.toolCallId,
          idempotencyKey: undefined,
          result,
        }),
      );
    const refuse = (failure: Failure) => deliver(toolRun.fail(failure));
    if ('error' in answer) {
      toolRun.report(answer.error);
      await store.release(key, claim);
      return refuse(internalError(tool.effect));
    }
    if (isTooLate) return refuse(notAllowed('approval_expired', tool.effect));
    if (!answer.approved) {
      await store.settle(key, claim, { approved: false, callId: context.callId });
      return refuse(notAllowed('not_approved', tool.effect));
    }
    const isOver = given.signal?.aborted === true || given.hasEnded?.() === true;
    if (isOver && tool.effect === 'payment' && !answer.evenAfterTheCall) {
      // A caller who rings back and asks for it gets it without another approval.
      await store.settle(key, claim, { approved: true });
      return refuse(notAllowed('call_ended', tool.effect));
    }
    const result = await runLate(request);
    await store.settle(key, claim, toKept(result, context.callId)).catch(toolRun.report);
    deliver(result);
  };

  /** The next call of the tool: what came of the first, or the first now, if nothing was done yet. */
  const repeat = async (
    { key, claim, kept }: { readonly key: string; readonly claim: string; readonly kept: Kept },
    { toolRun, given }: AgreementRequest,
    work: AgreedWork,
  ): Promise<ToolResult> => {
    const { tool, context } = toolRun;
    const { approved, result, wasRead = false } = kept;
    const { callId } = context;
    if (!approved) {
      await store.settle(key, claim, { approved, wasRead: true, callId, turn: turnTag(given) });
      return toolRun.fail(notAllowed('not_approved', tool.effect));
    }
    if (result && !leavesWork(kept, tool)) {
      await store.settle(key, claim, toKept(result, callId, true));
      const value = wasRead && result.status === 'done' ? alreadyDone(result.value, tool.effect) : result.value;
      return toolRun.answer({ status: result.status, value, outcome: 'not_sent' }, true);
    }
    let end: Json = { ...kept };
    try {
      const done = await work();
      end = toKept(done, callId, true);
      return done;
    } finally {
      await store.settle(key, claim, end).catch(toolRun.report);
    }
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
      if (known?.state !== 'finished' || wantsWork(readKept(known.result), request)) return undefined;
      const taken = await take(key, request);
      if ('status' in taken) return taken;
      const { claim, kept } = taken;
      if (kept && !wantsWork(kept, request)) return repeat({ key, claim, kept }, request, neverWorks);
      // It has changed meanwhile: the caller has to agree first.
      if (kept) await store.settle(key, claim, { ...kept });
      else await store.release(key, claim);
      return undefined;
    },
    run,
  };
};

/** What a claim gave. */
interface Taken {
  readonly key: string;
  readonly claim: string;
  /** `undefined` where the request is new. */
  readonly kept: Kept | undefined;
}

/** Only what leaves work does any. */
const neverWorks: AgreedWork = () => Promise.reject(new Error('what came of an approval does no work'));

type Answer = Exclude<Approval, boolean> | { readonly error: unknown };

interface LateAnswer {
  readonly key: string;
  readonly claim: string;
  readonly answer: Answer;
  readonly isExpired: boolean;
}

const askSafely = async (ask: () => Approval | Promise<Approval>): Promise<Answer> => {
  try {
    const approval = await ask();
    return typeof approval === 'object' ? approval : { approved: approval };
  } catch (error) {
    return { error };
  }
};

/** The answer, if it comes within this time. */
const within = (ms: number, asking: Promise<Answer>): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    const cancel = setTimer(() => resolve(undefined), ms);
    void asking.then((answer) => {
      cancel();
      resolve(answer);
    });
  });

/** What the store keeps of an answer. */
interface Kept {
  readonly approved: boolean;
  /** Not there where nothing was done. */
  readonly result?: { readonly status: ToolStatus; readonly value: Json };
  /** A model has read it. */
  readonly wasRead?: boolean;
  /** The phone call that it was approved for, or that read it last. */
  readonly callId?: string;
  /** The turn that read a refusal. */
  readonly turn?: string;
}

const toKept = (
  { status, value }: Pick<ToolResult, 'status' | 'value'>,
  callId: string,
  wasRead = false,
): Json & object => ({ approved: true, result: { status, value }, wasRead, callId });

/** Only this file writes under these keys. */
const readKept = (kept: Json): Kept => kept as unknown as Kept;

/**
 * Asked for again later. A refusal counts for the turn that read it. A write that a phone call has read the end of is
 * another one in the next phone call; payments say what counts twice.
 */
const isAnotherWish = (
  { approved, wasRead = false, callId, turn, result }: Kept,
  { toolRun: { tool, context }, given }: AgreementRequest,
): boolean => {
  if (!wasRead) return false;
  const isNextCall = callId !== context.callId;
  if (!approved) return isNextCall || (turnTag(given) !== unknownTurn && turnTag(given) !== turn);
  return isNextCall && tool.effect === 'write' && result?.status !== 'unknown';
};

/** Nothing was done yet, although it was approved. */
const leavesWork = ({ approved, result }: Kept, tool: AgreementRequest['toolRun']['tool']): boolean =>
  approved && (!result || mayRunAgain(tool, result));

const wantsWork = (kept: Kept, request: AgreementRequest): boolean =>
  isAnotherWish(kept, request) || leavesWork(kept, request.toolRun.tool);

const keyOf = ({ toolRun, args, given }: AgreementRequest): string => {
  const { tool, context } = toolRun;
  const what = [context.tenant ?? null, tool.name, args, given.intent ?? null, personOf(context)];
  return `approval:${createHash('sha256').update(canonicalJson(what)).digest('hex')}`;
};

const isExpired = (startedAt: number): boolean => performance.now() - startedAt > leaseMs - longestRunMs;

/** Longer, and the caller thinks that the line is dead. */
const longestSilenceMs = 3_000;

/** How long an approval is waited for. */
const leaseMs = 60 * 60 * 1000;

/** So that answers that never come don't fill the memory. */
const mostWaiting = 10_000;

/** Left for the tool itself. */
const longestRunMs = 60_000;

const retainMs = 24 * 60 * 60 * 1000;
