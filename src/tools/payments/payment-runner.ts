import { InvalidArgumentError } from '../../core/errors.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import { fieldsOf, type Json, type JsonObject } from '../../stores/ports/json.ts';
import { amountOf, createRefunds, type Refunds } from './refunds.ts';
import { type LateEnd, personOf, type ToolContext, type ToolResult, type ToolStatus } from '../context.ts';
import { alreadyPaid, cancelled, type Failure, overLimit, paymentUnknown, unavailable } from '../failures.ts';
import type { PhoneCallLimits } from '../limits.ts';
import type { GuardedEnd, GuardedPayment, PaymentGuard, SendingPayment } from './payment-guard.ts';
import type { PaymentEnd } from './payment-tries.ts';
import type { ToolOptions } from '../tool.ts';
import { isRefund, type ToolAnswer, type ToolRun, toAnswer, toErrorAnswer } from '../tool-run.ts';

/**
 * Runs tools that move money, in this order. The runner says which payment a tool call is. The guard reads and stores
 * its tries, and decides by `payment-tries.ts` if anything is sent. The runner sends it, and the guard stores the end.
 */
export interface PaymentRunner {
  run(toolRun: ToolRun, args: JsonObject, limits: PhoneCallLimits): Promise<ToolResult>;
  /** The answer for a payment that speaks against itself because it was made already: the invoice isn't open any more. */
  paidBefore(toolRun: ToolRun, args: JsonObject): Promise<ToolResult | undefined>;
  /** The reason why a refund can't be made, before anyone is asked for it. None for one that is made or may be. */
  refusalOf(toolRun: ToolRun, args: JsonObject): Promise<Failure | undefined>;
}

export interface PaymentRunnerOptions {
  readonly store: IdempotencyStore;
  readonly guard: PaymentGuard;
}

export const createPaymentRunner = ({ store, guard }: PaymentRunnerOptions): PaymentRunner => {
  const refunds = createRefunds(store);

  return {
    run: async (toolRun, args, limits) => {
      const payment = guardedPayment(toolRun, args);
      const { send, emitLate } = createSender({ toolRun, args, payment, limits, refunds, guard });
      toolRun.markIrrevocable(emitLate);
      try {
        return answerOf(toolRun, await guard.pay(payment, send));
      } catch (error) {
        toolRun.reportStore(error);
        return toolRun.fail(unavailable('store', toolRun.tool.effect));
      }
    },

    paidBefore: async (toolRun, args) => {
      try {
        const paid = await guard.paidBefore(guardedPayment(toolRun, args));
        return paid && answerOf(toolRun, paid);
      } catch (error) {
        toolRun.reportStore(error);
        return undefined;
      }
    },

    refusalOf: async (toolRun, args) => {
      const { tool, context } = toolRun;
      if (!tool.options.refundOf) return undefined;
      const failure = await refunds
        .check(tool, args, context)
        .catch((error: unknown) => toolRun.failureBeforeRun(error));
      return failure && !(await guard.isKnown(guardedPayment(toolRun, args))) ? failure : undefined;
    },
  };
};

interface SenderParts {
  readonly toolRun: ToolRun;
  readonly args: JsonObject;
  readonly payment: GuardedPayment;
  readonly limits: PhoneCallLimits;
  readonly refunds: Refunds;
  readonly guard: PaymentGuard;
}

/** The guard calls `send` when a payment has to be sent. `emitLate` gets the result of one that wasn't waited for. */
const createSender = ({ toolRun, args, payment, limits, refunds, guard }: SenderParts) => {
  const { tool, context, hooks } = toolRun;
  const { callId, toolCallId, signal } = context;
  // A refund brings nothing in.
  const amount = tool.options.refundOf ? 0 : amountOf(tool.options, args);
  let lastKey: string | undefined;
  let forgetRefund: (() => Promise<void>) | undefined;

  const emitLate = (result: ToolResult) => {
    const idempotencyKey = lastKey;
    if (idempotencyKey === undefined) return;
    ignoreErrors(() => hooks.onSettled?.({ tool: tool.name, callId, toolCallId, idempotencyKey, result }));
  };

  const endOf = (
    { outcome, isUnkeyed, ...answer }: ToolAnswer,
    { idempotencyKey, isRepeat }: SendingPayment,
  ): PaymentEnd => {
    // A refused repetition doesn't end the first try, unless it's the API's answer about the payment.
    const isNotMade = outcome === 'declined' || (!isRepeat && outcome !== 'done' && outcome !== 'unknown');
    const { status, value } = toolRun.answer({ outcome, ...answer });
    const wasPaidBefore = !isRepeat && fieldsOf(value)['already_paid'] === true;
    if (isNotMade) forgetRefund?.().catch(toolRun.reportStore);
    if (isNotMade || wasPaidBefore) void limits((counter) => counter.uncountPayment(idempotencyKey));
    return { outcome, answer: { status, value }, isUnkeyed };
  };

  const settleLate = (sent: SendingPayment, end: LateEnd) => {
    try {
      const answer = end.ok ? toAnswer(tool, args, end.result) : toErrorAnswer(tool, end.error);
      const late = endOf(answer, sent);
      guard.settle(payment, sent, late).catch(toolRun.reportStore);
      emitLate(toolRun.answer({ ...readStored(late.answer), outcome: late.outcome }));
    } catch (error) {
      // The client that reports it cannot help that it cannot be read. The payment stays unknown.
      toolRun.report(error);
    }
  };

  const send = async (sending: SendingPayment): Promise<PaymentEnd> => {
    const { idempotencyKey } = sending;
    lastKey = idempotencyKey;
    if (signal.aborted) return notSent(cancelled(tool.effect));
    // An API that knows no keys would charge again.
    if (sending.isRepeat && !tool.idempotent) return { outcome: 'unknown', answer: payment.unknownAnswer() };
    const tooMuch = await limits((counter) => counter.countWrite() ?? counter.countPayment(idempotencyKey, amount));
    if (tooMuch) return notSent(overLimit(tooMuch, tool.effect));
    if (tool.options.refundOf) {
      const counted = await refunds
        .count(tool, args, toolRun.contextWith({ idempotencyKey }))
        .catch((error: unknown) => ({ failure: toolRun.failureBeforeRun(error) }));
      if ('failure' in counted) return notSent(counted.failure);
      forgetRefund = counted.forget;
    }
    const onSettled = (end: LateEnd) => settleLate(sending, end);
    const answer = await toolRun.run(args, toolRun.contextWith({ idempotencyKey, onSettled }));
    try {
      return endOf(answer, sending);
    } catch (error) {
      // The money may have moved, whatever cannot be read in what was said of it.
      toolRun.report(error);
      return { outcome: 'unknown', answer: payment.unknownAnswer() };
    }
  };

  return { send, emitLate };
};

const guardedPayment = ({ tool, context, hooks }: ToolRun, args: JsonObject): GuardedPayment => ({
  tenant: context.tenant,
  tool: tool.name,
  intent: hooks.intent,
  callId: context.callId,
  deadline: context.deadline,
  signal: context.signal,
  unknownAnswer: (one) =>
    toStored(paymentUnknown({ idempotent: tool.idempotent && !one?.isUnkeyed, isRefund: isRefund(tool) })),
  ...identityOf(tool.options, args, context),
  keyOf: (ordinal) => (hooks.intent === undefined ? tool.options.once?.key?.(args, context, ordinal) : undefined),
});

const answerOf = (toolRun: ToolRun, { answer, outcome, replayed }: GuardedEnd): ToolResult => {
  const { status, value } = readStored(answer);
  const isPaidBefore = replayed && outcome === 'done';
  return toolRun.answer(
    { status, value: isPaidBefore ? alreadyPaid(value, { isRefund: isRefund(toolRun.tool) }) : value, outcome },
    replayed,
  );
};

const notSent = (failure: Failure): PaymentEnd => ({ outcome: 'not_sent', answer: toStored(failure) });

const toStored = ({ status, value }: Failure): Json => ({ status, value });

/** The guard keeps only what `endOf` and `toStored` made. */
const readStored = (answer: Json) => answer as { readonly status: ToolStatus; readonly value: Json };

/** Identifies the payment, and those that are the same. */
const identityOf = ({ once }: ToolOptions<object, unknown>, args: JsonObject, context: ToolContext) => ({
  what: once ? checkedWhat(once.what(args)) : [args, personOf(context)],
  by: once?.by?.(args) ?? null,
  windowMs: once?.windowMs,
  note: () => once?.note?.(args, context) ?? null,
  mayRepeat: (note: Json) => once?.mayRepeat?.(args, context, note) ?? false,
});

/** Payments for nothing in particular, such as of a misspelt argument, would all be the same one, and "already paid". */
const checkedWhat = (what: Json): Json => {
  const parts: readonly unknown[] = Array.isArray(what) ? what : [what];
  if (parts.length > 0 && parts.every(isSomething)) return what;
  throw new InvalidArgumentError(
    'once.what',
    'must return what is paid: an entry of it is undefined, empty or no JSON',
  );
};

const isSomething = (part: unknown): boolean => {
  const text: string | undefined = JSON.stringify(part);
  return text !== undefined && text !== '{}' && (text !== 'null' || part === null);
};
