import { deepEqual, equal, ok } from 'node:assert/strict';
import type { BillingClient } from '../../../billing/index.ts';
import type { BillingCheck, BillingCheckOptions } from './check.ts';

export const invoiceChecks = (
  { invoices }: BillingClient,
  { customer, openInvoice }: BillingCheckOptions,
): readonly BillingCheck[] => [
  {
    name: 'lists a new invoice as open, with its amount as a number',
    run: async () => {
      const { id, amount } = await openInvoice();
      const { data } = await invoices.listOpen(customer.id);
      equal(data.find((invoice) => invoice.id === id)?.amount, amount, `The open invoices must hold ${id}`);
    },
  },
  {
    name: 'lists open invoices of this customer only',
    run: async () => {
      await openInvoice();
      const { data } = await invoices.listOpen(customer.id);
      ok(data.length > 0, 'There must be an open invoice');
      const strange = data.filter(
        ({ customer_id, status }) => (customer_id ?? customer.id) !== customer.id || (status ?? 'open') !== 'open',
      );
      deepEqual(strange, [], 'Each must be open, and of the customer that was asked for');
    },
  },
];
