import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import { setTimer } from '../../core/timers.ts';
import {
  type Held,
  isAnotherWish,
  isAnswered,
  type Kept,
  leavesWork,
  readKept,
  toKept,
  toStored,
  withUsed,
} from './approval-record.ts';
import { canonicalJson } from '../arguments.ts';
import {
  type AgreedWork,
  type AgreementRequest,
  afterExpiryMs,
  type ConfirmationToken,
  leftOf,
  repeated,
  turnTag,
} from './confirmation.ts';
import { type Approval, type Consent, readConsent } from './consent.ts';
import { personOf, type ToolContext, type ToolResult } from '../context.ts';
import { alreadyDone, type Failure, internalError, notAllowed, unavailable, waitingForApproval } from '../failures.ts';
import { summaryOf } from './summary.ts';

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
  run(request: AgreementRequest, work: AgreedWork, confirmed?: Confirmed): Promise<ToolResult>;
}

/** The caller's yes, which counts once: where a colleague has to agree too, its use is kept with what they say. */
export interface Confirmed {
  readonly token: ConfirmationToken;
  /** Asks the caller again. */
  readonly ask: (why: 'confirmation_token_used' | 'caller_has_not_answered') => ToolResult;
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
  const take = async (request: AgreementRequest, claimMs = leaseMs): Promise<Held | ToolResult> => {
    const { toolRun } = request;
    const key = keyOf(request);
    const options = { fingerprint: key, leaseMs: claimMs, retainMs, reopen: true };
    const claimed = await store.claim(key, options).catch(toolRun.reportStore);
    if (!claimed) return toolRun.fail(unavailable('idempotency_store', toolRun.tool.effect));
    if (claimed.state === 'in-progress') return wait(key, request);
    if (claimed.state === 'conflict') throw new Error('the idempotency store answered conflict for an approval');
    // With `reopen` every state has one.
    const { claim = '' } = claimed;
    if (claimed.state === 'finished') return { key, claim, ...readKept(claimed.result) };
    return { key, claim, ...readKept(claimed.state === 'unknown' ? claimed.note : {}) };
  };

  /** Ends the claim with what came of it; without that only the used tokens are kept. */
  const put = async ({ key, claim, used }: Held, kept?: Kept): Promise<void> => {
    const fresh = used.filter(({ expiresAt }) => Date.now() <= expiresAt);
    if (kept || fresh.length > 0) await store.settle(key, claim, toStored(kept, fresh));
    else await store.release(key, claim);
  };

  /** Why the caller's yes doesn't count. */
  const refuseToken = async (
    held: Held,
    { toolRun }: AgreementRequest,
    { token, ask }: Confirmed,
  ): Promise<ToolResult | undefined> => {
    const { kept, used } = held;
    const use = used.find(({ id }) => id === token.id);
    if (use) {
      await put(held, kept);
      return use.left === null ? ask('confirmation_token_used') : repeated(use.left, toolRun);
    }
    if (token.isLater) return undefined;
    await put(withUsed(held, token, null), kept);
    return ask('caller_has_not_answered');
  };

  /** Marks the token as used with what came of it. */
  const spend = async (
    held: Held,
    { toolRun }: AgreementRequest,
    token: ConfirmationToken,
    work: AgreedWork,
  ): Promise<ToolResult> => {
    let result: ToolResult | undefined;
    try {
      result = await work();
      return result;
    } finally {
      const left = leftOf(result, toolRun);
      await put(left === undefined ? held : withUsed(held, token, left)).catch(toolRun.reportStore);
    }
  };

  const run: Approvals['run'] = async (request, work, confirmed) => {
    const { toolRun } = request;
    const { tool } = toolRun;
    const token = confirmed?.token;
    // After a crash the key is free again once the token has expired.
    const held = await take(request, token && token.expiresAt - Date.now() + afterExpiryMs);
    if ('status' in held) return held;
    const { kept } = held;
    if (confirmed && !(kept && isAnswered(kept, request))) {
      const refusal = await refuseToken(held, request, confirmed);
      if (refusal) return refusal;
    }
    if (kept && !isAnotherWish(kept, request)) return repeat(held, kept, request, work);
    const startedAt = performance.now();
    const asking = askSafely(approve, request);
    const early = await within(Math.min(longestSilenceMs, toolRun.context.deadline.remainingMs() / 2), asking);
    if (early) {
      const answered = async () => {
        if ('error' in early) throw early.error;
        return early.approved ? work() : toolRun.fail(notAllowed('not_approved', tool.effect));
      };
      if (token) return spend(held, request, token, answered);
      await put(held);
      return answered();
    }
    const note = toStored(undefined, held.used);
    const isHeld = !token || (await store.renew(held.key, held.claim, { leaseMs, note }).catch(toolRun.reportStore));
    if (!isHeld) return toolRun.fail(unavailable('idempotency_store', tool.effect));
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
      await put(held);
      return refuse(internalError(tool.effect));
    }
    if (isTooLate) return refuse(notAllowed('approval_expired', tool.effect));
    if (!answer.approved) {
      await put(held, { approved: false, callId: context.callId });
      return refuse(notAllowed('not_approved', tool.effect));
    }
    const isOver = given.signal?.aborted === true || hasEnded(request);
    if (isOver && tool.effect === 'payment' && !answer.evenAfterTheCall) {
      // A caller who rings back and asks for it gets it without another approval.
      await put(held, { approved: true });
      return refuse(notAllowed('call_ended', tool.effect));
    }
    const result = await runLate(request);
    await put(held, toKept(result, context.callId)).catch(toolRun.reportStore);
    deliver(result);
  };

  /** The next call of the tool: what came of the first, or the first now, if nothing was done yet. */
  const repeat = async (
    held: Held,
    kept: Kept,
    { toolRun, given }: AgreementRequest,
    work: AgreedWork,
  ): Promise<ToolResult> => {
    const { tool, context } = toolRun;
    const { approved, result, wasRead = false } = kept;
    const { callId } = context;
    if (!approved) {
      await put(held, { approved, wasRead: true, callId, turn: turnTag(given) });
      return toolRun.fail(notAllowed('not_approved', tool.effect));
    }
    if (result && !leavesWork(kept, tool)) {
      await put(held, toKept(result, callId, true));
      const value = wasRead && result.status === 'done' ? alreadyDone(result.value, tool.effect) : result.value;
      return toolRun.answer({ status: result.status, value, outcome: 'not_sent' }, true);
    }
    let end = kept;
    try {
      const done = await work();
      end = toKept(done, callId, true);
      return done;
    } finally {
      await put(held, end).catch(toolRun.reportStore);
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
      const { kept: before } = readKept(known?.state === 'finished' ? known.result : {});
      if (!before || !isAnswered(before, request)) return undefined;
      const held = await take(request);
      if ('status' in held) return held;
      const { kept } = held;
      if (kept && isAnswered(kept, request)) return repeat(held, kept, request, neverWorks);
      // It has changed meanwhile: the caller has to agree first.
      await put(held, kept);
      return undefined;
    },
    run,
  };
};

/** Only what leaves work does any. */
const neverWorks: AgreedWork = () => Promise.reject(new Error('what came of an approval does no work'));

type Answer = Consent | { readonly error: unknown };

const askSafely = async (approve: Approve, { toolRun, args }: AgreementRequest): Promise<Answer> => {
  const { tool, context, report } = toolRun;
  try {
    const said = await approve(summaryOf(tool, args, 'colleague'), { ...context, tool: tool.name });
    return readConsent(said, { field: 'approve', tool: tool.name, report });
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

/** A payment isn't made unless the phone call certainly goes on. */
const hasEnded = ({ given, toolRun }: AgreementRequest): boolean => {
  try {
    const said: unknown = given.hasEnded ? given.hasEnded() : false;
    return said !== false;
  } catch (error) {
    toolRun.report(error);
    return true;
  }
};

const keyOf = ({ toolRun, args, given }: AgreementRequest): string => {
  const { tool, context } = toolRun;
  const what = [context.tenant ?? null, tool.name, args, given.intent ?? null, personOf(context)];
  return `approval:${hash('sha256', canonicalJson(what), 'hex')}`;
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
