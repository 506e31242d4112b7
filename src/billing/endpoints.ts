import { email, e164, id } from '../core/arguments.ts';
import { entry } from '../api/entry.ts';
import * as z from '../core/schema.ts';
import { readOptional } from '../core/schema.ts';
import * as read from './readers.ts';
import type { CustomerSearch, NewPayment } from './records.ts';

const customerSearch = z.lazily<CustomerSearch>(() =>
  z.object({ phone: z.optional(e164()), email: z.optional(email()) }).check(
    z.refine(({ phone, email }) => phone !== undefined || email !== undefined, {
      path: ['phone'],
      message: 'or email must be given',
    }),
  ),
);

const newPayment = z.lazily<NewPayment>(() =>
  z.object({ customer_id: id(), invoice_id: id(), amount: z.number(), payment_method_id: id() }),
);

/** The operations of the billing API, as the default API writes them. */
export const billingEndpoints = {
  customers: {
    get: entry({ method: 'GET', path: 'customers/{id}', absentOn404: true, returns: readOptional(read.customer) }),
    find: entry({
      method: 'GET',
      path: 'customers/search',
      takes: customerSearch,
      returns: read.foundCustomers({}),
      absentOn404: true,
    }),
  },
  invoices: {
    listOpen: entry({ method: 'GET', path: 'invoices?customer_id={customerId}&status=open', returns: read.invoices }),
  },
  payments: {
    create: entry({
      method: 'POST',
      path: 'payments',
      takes: newPayment,
      body: (payment, idempotency_key) => ({ ...payment, idempotency_key }),
      effect: 'payment',
      wholeDeadline: true,
      returns: read.payment,
    }),
  },
};
