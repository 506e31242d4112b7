import { readAmount } from '../../billing/amount.ts';
import type { JsonObject } from '../../stores/ports/json.ts';
import type { ToolOptions } from '../tool.ts';

/** The amount of a payment or refund. `NaN`: its argument `amount` can't be read. 0: it has no such argument. */
export const amountOf = ({ amount }: Pick<ToolOptions<object, unknown>, 'amount'>, args: JsonObject): number => {
  if (amount) return amount(args);
  const own = args['amount'];
  return own === undefined || own === null ? 0 : (readAmount(own)?.amount ?? Number.NaN);
};
