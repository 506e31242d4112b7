import type { Endpoint } from '../http/operation.ts';
import { path } from '../http/path.ts';
import type { CustomerSearch, NewPayment } from './records.ts';

/** How the billing API spells its operations. */
export interface BillingDialect {
  readonly getCustomer: (id: string) => Endpoint;
  readonly searchCustomer: (by: CustomerSearch) => Endpoint;
  readonly listOpenInvoices: (customerId: string) => Endpoint;
  readonly createPayment: (payment: NewPayment) => Endpoint;
}

/** As the interface document writes them. */
export const documentedBilling: BillingDialect = {
  getCustomer: (id) => ({ method: 'GET', path: path`customers/${id}` }),
  searchCustomer: ({ phone, email }) => ({ method: 'GET', path: 'customers/search', query: { phone, email } }),
  listOpenInvoices: (customerId) => ({
    method: 'GET',
    path: 'invoices',
    query: { customer_id: customerId, status: 'open' },
  }),
  createPayment: ({ customer_id, invoice_id, amount, payment_method_id }) => ({
    method: 'POST',
    path: 'payments',
    body: (idempotency_key) => ({ customer_id, invoice_id, amount, payment_method_id, idempotency_key }),
  }),
};
