import { checkIds } from '../../api/entry.ts';
import { completeError, IntegrationError, InvalidArgumentError, RetriesExhaustedError } from '../../core/errors.ts';
import { assertTimeZone } from '../../core/local-clock.ts';
import { assertKnown, checkOptions } from '../../core/option-checks.ts';
import { checkArgument } from '../../core/schema.ts';
import { readSetting } from '../../core/setting.ts';
import type { EndpointInfo } from '../../api/api-client.ts';
import { endpointOf } from '../../api/endpoint-of.ts';
import { createOpenKeys, keepAnswer, keyOfOtherWork } from '../../http/open-keys.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { isOtherPerson } from '../../phone/same-person.ts';
import { decimalsOf } from '../amount.ts';
import type { BillingClient } from '../billing-client.ts';
import { type OwnBilling, type OwnParts, partsOf, paymentsIn } from '../billing-from.ts';
import { customerSearch, type CustomerSearch, oneCustomer } from '../customers.ts';
import {
  amountProblem,
  assertMayPay,
  limitChecks,
  movedOptions,
  newPayment,
  type NewPayment,
  type Payment,
  type PaymentLimit,
  type PaymentTerms,
} from '../payments.ts';
import type { OwnFunction } from './own-failure.ts';
import { payWith } from './pay-with.ts';
import { type Money, readCustomerOf, readCustomers, readInvoices } from './read-returned.ts';
import { readWith } from './read-with.ts';
import { isUnkeyed, markUnkeyed } from './unkeyed.ts';

/** A billing API of your own. */
export interface OwnBillingOptions extends OwnBilling {
  readonly timeZone?: string | undefined;
}

/** Makes the client over a billing API of your own. It has no connection besides that of the client it was given. */
export const createOwnClient = (options: OwnBillingOptions, limit: PaymentLimit | undefined): BillingClient => {
  const { timeZone } = options;
  checkOptions('billing', [
    () => partsOf(options),
    ...limitChecks(limit),
    () => assertTimeZone(timeZone),
    () =>
      assertKnown<Omit<OwnBillingOptions, '~customer'>>(options, { own: true, timeZone: true }, undefined, otherWords),
  ]);
  const parts = partsOf(options);
  const { api, functions } = parts;
  const terms = termsOf(parts, { below: limit?.below, timeZone });
  const { currency, unit } = terms;
  return {
    request: (request, call) => api.request(request, call),
    warmUp: (options) => api.warmUp(options),
    status: () => api.status(),
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
    customers: {
      get: async (customerId, call) => {
        const { operation } = findById;
        if (!functions.findById)
          throw new InvalidArgumentError('findById', 'is missing: give it to billingFrom', { operation });
        const { id = '' } = checkIds(operation, ['id'], [customerId]);
        return readWith(findById, parts, {
          call,
          ask: async (bound) => functions.findById?.(id, bound),
          read: (returned) => readCustomerOf(findById, returned, id),
        });
      },
      find: async (by, call) => {
        checkArgument(findCustomer, customerSearch, by);
        return (await findBy('findByPhone', parts, by, call)) ?? (await findBy('findByEmail', parts, by, call));
      },
    },
    invoices: {
      listOpen: async (customerId, call) => {
        const { customerId: id = '' } = checkIds(listOpen.operation, ['customerId'], [customerId]);
        return readWith(listOpen, parts, {
          call,
          ask: (bound) => functions.listOpen(id, bound),
          read: (returned) => readInvoices(listOpen, returned, { currency: currency ?? '', unit } satisfies Money),
        });
      },
    },
    payments: { create: createPayments(parts, terms) },
    paymentTerms: () => terms,
  };
};

const otherWords = {
  ...movedOptions,
  ...Object.fromEntries(
    ['onEvent', 'deadlineMs', 'idempotency', 'baseUrl', 'authenticate'].map((name) => [
      name,
      `${name} of createApiClient`,
    ]),
  ),
};

const findCustomer = 'billing.customers.find';

const findById: OwnFunction = { name: 'findById', operation: 'billing.customers.get' };

const listOpen: OwnFunction = { name: 'listOpen', operation: 'billing.invoices.listOpen' };

const termsOf = (
  { api, options, functions: { currency, unit = 'major', pay } }: OwnParts,
  { below, timeZone }: Pick<PaymentTerms, 'below' | 'timeZone'>,
): PaymentTerms => {
  const payments = paymentsIn(options.endpoints);
  return {
    baseUrl: readSetting('baseUrl', options.baseUrl),
    below,
    minorUnits: unit === 'minor' ? 0 : decimalsOf(currency),
    currency,
    unit,
    timeZone,
    statuses: undefined,
    canPay: pay !== undefined,
    knowsKeys: payments.every((name) => infoOf(api, name)?.knowsKeys),
  };
};

const infoOf = (api: object, name: string) => {
  const { [name]: method }: { readonly [name: string]: { readonly [endpointOf]?: EndpointInfo<never> } } = Object(api);
  return method?.[endpointOf];
};

/** The customer whom one of the two searches finds, `undefined` without that function or that detail. */
const findBy = async (
  name: 'findByPhone' | 'findByEmail',
  parts: OwnParts,
  { phone, email }: CustomerSearch,
  call: RequestOptions | undefined,
) => {
  const own: OwnFunction = { name, operation: findCustomer };
  const { functions } = parts;
  const detail = name === 'findByPhone' ? phone : email;
  if (!functions[name] || detail === undefined) return undefined;
  const by = name === 'findByPhone' ? { phone } : { email };
  const found = await readWith(own, parts, {
    call,
    ask: async (bound) => functions[name]?.(detail, bound),
    read: (returned) => readCustomers(own, returned).filter((one) => !isOtherPerson(one, by)),
  });
  return oneCustomer({ data: found, total: found.length }, by, { choose: undefined, call: call ?? {} });
};

/** Makes payments, and remembers their keys: what may be done isn't taken for refused, and never done again without its key. */
const createPayments = (parts: OwnParts, terms: PaymentTerms): BillingClient['payments']['create'] => {
  const openKeys = createOpenKeys();
  const unkeyed = createOpenKeys();
  const { functions } = parts;
  const { currency = '', unit } = terms;

  return async (payment, call = {}) => {
    if (!functions.pay)
      throw new InvalidArgumentError('pay', 'is missing: without it, billingFrom pays nothing', { operation });
    const asked = checkArgument(operation, newPayment, payment);
    assertMayPay(terms);
    const problem = amountProblem(asked.amount, terms);
    if (problem) throw new InvalidArgumentError('amount', problem, { operation });
    const key = call.idempotencyKey ?? crypto.randomUUID();
    const order = {
      ...fieldsOf(asked),
      minor_amount: unit === 'minor' ? asked.amount : Math.round(asked.amount * 10 ** decimalsOf(currency)),
      idempotency_key: key,
    };
    const fingerprint = JSON.stringify(order);
    const before = openKeys.get(key);
    if (before && before.fingerprint !== fingerprint) throw keyOfOtherWork({ ...call, operation });
    if (unkeyed.get(key)) throw neverAgain();

    const send = async (own: RequestOptions): Promise<Payment> => {
      const known = before ? undefined : { fingerprint };
      if (known) openKeys.set(key, known);
      const forget = () => void (known && openKeys.get(key) === known && openKeys.delete(key));
      try {
        return await payWith(parts, {
          order,
          call: {
            ...own,
            onSettled: (end) => {
              if (!end.ok && end.error.outcome !== 'unknown') forget();
              own.onSettled?.(end);
            },
          },
        });
      } catch (error) {
        if (isUnkeyed(error)) unkeyed.set(key, { fingerprint });
        if (error instanceof IntegrationError && error.outcome !== 'unknown') forget();
        throw error instanceof IntegrationError ? completeError(error, { idempotencyKey: key }) : error;
      }
    };
    return keepAnswer(openKeys, { ...call, idempotencyKey: key }, send);
  };
};

const operation = 'billing.payments.create';

const fieldsOf = ({ customer_id, invoice_id, amount, payment_method_id }: NewPayment): NewPayment => ({
  customer_id,
  invoice_id,
  amount,
  payment_method_id,
});

const neverAgain = (): RetriesExhaustedError =>
  markUnkeyed(
    new RetriesExhaustedError(
      `${operation} was not made again: pay may have charged already, without an idempotency key`,
      { operation, reason: 'may_be_done', outcome: 'unknown' },
    ),
  );
