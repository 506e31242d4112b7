import { dayMs } from '../core/timers.ts';
import type { Json, JsonObject } from '../stores/ports/json.ts';
import { isLater, turnAndAnswer } from './agreement/confirmation.ts';
import { certainPerson, type ToolResult, type ToolStatus } from './context.ts';
import { alreadyDone, cancelled, type Failure, overLimit, unavailable, writeUnknown } from './failures.ts';
import type { PhoneCallLimits } from './limits.ts';
import type { GuardedEnd, GuardedPayment, PaymentGuard, SendingPayment } from './payments/payment-guard.ts';
import type { PaymentEnd } from './payments/payment-tries.ts';
import type { Tool } from './tool.ts';
import type { ToolAnswer, ToolRun } from './tool-run.ts';

/** Does a write once in all phone calls and processes that share the store. The guard of payments decides. */
export type WriteOnce = (toolRun: ToolRun, args: JsonObject, limits: PhoneCallLimits) => Promise<ToolResult>;

export const createWriteOnce =
  (guard: PaymentGuard): WriteOnce =>
  async (toolRun, args, limits) => {
    const write = await writeOf(guard, toolRun, args);
    const { send, ownResult } = createSender(toolRun, withAgainIn(toolRun.tool, args, false), limits);
    try {
      const end = await guard.pay(write, send);
      return ownResult(end) ?? answerOf(toolRun, end);
    } catch (error) {
      toolRun.reportStore(error);
      return toolRun.fail(unavailable('store', toolRun.tool.effect));
    }
  };

/** The arguments, with the word that a second time is meant: a person who agrees has to agree to that. */
export const withAgainIn = ({ again }: Tool, args: JsonObject, isAgain: boolean): JsonObject => {
  if (again === undefined) return args;
  const others = Object.entries(args).filter(([name]) => name !== again);
  return Object.fromEntries(isAgain ? [...others, [again, true]] : others);
};

export const isAgainIn = ({ again }: Tool, args: JsonObject): boolean => again !== undefined && args[again] === true;

/** The write belongs to the person who certainly calls; else to the phone call, also if that becomes certain later. */
const writeOf = async (guard: PaymentGuard, toolRun: ToolRun, args: JsonObject): Promise<GuardedPayment> => {
  const { caller, callId } = toolRun.context;
  const ofCall = writeBy(toolRun, args, { callId });
  const person = certainPerson(caller);
  return person === undefined || (await guard.isKnown(ofCall)) ? ofCall : writeBy(toolRun, args, { person });
};

const writeBy = ({ tool, context, hooks }: ToolRun, args: JsonObject, whose: Json): GuardedPayment => {
  const { callId, tenant, deadline, signal } = context;
  /** A second time counts only in the phone call that learned of the first, once the caller can have answered. */
  const isMeant = (told: Json | undefined) => {
    // Only `told` writes it.
    const before = told as Told | undefined;
    return isAgainIn(tool, args) && before?.callId === callId && isLater(before, hooks);
  };
  return {
    tenant,
    tool: tool.name,
    what: ['write', withAgainIn(tool, args, false), whose],
    by: null,
    intent: hooks.intent,
    callId,
    deadline,
    signal,
    windowMs: dayMs,
    keptMs: dayMs,
    isUnkeyed: !tool.idempotent,
    unknownAnswer: () => toStored(writeUnknown(tool.effect, tool.idempotent ? undefined : tool.again)),
    note: () => ({ sentAt: Date.now() }),
    told: () => ({ callId, issuedAt: Date.now(), tag: turnAndAnswer(hooks) }) satisfies Told,
    mayRepeat: (_note, told) => isMeant(told),
    mayLeave: ({ note, told }) => isOld(note) || (!tool.idempotent && isMeant(told)),
  };
};

/** The phone call that learned of a write, and when. */
type Told = { readonly callId: string; readonly issuedAt: number; readonly tag: string };

const isOld = (note: Json | undefined): boolean => {
  const { sentAt = Date.now() } = note as { readonly sentAt?: number };
  return Date.now() >= sentAt + dayMs;
};

const createSender = (toolRun: ToolRun, args: JsonObject, limits: PhoneCallLimits) => {
  const { tool, context } = toolRun;
  let own: { readonly answer: Json; readonly result: ToolResult } | undefined;

  const send = async ({ idempotencyKey, isRepeat }: SendingPayment): Promise<PaymentEnd> => {
    if (context.signal.aborted) return notSent(cancelled(tool.effect));
    const tooMany = await limits((counter) => counter.countWrite());
    if (tooMany) return notSent(overLimit(tooMany, tool.effect));
    const answer = await toolRun.run(args, toolRun.contextWith({ idempotencyKey }));
    try {
      const result = toolRun.answer(answer);
      own = { result, answer: toStored(result) };
      return { outcome: outcomeOf(answer, isRepeat), answer: own.answer, isUnkeyed: answer.isUnkeyed };
    } catch (error) {
      toolRun.report(error);
      return { outcome: 'unknown', answer: toStored(writeUnknown(tool.effect)) };
    }
  };

  /** The whole result of what was done just now. */
  const ownResult = ({ answer, replayed }: GuardedEnd) =>
    !replayed && own?.answer === answer ? own.result : undefined;

  return { send, ownResult };
};

/** A write that is known as not done makes room for the next one. */
const outcomeOf = ({ outcome }: ToolAnswer, isRepeat: boolean): PaymentEnd['outcome'] => {
  if (outcome === 'done' || outcome === 'unknown') return outcome;
  return isRepeat ? outcome : 'not_sent';
};

const answerOf = (toolRun: ToolRun, { answer, outcome, replayed }: GuardedEnd): ToolResult => {
  // Only `toStored` writes it.
  const { status, value } = answer as { readonly status: ToolStatus; readonly value: Json };
  const { tool } = toolRun;
  const isDone = replayed && outcome === 'done';
  return toolRun.answer({ status, value: isDone ? alreadyDone(value, tool, tool.again) : value, outcome }, replayed);
};

const notSent = (failure: Failure): PaymentEnd => ({ outcome: 'not_sent', answer: toStored(failure) });

const toStored = ({ status, value }: Pick<ToolResult, 'status' | 'value'>): Json => ({ status, value });
