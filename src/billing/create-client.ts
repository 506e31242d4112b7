import { connectApi, type OwnOptionNames } from '../api/connect-api.ts';
import { createMethods, overrideEntries, toOperation } from '../api/entry.ts';
import { placeVersion } from '../api/version.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { shareDeadline } from '../http/deadline.ts';
import type { RequestOptions } from '../http/operation.ts';
import { assertTimeZone, createLocalClock } from '../core/local-clock.ts';
import { must, oneOf, type OptionCheck } from '../core/option-checks.ts';
import { readSetting } from '../core/setting.ts';
import type { BillingClient, BillingOptions } from './client.ts';
import { customer, foundCustomers, oneCustomer } from './customers.ts';
import { billingEndpoints } from './dialect.ts';
import { invoice } from './invoices.ts';
import { amountProblem, payment, type PaymentTerms } from './payments.ts';

/**
 * Makes a client of the billing API.
 * Throws `InvalidArgumentError` for options that cannot work; nothing is sent before the first call.
 *
 * @example
 * const billing = createBillingClient({
 *   baseUrl: 'https://billing.example.com',
 *   authenticate: apiKey('X-Api-Key', () => secrets.read('billing')),
 *   version: { path: 'v1' },
 *   maximumPayment: 5000,
 * });
 */
export const createBillingClient = (options: BillingOptions): BillingClient => {
  const { maximumPayment, currency, unit = 'major', minimumBudgetMs = 3000, paymentStatuses, version } = options;
  const { timeZone, choose } = options;
  const { dialect = {} } = options;
  const minorUnits = options.minorUnits ?? (unit === 'minor' ? 0 : 2);
  const { http, connection } = connectApi('billing', options, {
    optionNames,
    checks: checksOf(options),
    settings: () => ({ ...placeVersion(version), dialect: dialect.http }),
    readers: () => [customer, invoice, payment],
  });
  const documented = overrideEntries(billingEndpoints, { payments: { create: { minimumBudgetMs } } });
  const entries = overrideEntries(documented, dialect.endpoints);
  const { customers, invoices, payments } = createMethods(http, 'billing', entries);
  const {
    findCustomers,
    listOpen,
    pay = payments.create,
  } = dialect.methods?.({ http, entries, clock: createLocalClock(timeZone) }) ?? {};
  const terms: PaymentTerms = {
    baseUrl: readSetting('baseUrl', options.baseUrl),
    maximumPayment,
    minorUnits,
    currency,
    unit,
    timeZone,
    statuses: paymentStatuses,
  };
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
        const problem = Number.isFinite(amount) ? amountProblem(amount, terms) : undefined;
        if (problem) throw new InvalidArgumentError('amount', problem, { operation: 'billing.payments.create' });
        return await http.keepAnswer(together(call), (own) => pay(payment, own));
      },
    },
    paymentTerms: () => terms,
  };
};

const optionNames: OwnOptionNames<BillingOptions> = {
  version: true,
  maximumPayment: true,
  minorUnits: true,
  currency: true,
  unit: true,
  paymentStatuses: true,
  minimumBudgetMs: true,
  timeZone: true,
  choose: true,
  dialect: true,
};

const checksOf = (options: BillingOptions): readonly OptionCheck[] => {
  const { maximumPayment, minorUnits = 2, minimumBudgetMs = 0, currency, unit = 'major', deadlineMs = 8000 } = options;
  const { choose } = options;
  const isPositive = Number.isFinite(maximumPayment) && maximumPayment > 0;
  const isDecimals = Number.isInteger(minorUnits) && minorUnits >= 0 && minorUnits <= 8;
  const isBudget = Number.isFinite(minimumBudgetMs) && minimumBudgetMs >= 0;
  const isCurrency = currency === undefined || /^[A-Za-z]{3}$/.test(currency);
  return [
    () => placeVersion(options.version),
    must(isPositive, 'maximumPayment', 'must be a number greater than 0: every payment must be below it'),
    must(isDecimals, 'minorUnits', 'must be an integer from 0 to 8'),
    must(isBudget, 'minimumBudgetMs', 'must be a number of milliseconds, 0 or more'),
    must(!(minimumBudgetMs > deadlineMs), 'minimumBudgetMs', `must be at most deadlineMs, ${deadlineMs}`),
    must(isCurrency, 'currency', 'must be a code of three letters, such as EUR'),
    oneOf(unit, 'unit', ['major', 'minor']),
    () => assertTimeZone(options.timeZone),
    must(choose === undefined || typeof choose === 'function', 'choose', 'must be a function'),
  ];
};
