import { email, e164, id } from '../arguments.ts';
import { InvalidArgumentError } from '../errors.ts';
import { classifyByStatus } from '../http/classify.ts';
import { createHttpClient } from '../http/client.ts';
import type { HttpDialect } from '../http/dialect.ts';
import * as z from '../schema.ts';
import { checkArgument, prepareReaders } from '../schema.ts';
import { amountProblem } from './amount.ts';
import type { BillingClient, BillingOptions, BillingVersion } from './client.ts';
import { documentedBilling as dialect } from './dialect.ts';
import * as read from './readers.ts';
import type { CustomerSearch, NewPayment } from './records.ts';

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
  checkOptions(options);
  const { maximumPayment, currency, unit = 'major', minimumBudgetMs = 3000, paymentStatuses } = options;
  const minorUnits = options.minorUnits ?? (unit === 'minor' ? 0 : 2);
  const http = createHttpClient({ ...options, api: 'billing', dialect: httpDialect, ...placeOf(options.version) });

  return {
    customers: {
      get: async (customerId, call) => {
        const operation = 'billing.customers.get';
        const checked = checkArgument(operation, id, customerId, 'id');
        return http.request({ operation, ...dialect.getCustomer(checked), returns: read.customer }, call);
      },
      search: async (by, call) => {
        const operation = 'billing.customers.search';
        const checked = checkArgument(operation, customerSearch, by);
        return http.request(
          { operation, ...dialect.searchCustomer(checked), returns: read.foundCustomer, absentOn404: true },
          call,
        );
      },
    },
    invoices: {
      listOpen: async (customerId, call) => {
        const operation = 'billing.invoices.listOpen';
        const checked = checkArgument(operation, id, customerId, 'customerId');
        return http.request({ operation, ...dialect.listOpenInvoices(checked), returns: read.invoices }, call);
      },
    },
    payments: {
      create: async (payment, call) => {
        const operation = 'billing.payments.create';
        const checked = checkArgument(operation, newPayment, payment);
        const problem = amountProblem(checked.amount, { maximumPayment, minorUnits });
        if (problem) throw new InvalidArgumentError('amount', problem, { operation });
        return http.request(
          {
            operation,
            ...dialect.createPayment(checked),
            effect: 'payment',
            wholeDeadline: true,
            minimumBudgetMs,
            returns: read.payment,
          },
          call,
        );
      },
    },
    paymentTerms: () => ({
      baseUrl: options.baseUrl,
      maximumPayment,
      minorUnits,
      currency,
      unit,
      statuses: paymentStatuses,
    }),
    request: (request, call) => http.custom(request, call),
    warmUp: (options) => {
      prepareReaders([read.customer, read.invoice, read.payment]);
      return http.warmUp(options);
    },
    status: () => http.status(),
    close: () => http.close(),
    [Symbol.asyncDispose]: () => http.close(),
  };
};

/** A gateway answers 408 after it has passed a request on: the payment may have been made. */
const httpDialect: HttpDialect = {
  classify: (status, text) => (status === 408 ? 'transient' : classifyByStatus(status, text)),
};

const newPayment = z.lazily<NewPayment>(() =>
  z.object({
    customer_id: id(),
    invoice_id: id(),
    amount: z.number(),
    payment_method_id: id(),
  }),
);

const customerSearch = z.lazily<CustomerSearch>(() =>
  z.object({ phone: z.optional(e164()), email: z.optional(email()) }).check(
    z.refine(({ phone, email }) => phone !== undefined || email !== undefined, {
      path: ['phone'],
      message: 'or email must be given',
    }),
  ),
);

const checkOptions = (options: BillingOptions): void => {
  const { version, maximumPayment, minorUnits = 2, minimumBudgetMs = 0, currency, unit = 'major' } = options;
  if (!(Number.isFinite(maximumPayment) && maximumPayment > 0))
    throw new InvalidArgumentError('maximumPayment', 'must be a number greater than 0: every payment must be below it');
  if (!Number.isInteger(minorUnits) || minorUnits < 0 || minorUnits > 8)
    throw new InvalidArgumentError('minorUnits', 'must be an integer from 0 to 8');
  if (!(Number.isFinite(minimumBudgetMs) && minimumBudgetMs >= 0))
    throw new InvalidArgumentError('minimumBudgetMs', 'must be a number of milliseconds, 0 or more');
  if (currency !== undefined && !/^[A-Za-z]{3}$/.test(currency))
    throw new InvalidArgumentError('currency', 'must be a code of three letters, such as EUR');
  if (unit !== 'major' && unit !== 'minor')
    throw new InvalidArgumentError('unit', "must be 'major', such as euros, or 'minor', such as cents");
  if (!versionSchema().safeParse(version).success)
    throw new InvalidArgumentError(
      'version',
      "must be { path: 'v1' }, { header: { name, value } } or 'in-base-url': the version is always pinned",
    );
};

const versionSchema = z.lazily<BillingVersion>(() =>
  z.union([
    z.literal('in-base-url'),
    z.object({ path: z.string().check(z.regex(/^[\w.-]*\w[\w.-]*$/)) }),
    z.object({
      header: z.object({ name: z.string().check(z.regex(/^[\w-]+$/)), value: z.string().check(z.minLength(1)) }),
    }),
  ]),
);

const placeOf = (version: BillingVersion) => {
  if (version === 'in-base-url') return { version };
  if ('path' in version) return { version: version.path, pathPrefix: `${version.path}/` };
  return { version: version.header.value, versionHeader: version.header.name };
};
