import { readAmount, sumOf } from '../../billing/amount.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { JsonObject } from '../../stores/ports/json.ts';
import type { ToolContext } from '../context.ts';
import { type Failure, invalidArguments } from '../failures.ts';
import { createSharedCallMemory } from '../call-memory.ts';
import type { OriginalPayment, Tool, ToolOptions } from '../tool.ts';

/** The reason why a refund must not be made; or a way to forget it once it was certainly not made. */
export type CountedRefund = { readonly failure: Failure } | { readonly forget: () => Promise<void> };

/** Keeps the refunds of a payment from being more than it. Both ask the tool for the payment, and reject as that does. */
export interface Refunds {
  /** The reason why a refund must not be made, as far as it's known now. Counts nothing. */
  check(tool: Tool, args: JsonObject, context: ToolContext): Promise<Failure | undefined>;
  /** Counts a refund once per idempotency key. */
  count(tool: Tool, args: JsonObject, context: ToolContext): Promise<CountedRefund>;
}

/** The refunds in all processes that share the store. */
export const createRefunds = (store: IdempotencyStore): Refunds => {
  const refunds = createSharedCallMemory({
    name: 'refunds',
    // Only `toJson` writes here.
    start: (kept) => new Map((kept as { readonly refunds: [string, number][] } | undefined)?.refunds),
    toJson: (counted) => ({ refunds: [...counted] }),
    store,
  });

  const readRefund = async (tool: Tool, args: JsonObject, context: ToolContext) => {
    const original = await tool.options.refundOf?.(args, context);
    if (!original) return refuse('arguments', 'must name a payment that is known');
    const amount = amountOf(tool.options, args);
    if (!(amount > 0)) return refuse('amount', 'must be an amount above 0');
    if (!isId(original.id)) throw new InvalidArgumentError('refundOf.id', 'must be the id of the original payment');
    const paid = readSum('amount', original);
    const refunded = readSum('refunded', original);
    const payment = { tenant: context.tenant, callId: `${tool.name} ${original.id}` };
    // The API may count those of this tool already, or not yet.
    const fits = (counted: Counted) => sumOf([Math.max(refunded, sumOf([...counted.values()])), amount]) <= paid;
    return { amount, payment, fits };
  };

  return {
    check: async (tool, args, context) => {
      const refund = await readRefund(tool, args, context);
      if ('failure' in refund) return refund.failure;
      return (await refunds.read(refund.payment, refund.fits)) ? undefined : tooMuch.failure;
    },
    count: async (tool, args, context) => {
      const { idempotencyKey = '' } = context;
      const refund = await readRefund(tool, args, context);
      if ('failure' in refund) return refund;
      const { amount, payment, fits } = refund;
      const isCounted = await refunds.change(payment, (counted) => {
        if (counted.has(idempotencyKey)) return true;
        if (!fits(counted)) return false;
        counted.set(idempotencyKey, amount);
        return true;
      });
      if (!isCounted) return tooMuch;
      return { forget: () => refunds.change(payment, (counted) => void counted.delete(idempotencyKey)) };
    },
  };
};

/** Amounts by idempotency key. */
type Counted = ReadonlyMap<string, number>;

const refuse = (field: string, problem: string): { readonly failure: Failure } => ({
  failure: invalidArguments([{ field, problem }], 'payment'),
});

const tooMuch = refuse('amount', 'must not be above what is left of the original payment');

/** Payments without one would be one payment. */
const isId = (id: unknown): boolean => (typeof id === 'string' && id.trim() !== '') || Number.isSafeInteger(id);

const readSum = (field: 'amount' | 'refunded', original: OriginalPayment): number => {
  const named = readAmount(original[field] ?? (field === 'refunded' ? 0 : undefined));
  if (named && named.amount >= 0) return named.amount;
  throw new InvalidArgumentError(`refundOf.${field}`, 'must be an amount, such as 120.5 or 120.50 as a text');
};

/**
 * The amount of a payment or refund. `NaN`: it's below zero, or can't be read. 0: the tool names no `amount`, and has no
 * such argument.
 */
export const amountOf = ({ amount }: Pick<ToolOptions<object, unknown>, 'amount'>, args: JsonObject): number => {
  const own: unknown = amount ? amount(args) : (args['amount'] ?? 0);
  const found = readAmount(own)?.amount ?? Number.NaN;
  return found >= 0 ? found : Number.NaN;
};
