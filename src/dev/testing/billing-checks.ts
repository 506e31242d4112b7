import { toOperation } from '../../api/entry.ts';
import type { BillingDialect, BillingMethods } from '../../billing/dialect.ts';
import { createBillingClient } from '../../billing/index.ts';
import { accessChecks } from './billing-checks/access.ts';
import type { BillingCheck, BillingCheckOptions } from './billing-checks/check.ts';
import { customerChecks } from './billing-checks/customers.ts';
import { invoiceChecks } from './billing-checks/invoices.ts';
import { paymentChecks } from './billing-checks/payments.ts';

export type { BillingCheck, BillingCheckOptions } from './billing-checks/check.ts';

/**
 * Checks of a billing API of one's own: whether it keeps the contract that the billing client relies on, above all that
 * money moves once per idempotency key, when a request is repeated, sent twice at once, or its answer is lost. Each check
 * is a name and a function that rejects with node's `AssertionError`, or with the client's error when a call fails; any
 * test runner runs them, in any order. They take real payments: for test environments only.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * const customer = { id: 'cus_1', phone: '+14155550100' };
 * const checks = checksOfBilling({ billing, customer, openInvoice, paymentMethodId: 'pm_1' });
 * for (const { name, run } of checks) test(name, run);
 */
export const checksOfBilling = (options: BillingCheckOptions): readonly BillingCheck[] => {
  // A check that fails must not make the next one fail.
  const client = createBillingClient({ ...options.billing, circuit: false });
  const asAnswered = createBillingClient({
    ...options.billing,
    circuit: false,
    dialect: withFoundAsAnswered(options.billing.dialect),
  });
  return [
    ...accessChecks(options),
    ...customerChecks(asAnswered, options),
    ...invoiceChecks(client, options),
    ...paymentChecks(client, options),
  ];
};

/** The client leaves out who shows another number, so it would hide a search that ignores its condition. */
const withFoundAsAnswered = (dialect: BillingDialect = {}): BillingDialect => ({
  ...dialect,
  methods: (context) => {
    const { http, entries } = context;
    const findCustomers: BillingMethods['findCustomers'] = (by, call) =>
      http.request(toOperation('billing.customers.find', entries.customers.find, [by]), call);
    return { findCustomers, ...dialect.methods?.(context) };
  },
});
