import { AbortedError, AmbiguousError, InvalidArgumentError } from '../core/errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import { isWhole, type RecordList } from '../core/schema.ts';
import { settleWithin } from '../core/timers.ts';
import type { Customer, CustomerSearch } from './records.ts';

/** Returns the one of several customers who is meant, `undefined` if that isn't certain. Gets them as the API lists them. */
export type ChooseCustomer = (
  customers: readonly Customer[],
  by: CustomerSearch,
) => Customer | undefined | Promise<Customer | undefined>;

/**
 * The one customer who is meant. Throws `AmbiguousError` for several, unless `choose` returns one of them in time:
 * charging one of several at random is worse than charging no one.
 */
export const oneCustomer = async (
  found: RecordList<Customer>,
  by: CustomerSearch,
  { choose, call }: { readonly choose: ChooseCustomer | undefined; readonly call: RequestOptions },
): Promise<Customer | undefined> => {
  const customers = [...new Map(found.data.map((one) => [one.id, one])).values()];
  // In a part of a list, the one who is meant may be missing.
  const isPart = !isWhole(found);
  if (customers.length === 0 || (customers.length === 1 && !isPart)) return customers[0];
  const count = isPart ? Math.max(customers.length, found.total) : customers.length;
  const refuse = (original?: unknown) => new AmbiguousError(count, { operation, original });
  if (!choose || isPart) throw refuse();
  const chosen = await settleWithin(async () => choose(customers, by), call).catch((error: unknown) => {
    if (call.signal?.aborted) throw new AbortedError(`${operation} was aborted`, { operation, outcome: 'rejected' });
    throw refuse(error);
  });
  if (chosen === undefined || chosen === null) throw refuse();
  const one = customers.find(({ id }) => id === chosen.id);
  if (!one) throw refuse(new InvalidArgumentError('choose', 'must return one of the customers that it was given'));
  return one;
};

const operation = 'billing.customers.find';
