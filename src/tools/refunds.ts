import { readAmount } from '../billing/amount.ts';
import { sumOf } from '../billing/sums.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { JsonObject } from '../ports/json.ts';
import { amountOf } from './amount-of.ts';
import type { ToolContext } from './context.ts';
import { type Failure, invalidArguments } from './failures.ts';
import { createPhoneCallState } from './phone-call-state.ts';
import type { OriginalPayment, Tool } from './tool.ts';

/** The reason why a refund must not be made; or a way to forget it once it was certainly not made. */
export type CountedRefund = { readonly failure: Failure } | { readonly forget: () => Promise<void> };

/** Counts a refund once per idempotency key, after it has asked the tool for the payment. Rejects as that look-up does. */
export type CountRefund = (tool: Tool, args: JsonObject, context: ToolContext) => Promise<CountedRefund>;

/** Keeps the refunds of a payment from being more than it, in all processes that share the store. */
export const createRefundCount = (store: IdempotencyStore): CountRefund => {
  const refunds = createPhoneCallState({
    name: 'refunds',
    // Only `toJson` writes here.
    start: (kept) => new Map((kept as { readonly refunds: [string, number][] } | undefined)?.refunds),
    toJson: (counted) => ({ refunds: [...counted] }),
    store,
  });

  return async (tool, args, context) => {
    const { tenant, idempotencyKey = '' } = context;
    const original = await tool.options.refundOf?.(args, context);
    if (!original) return refuse('arguments', 'must name a payment that is known');
    const amount = amountOf(tool.options, args);
    if (!(amount > 0)) return refuse('amount', 'must be an amount above 0');
    const paid = readSum('amount', original);
    const refunded = readSum('refunded', original);
    const payment = { tenant, callId: `${tool.name} ${original.id}` };
    const fits = await refunds.change(payment, (counted) => {
      if (counted.has(idempotencyKey)) return true;
      // The API may count those of this tool already, or not yet.
      const before = Math.max(refunded, sumOf([...counted.values()]));
      if (sumOf([before, amount]) > paid) return false;
      counted.set(idempotencyKey, amount);
      return true;
    });
    if (!fits) return refuse('amount', 'must not be above what is left of the original payment');
    return { forget: () => refunds.change(payment, (counted) => void counted.delete(idempotencyKey)) };
  };
};

const refuse = (field: string, problem: string): CountedRefund => ({
  failure: invalidArguments([{ field, problem }], 'payment'),
});

const readSum = (field: 'amount' | 'refunded', original: OriginalPayment): number => {
  const named = readAmount(original[field] ?? (field === 'refunded' ? 0 : undefined));
  if (named && named.amount >= 0) return named.amount;
  throw new InvalidArgumentError(`refundOf.${field}`, 'must be an amount, such as 120.5 or 120.50 as a text');
};
