import { entry } from '../api/entry.ts';
import { email, e164 } from '../core/arguments.ts';
import { listWithin, readWithin, recordWithin } from '../core/envelope.ts';
import { AbortedError, AmbiguousError, InvalidArgumentError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import { isWhole, type Reader, type RecordList, readId, readOptional, readRecord } from '../core/schema.ts';
import { settleWithin } from '../core/timers.ts';
import type { RequestOptions } from '../http/operation.ts';
import { isOtherPerson } from '../phone/same-person.ts';

/** A person or company that is billed. Fields that aren't listed here are kept as they came. */
export interface Customer {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** The saved card, in the default API. */
  readonly default_payment_method?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** The type of the customers that a billing system finds: `payments.card` gets one. */
export interface Finds<Owner extends object> {
  /** Never there: it carries the type. */
  readonly '~customer'?: Owner;
}

/** A phone number, an e-mail address or both: at least one must be given. */
export interface CustomerSearch {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}

/** Returns the one of several customers who is meant, `undefined` if that isn't certain. Gets them as the API lists them. */
export type ChooseCustomer = (
  customers: readonly Customer[],
  by: CustomerSearch,
) => Customer | undefined | Promise<Customer | undefined>;

const customerSchema = z.lazily<Customer>(() => z.object({ id: readId(), name: z.nullish(z.string()) }));

export const customer: Reader<Customer> = readWithin('customer', readRecord(customerSchema, ['id']));

/** Everyone who is meant. No one: the answer is 404, 204, `null`, `{}` or `[]`, or one of them is in an envelope. */
export const foundCustomers =
  (by: CustomerSearch): Reader<RecordList<Customer>> =>
  (json, context) => {
    const list = listWithin(json, ['customers', 'customer']);
    const found = (list?.items ?? [json]).flatMap((item) => {
      const record = recordWithin(item, ['customer', 'customers']);
      return isAbsent(record) ? [] : [customer(record, context)];
    });
    const data = found.filter((one) => !isOtherPerson(one, by));
    const unread = Math.max(0, (list?.count ?? list?.total ?? 0) - (list?.items.length ?? 0));
    return { data, total: data.length + unread, hasMore: list?.hasMore };
  };

const isAbsent = (json: unknown): boolean =>
  json === undefined || json === null || (typeof json === 'object' && Object.keys(json).length === 0);

export const customerSearch = z.lazily<CustomerSearch>(() =>
  z.object({ phone: z.optional(e164()), email: z.optional(email()) }).check(
    z.refine(({ phone, email }) => phone !== undefined || email !== undefined, {
      path: ['phone'],
      message: 'or email must be given',
    }),
  ),
);

/** The operations on customers, as the default API writes them. */
export const customerEndpoints = {
  get: entry({ method: 'GET', path: 'customers/{id}', absentOn404: true, returns: readOptional(customer) }),
  find: entry({
    method: 'GET',
    path: 'customers/search',
    takes: customerSearch,
    returns: foundCustomers({}),
    absentOn404: true,
  }),
};

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
