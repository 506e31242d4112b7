import type { Contract, EndpointAnswer } from '../endpoint.ts';
import { Refused } from '../refused.ts';
import { type BillingStore, type FakeCustomer, type FakeInvoice, toHundredths } from '../store/billing.ts';
import { type Envelope, listAnswer } from './envelope.ts';

/** The API's answer when no customer was found. */
export type AbsentAnswer = '404' | '204' | 'null' | '{}' | '[]';

/** The endpoints of the billing API, and how it refuses. */
export const billingContract = ({
  envelope,
  absentCustomer,
  severalCustomers,
  invoiceFilter,
  idempotency,
}: {
  envelope: Envelope;
  absentCustomer: AbsentAnswer;
  severalCustomers: 'first' | 'list';
  invoiceFilter: 'honoured' | 'ignored';
  idempotency: 'key' | 'none';
}): Contract<BillingStore> => ({
  endpoints: [
    {
      operation: 'billing.customers.find',
      method: 'GET',
      path: '/customers/search',
      effect: 'read',
      query: { optional: { phone: 'phone', email: 'email' } },
      answer: ({ store, query }) => {
        if (query['phone'] === undefined && query['email'] === undefined) {
          throw new Refused(400, 'missing_field', 'phone or email is required', { field: 'phone' });
        }
        const found = [...store.customers.values()].filter((candidate) => isMeant(candidate, query));
        if (found.length > 1 && severalCustomers === 'list') return listAnswer(envelope, found);
        const [customer] = found;
        if (customer) return { status: 200, body: customer };
        if (absentCustomer === '404') throw new Refused(404, 'customer_not_found', 'No customer matches');
        return absentAnswers[absentCustomer];
      },
    },
    {
      operation: 'billing.customers.get',
      method: 'GET',
      path: '/customers/{id}',
      effect: 'read',
      answer: ({ store, params }) => ({ status: 200, body: customerOf(store, params['id']) }),
    },
    {
      operation: 'billing.invoices.listOpen',
      method: 'GET',
      path: '/invoices',
      effect: 'read',
      query: { required: { customer_id: 'text' }, optional: { status: 'text' } },
      answer: ({ store, query }) => {
        const { id } = customerOf(store, query['customer_id']);
        const status = query['status'];
        if (status !== undefined && !['open', 'paid', 'void'].includes(status)) {
          throw new Refused(400, 'invalid_field', 'status must be open, paid or void', { field: 'status' });
        }
        const invoices = [...store.invoices.values()].filter(
          (invoice) =>
            invoiceFilter === 'ignored' ||
            (invoice.customer_id === id && (status === undefined || invoice.status === status)),
        );
        return listAnswer(envelope, invoices);
      },
    },
    {
      operation: 'billing.payments.create',
      method: 'POST',
      path: '/payments',
      effect: 'write',
      body: {
        required: idempotency === 'key' ? { ...paymentFields, ...keyField } : paymentFields,
        optional: idempotency === 'key' ? {} : keyField,
      },
      answer: ({ store, body }) => {
        const customer = customerOf(store, body['customer_id']);
        const invoice = invoiceOf(store, customer, body['invoice_id']);
        const amount = Number(body['amount']);
        refuseAmount(invoice, amount);
        const payment = store.pay({
          customer_id: customer.id,
          invoice_id: invoice.id,
          amount,
          payment_method_id: String(body['payment_method_id']),
          idempotency_key: typeof body['idempotency_key'] === 'string' ? body['idempotency_key'] : '',
        });
        const { id, confirmation_number, error_message } = payment;
        return { status: 201, body: { id, status: store.statusWord(payment), confirmation_number, error_message } };
      },
    },
  ],
  keyField: 'idempotency_key',
  refusals: {
    unauthorized: [401, 'unauthorized'],
    version: [400, 'unsupported_version'],
    path: [404, 'not_found'],
    method: [405, 'method_not_allowed'],
    media: [415, 'unsupported_media_type'],
    json: [400, 'invalid_json'],
    missing: [400, 'missing_field'],
    type: [400, 'invalid_field'],
    unknown: [400, 'unknown_field'],
    limited: [429, 'rate_limited'],
    'key-reused': [422, 'idempotency_key_reused'],
    'key-mismatch': [400, 'idempotency_key_mismatch'],
    fault: [500, 'internal_error'],
  },
  errorBody: ({ code, message, field }, requestId) => ({
    error: { code, message, field },
    request_id: requestId,
  }),
});

const absentAnswers: Readonly<Record<Exclude<AbsentAnswer, '404'>, EndpointAnswer>> = {
  '204': { status: 204 },
  null: { status: 200, body: null },
  '{}': { status: 200, body: {} },
  '[]': { status: 200, body: [] },
};

const isMeant = (customer: FakeCustomer, query: Readonly<Record<string, string>>): boolean =>
  (query['phone'] === undefined || customer.phone === query['phone']) &&
  (query['email'] === undefined || customer.email?.toLowerCase() === query['email'].toLowerCase());

const customerOf = (store: BillingStore, id: unknown): FakeCustomer => {
  const customer = store.customers.get(String(id));
  if (!customer) throw new Refused(404, 'customer_not_found', 'No such customer', { field: 'customer_id' });
  return customer;
};

const invoiceOf = (store: BillingStore, customer: FakeCustomer, id: unknown): FakeInvoice => {
  const invoice = store.invoices.get(String(id));
  if (!invoice) throw new Refused(404, 'invoice_not_found', 'No such invoice', { field: 'invoice_id' });
  if (invoice.customer_id !== customer.id) {
    throw new Refused(422, 'invoice_of_other_customer', 'The invoice is not of this customer', { field: 'invoice_id' });
  }
  if (invoice.status !== 'open') {
    throw new Refused(409, 'invoice_not_open', `The invoice is ${invoice.status}`, { field: 'invoice_id' });
  }
  return invoice;
};

const refuseAmount = (invoice: FakeInvoice, amount: number) => {
  const refuse = (code: string, problem: string) => {
    throw new Refused(422, code, `amount ${problem}`, { field: 'amount' });
  };
  if (amount <= 0) refuse('amount_invalid', 'must be greater than 0');
  if (Math.abs(amount * 100 - toHundredths(amount)) > 1e-6) refuse('amount_invalid', 'must have at most two decimals');
  if (toHundredths(amount) > toHundredths(invoice.amount_due)) refuse('amount_exceeds_due', 'is more than what is due');
};

const paymentFields = {
  customer_id: 'text',
  invoice_id: 'text',
  amount: 'number',
  payment_method_id: 'text',
} as const;
const keyField = { idempotency_key: 'text' } as const;
