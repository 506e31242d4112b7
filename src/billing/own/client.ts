import { checkIds } from '../../api/entry.ts';
import { completeError, IntegrationError, InvalidArgumentError, RetriesExhaustedError } from '../../core/errors.ts';
import { assertTimeZone } from '../../core/local-clock.ts';
import { assertKnown, checkOptions } from '../../core/option-checks.ts';
import { checkArgument } from '../../core/schema.ts';
import { readSetting } from '../../core/setting.ts';
import type { EndpointInfo } from '../../api/api-client.ts';
import { endpointOf } from '../../api/endpoint-of.ts';
import { shareDeadline } from '../../http/deadline.ts';
import { createOpenKeys, keepAnswer, keyOfOtherWork } from '../../http/open-keys.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { isOtherPerson } from '../../phone/same-person.ts';
import { decimalsOf } from '../amount.ts';
import type { BillingClient } from '../billing-client.ts';
import { type OwnBilling, type OwnParts, type OwnRefundOrder, partsOf, paymentsIn } from '../billing-from.ts';
import { customerSearch, type CustomerSearch, oneCustomer } from '../customers.ts';
import { type MadePayment, paymentsFor, paymentSearch, type Refund } from '../made-payments.ts';
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
import { checkRefund, makeRefund, type NewRefund } from '../refunds.ts';
import type { OwnFunction } from './own-failure.ts';
import { type Payer, payWith } from './pay-with.ts';
import { type Money, readCustomerOf, readCustomers, readInvoices, readMadePayments } from './read-returned.ts';
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
    () => checkOptions(undefined, limitChecks(limit, partsOf(options).functions.refund !== undefined)),
    () => assertTimeZone(timeZone),
    () =>
      assertKnown<Omit<OwnBillingOptions, '~customer'>>(options, { own: true, timeZone: true }, undefined, otherWords),
  ]);
  const parts = partsOf(options);
  const { api, functions } = parts;
  const terms = termsOf(parts, { limit, timeZone });
  const { currency, unit } = terms;
  const money: Money = { currency: currency ?? '', unit };
  const mover = createMover(parts);
  const list: BillingClient['payments']['list'] = async (search, call) => {
    const { operation } = listPayments;
    if (!functions.listPayments)
      throw new InvalidArgumentError('listPayments', 'is missing: give it to billingFrom', { operation });
    const by = checkArgument(operation, paymentSearch, search);
    const found = await readWith(listPayments, parts, {
      call,
      ask: async (bound) => functions.listPayments?.(by, bound),
      read: (returned) => readMadePayments(listPayments, returned, { by, money }),
    });
    return paymentsFor(by, found);
  };
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
          read: (returned) => readInvoices(listOpen, returned, money),
        });
      },
    },
    payments: {
      create: createPayments(parts, terms, mover),
      list,
      refund: createRefunds(parts, terms, { mover, list }),
    },
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

const listPayments: OwnFunction = { name: 'listPayments', operation: 'billing.payments.list' };

const termsOf = (
  { api, options, functions: { currency, unit = 'major', pay, listPayments: canList } }: OwnParts,
  { limit, timeZone }: { readonly limit: PaymentLimit | undefined } & Pick<PaymentTerms, 'timeZone'>,
): PaymentTerms => {
  const payments = paymentsIn(options.endpoints);
  const knowsKeys = payments.every((name) => infoOf(api, name)?.knowsKeys);
  return {
    baseUrl: readSetting('baseUrl', options.baseUrl),
    below: limit?.below,
    minorUnits: unit === 'minor' ? 0 : decimalsOf(currency),
    currency,
    unit,
    timeZone,
    statuses: undefined,
    canPay: pay !== undefined,
    knowsKeys,
    canList: canList !== undefined,
    refunds: limit?.refund && { below: limit.refund.below, knowsKeys },
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

/** Work with money under one key. */
interface KeyedWork extends Payer {
  /** The same for the same work. */
  readonly fingerprint: string;
}

/** Has functions move money, and remembers the keys: what may be done isn't taken for refused, and never done again without its key. */
const createMover = (parts: OwnParts) => {
  const openKeys = createOpenKeys();
  const unkeyed = createOpenKeys();

  const send = async (payer: KeyedWork, call: RequestOptions): Promise<Payment> => {
    const { key, fingerprint, own } = payer;
    if (unkeyed.get(key)) throw neverAgain(own);
    const known = openKeys.get(key) ? undefined : { fingerprint };
    if (known) openKeys.set(key, known);
    const forget = () => void (known && openKeys.get(key) === known && openKeys.delete(key));
    try {
      return await payWith(parts, {
        payer,
        call: {
          ...call,
          onSettled: (end) => {
            if (!end.ok && end.error.outcome !== 'unknown') forget();
            call.onSettled?.(end);
          },
        },
      });
    } catch (error) {
      if (isUnkeyed(error)) unkeyed.set(key, { fingerprint });
      if (error instanceof IntegrationError && error.outcome !== 'unknown') forget();
      throw error instanceof IntegrationError ? completeError(error, { idempotencyKey: key }) : error;
    }
  };

  return {
    send,
    /** Throws for a key of other work. */
    keep: <Answer>(
      { key, fingerprint, own: { operation } }: KeyedWork,
      call: RequestOptions,
      work: (call: RequestOptions) => Promise<Answer>,
    ): Promise<Answer> => {
      const before = openKeys.get(key);
      if (before && before.fingerprint !== fingerprint) throw keyOfOtherWork({ ...call, operation });
      return keepAnswer(openKeys, { ...call, idempotencyKey: key }, work);
    },
  };
};

type Mover = ReturnType<typeof createMover>;

const createPayments = (
  { functions }: OwnParts,
  terms: PaymentTerms,
  mover: Mover,
): BillingClient['payments']['create'] => {
  const own: OwnFunction = { name: 'pay', operation: 'billing.payments.create' };
  const { operation } = own;

  return async (payment, call = {}) => {
    if (!functions.pay)
      throw new InvalidArgumentError('pay', 'is missing: without it, billingFrom pays nothing', { operation });
    const asked = checkArgument(operation, newPayment, payment);
    assertMayPay(terms);
    const problem = amountProblem(asked.amount, terms);
    if (problem) throw new InvalidArgumentError('amount', problem, { operation });
    const order = { ...fieldsOf(asked), ...keyAndMinor(asked.amount, call, terms) };
    const work = workOf(own, order, (api) => functions.pay?.(order, api));
    return mover.keep(work, call, (keyed) => mover.send(work, keyed));
  };
};

const createRefunds = (
  parts: OwnParts,
  terms: PaymentTerms,
  { mover, list }: { readonly mover: Mover; readonly list: BillingClient['payments']['list'] },
): BillingClient['payments']['refund'] => {
  const own: OwnFunction = { name: 'refund', operation: 'billing.payments.refund' };
  const { functions, options } = parts;

  return async (refund, call = {}) => {
    const asked = checkRefund(refund, terms);
    const { customer_id, invoice_id, payment_id, amount } = asked;
    const order = { customer_id, invoice_id, payment_id, amount, ...keyAndMinor(amount, call, terms) };
    const work = workOf(own, order, (api) => functions.refund?.(order, api));
    const send = async (_asked: NewRefund, _payment: MadePayment, keyed: RequestOptions): Promise<Refund> =>
      toRefund(order, await mover.send(work, withRefund(keyed, order)));
    return mover.keep(work, shareDeadline(call, options), (keyed) =>
      makeRefund(asked, { call: keyed, list, send, terms }),
    );
  };
};

const toRefund = (
  { payment_id, amount, idempotency_key }: OwnRefundOrder,
  { status, confirmation_number, error_message }: Payment,
): Refund => ({
  id: confirmation_number ?? idempotency_key,
  payment_id,
  amount,
  status,
  idempotency_key,
  error_message,
});

/** The end of one that wasn't waited for is a refund too. */
const withRefund = ({ onSettled, ...call }: RequestOptions, order: OwnRefundOrder): RequestOptions => ({
  ...call,
  onSettled:
    onSettled && ((end) => onSettled(end.ok ? { ...end, result: toRefund(order, end.result as Payment) } : end)),
});

const workOf = (own: OwnFunction, order: { readonly idempotency_key: string }, pay: Payer['pay']): KeyedWork => ({
  own,
  key: order.idempotency_key,
  fingerprint: JSON.stringify(order),
  pay,
});

const keyAndMinor = (amount: number, { idempotencyKey }: RequestOptions, { currency = '', unit }: PaymentTerms) => ({
  minor_amount: unit === 'minor' ? amount : Math.round(amount * 10 ** decimalsOf(currency)),
  idempotency_key: idempotencyKey ?? crypto.randomUUID(),
});

const fieldsOf = ({ customer_id, invoice_id, amount, payment_method_id }: NewPayment): NewPayment => ({
  customer_id,
  invoice_id,
  amount,
  payment_method_id,
});

const neverAgain = ({ name, operation }: OwnFunction): RetriesExhaustedError =>
  markUnkeyed(
    new RetriesExhaustedError(
      `${operation} was not made again: ${name} may have moved money already, without an idempotency key`,
      { operation, reason: 'may_be_done', outcome: 'unknown' },
    ),
  );
