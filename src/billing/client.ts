import { connectApi, type OwnOptionNames } from '../api/connect-api.ts';
import { createMethods, overrideEntries, toOperation } from '../api/entry.ts';
import { type ApiVersion, placeVersion } from '../api/version.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { checkArgument } from '../core/schema.ts';
import { assertTimeZone, createLocalClock } from '../core/local-clock.ts';
import { must, oneOf, type OptionCheck } from '../core/option-checks.ts';
import { readSetting } from '../core/setting.ts';
import { shareDeadline } from '../http/deadline.ts';
import type { ConnectionOptions, Operation, RequestOptions } from '../http/operation.ts';
import type { BillingClient } from './billing-client.ts';
import { type ChooseCustomer, type Customer, customer, type Finds, foundCustomers, oneCustomer } from './customers.ts';
import { type BillingDialect, billingEndpoints, type BillingMethods } from './dialect.ts';
import { invoice } from './invoices.ts';
import { paymentsFor, type PaymentSearch, paymentSearch } from './made-payments.ts';
import { createOwnClient, type OwnBillingOptions } from './own/client.ts';
import {
  amountProblem,
  assertMayPay,
  limitChecks,
  movedOptions,
  payment,
  type PaymentLimit,
  type PaymentStatuses,
  type PaymentTerms,
} from './payments.ts';
import { checkRefund, makeRefund } from './refunds.ts';

/** The way to the billing system: a preset, the default API, or `billingFrom`. */
export type BillingOptions<Owner extends object = Customer> = (BillingConnection | OwnBillingOptions) & Finds<Owner>;

/** The address of the billing API, and how it writes amounts. */
export interface BillingConnection extends ConnectionOptions {
  /** The place of the pinned version: `{ path: 'v1' }`, `{ header: { name, value } }`, or `'in-base-url'`. @defaultValue 'in-base-url' */
  readonly version?: ApiVersion | undefined;
  /** The decimals that an amount may have. @defaultValue 2, with the unit `minor` 0 */
  readonly minorUnits?: number | undefined;
  /** The currency of all amounts, such as `EUR`. Models see it. @defaultValue what an invoice's `currency` says */
  readonly currency?: string | undefined;
  /** The unit of an amount: `major` is euros, `minor` cents. Models see it. @defaultValue 'major' */
  readonly unit?: 'major' | 'minor' | undefined;
  /** The API's words for payments that are pending or refused, if the defaults don't fit. */
  readonly paymentStatuses?: PaymentStatuses | undefined;
  /** No payment is sent with less time left than this, since a card takes a while. @defaultValue 3000 */
  readonly minimumBudgetMs?: number | undefined;
  /** The time zone of the business, as an IANA name: a moment in its answers is the day there. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
  /**
   * Decides which of several customers with one phone or e-mail is meant. Everything but one of them in time, within the
   * deadline, decides nothing. @defaultValue several are an `AmbiguousError`
   *
   * @example
   * choose: (customers) => customers.find(({ metadata }) => Object(metadata).main === 'yes'),
   */
  readonly choose?: ChooseCustomer | undefined;
  /** The differences of a real platform. A preset such as `stripe` has them. */
  readonly dialect?: BillingDialect | undefined;
}

/**
 * Makes a client of the billing API.
 * Throws `InvalidArgumentError` for options that cannot work; nothing is sent before the first call.
 *
 * @example
 * const billing = createBillingClient({
 *   baseUrl: 'https://billing.example.com',
 *   authenticate: apiKey('X-Api-Key', () => secrets.read('billing')),
 *   version: { path: 'v1' },
 *   payments: { below: 5000 },
 * });
 */
export const createBillingClient = (
  options: BillingOptions & {
    /** The limit of its payments. @defaultValue it pays nothing */
    readonly payments?: PaymentLimit | undefined;
  },
): BillingClient => {
  const { payments, ...rest }: typeof options = Object(options);
  return connectBilling(rest, payments);
};

/** {@link createBillingClient} for an integration, which has the limit next to the options. */
export const connectBilling = (options: BillingOptions, limit: PaymentLimit | undefined): BillingClient =>
  'own' in options ? createOwnClient(options, limit) : connectPlatform(options, limit);

const connectPlatform = (options: BillingConnection, limit: PaymentLimit | undefined): BillingClient => {
  const { currency, unit = 'major', minimumBudgetMs = 3000, paymentStatuses, version } = options;
  const { timeZone, choose } = options;
  const { dialect = {} } = options;
  const minorUnits = options.minorUnits ?? (unit === 'minor' ? 0 : 2);
  const { http, connection } = connectApi('billing', options, {
    optionNames,
    otherWords: movedOptions,
    checks: [...checksOf(options), ...limitChecks(limit, true)],
    settings: () => ({ ...placeVersion(version), dialect: dialect.http }),
    readers: () => [customer, invoice, payment],
  });
  const documented = overrideEntries(billingEndpoints, {
    payments: { create: { minimumBudgetMs }, refund: { minimumBudgetMs } },
  });
  const entries = overrideEntries(documented, dialect.endpoints);
  const { customers, invoices, payments } = createMethods(http, 'billing', entries);
  const {
    findCustomers,
    listOpen,
    pay = payments.create,
    listPayments = payments.list,
    refund = (asked, _payment, call) => payments.refund(asked, call),
  }: Partial<BillingMethods> = dialect.methods?.({ http, entries, clock: createLocalClock(timeZone) }) ?? {};
  const terms: PaymentTerms = {
    baseUrl: readSetting('baseUrl', options.baseUrl),
    below: limit?.below,
    minorUnits,
    currency,
    unit,
    timeZone,
    statuses: paymentStatuses,
    canPay: true,
    knowsKeys: knowsKeys(entries.payments.create, options),
    canList: true,
    refunds: limit?.refund && { below: limit.refund.below, knowsKeys: knowsKeys(entries.payments.refund, options) },
  };
  const listFor = async (by: PaymentSearch, call: RequestOptions = {}) => paymentsFor(by, await listPayments(by, call));
  const together = (call: RequestOptions = {}) => (dialect.methods || choose ? shareDeadline(call, options) : call);

  return {
    ...connection,
    customers: {
      ...customers,
      find: async (by, call) => {
        const own = together(call);
        const entry = { ...entries.customers.find, returns: foundCustomers(by) };
        const found = await (findCustomers
          ? findCustomers(by, own)
          : http.request(toOperation('billing.customers.find', entry, [by]), own));
        return oneCustomer(found, by, { choose, call: own });
      },
    },
    invoices: { listOpen: listOpen ? async (id, call) => listOpen(id, together(call)) : invoices.listOpen },
    payments: {
      create: async (payment, call) => {
        const { amount } = Object(payment);
        assertMayPay(terms);
        const problem = Number.isFinite(amount) ? amountProblem(amount, terms) : undefined;
        if (problem) throw new InvalidArgumentError('amount', problem, { operation: 'billing.payments.create' });
        return await http.keepAnswer(together(call), (own) => pay(payment, own));
      },
      list: async (by, call) => listFor(checkArgument('billing.payments.list', paymentSearch, by), together(call)),
      refund: async (wanted, call = {}) => {
        const asked = checkRefund(wanted, terms);
        const keyed = { ...shareDeadline(call, options), idempotencyKey: call.idempotencyKey ?? crypto.randomUUID() };
        return await http.keepAnswer(keyed, (own) =>
          makeRefund(asked, { call: own, list: listFor, send: refund, terms }),
        );
      },
    },
    paymentTerms: () => terms,
  };
};

/** Returns whether the API charges once per key, or can be asked if it did. */
const knowsKeys = (
  { repeat = 'key', honoursKeys = false }: Pick<Operation<unknown>, 'honoursKeys'> & { readonly repeat?: unknown },
  { idempotency }: BillingConnection,
): boolean => (repeat === 'key' ? idempotency !== 'none' || honoursKeys : repeat !== 'never');

const optionNames: OwnOptionNames<BillingConnection> = {
  version: true,
  minorUnits: true,
  currency: true,
  unit: true,
  paymentStatuses: true,
  minimumBudgetMs: true,
  timeZone: true,
  choose: true,
  dialect: true,
};

const checksOf = (options: BillingConnection): readonly OptionCheck[] => {
  const { minorUnits = 2, minimumBudgetMs = 0, currency, unit = 'major', deadlineMs = 8000 } = options;
  const { choose } = options;
  const isDecimals = Number.isInteger(minorUnits) && minorUnits >= 0 && minorUnits <= 8;
  const isBudget = Number.isFinite(minimumBudgetMs) && minimumBudgetMs >= 0;
  const isCurrency = currency === undefined || /^[A-Za-z]{3}$/.test(currency);
  return [
    () => placeVersion(options.version),
    must(isDecimals, 'minorUnits', 'must be an integer from 0 to 8'),
    must(isBudget, 'minimumBudgetMs', 'must be a number of milliseconds, 0 or more'),
    must(!(minimumBudgetMs > deadlineMs), 'minimumBudgetMs', `must be at most deadlineMs, ${deadlineMs}`),
    must(isCurrency, 'currency', 'must be a code of three letters, such as EUR'),
    oneOf(unit, 'unit', ['major', 'minor']),
    () => assertTimeZone(options.timeZone),
    must(choose === undefined || typeof choose === 'function', 'choose', 'must be a function'),
  ];
};
