import { sumOf } from '../billing/amount.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import { createSharedCallMemory, type StateOwner } from './call-memory.ts';
import type { NotAllowedReason } from './failures.ts';
import type { Report } from './on-error.ts';

/** The limits of one phone call. */
export interface ToolLimits {
  /** @defaultValue 100 */
  readonly toolCalls?: number | undefined;
  /** Writes and payments. @defaultValue 30 */
  readonly writes?: number | undefined;
}

/** {@link ToolLimits}, and the sum that its payments stay below, in the API's own unit. */
export interface CallLimits extends ToolLimits {
  readonly perCall?: number | undefined;
}

/** Counts what one phone call does. Each method gives the reason why it must not go on, or `undefined`. */
export interface LimitCounter {
  countToolCall(): NotAllowedReason | undefined;
  countWrite(): NotAllowedReason | undefined;
  /** Counts an amount once per key. */
  countPayment(key: string, amount: number): NotAllowedReason | undefined;
  /** The payment with this key has certainly not been made. */
  uncountPayment(key: string): void;
  toJson(): object;
}

export const createLimitCounter = (
  { toolCalls = 100, writes = 30, perCall = Number.POSITIVE_INFINITY }: CallLimits,
  kept?: unknown,
): LimitCounter => {
  // Only `toJson` writes here.
  const before = kept as Counted | undefined;
  const paid = new Map<string, number>(before?.paid);
  let [toolCallsSoFar, writesSoFar] = [before?.toolCalls ?? 0, before?.writes ?? 0];

  return {
    countToolCall: () => {
      toolCallsSoFar += 1;
      return toolCallsSoFar > toolCalls ? 'too_many_tool_calls' : undefined;
    },
    countWrite: () => {
      writesSoFar += 1;
      return writesSoFar > writes ? 'too_many_writes' : undefined;
    },
    countPayment: (key, amount) => {
      if (paid.has(key)) return undefined;
      // A negative amount would make room for others, and one that is no number for everything.
      const counted = Number.isFinite(amount) ? Math.max(0, amount) : Number.POSITIVE_INFINITY;
      if (counted > 0 && !(sumOf([...paid.values(), counted]) < perCall)) return 'payment_limit_reached';
      paid.set(key, counted);
      return undefined;
    },
    uncountPayment: (key) => void paid.delete(key),
    toJson: () => ({ toolCalls: toolCallsSoFar, writes: writesSoFar, paid: [...paid] }),
  };
};

interface Counted {
  readonly toolCalls: number;
  readonly writes: number;
  readonly paid: readonly (readonly [string, number])[];
}

/**
 * The counter of one phone call, which several processes may share. `unavailable`: the store is down, or a process that
 * was killed still has the counter for some seconds.
 */
export type PhoneCallLimits = <Result>(use: (limits: LimitCounter) => Result) => Promise<Result | 'unavailable'>;

interface LimitsOptions {
  readonly limits: CallLimits;
  /** Shared by all processes. `undefined`: the memory of this one. */
  readonly store: IdempotencyStore | undefined;
  /** The part of this process that the counters belong to. */
  readonly home: object | undefined;
  readonly report: Report;
}

/** Finds the limits of a phone call. */
export const createLimits = ({
  limits,
  store,
  home,
  report,
}: LimitsOptions): ((call: StateOwner) => PhoneCallLimits) => {
  const counters = createSharedCallMemory({
    name: 'limits',
    start: (kept) => createLimitCounter(limits, kept),
    toJson: (counter) => counter.toJson(),
    store,
    home,
  });
  return (call) => async (use) => {
    try {
      return await counters.change(call, use);
    } catch (error) {
      report(error, { part: 'store', callId: call.callId, tenant: call.tenant });
      return 'unavailable';
    }
  };
};
