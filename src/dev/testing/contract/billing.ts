import type { Contract, EndpointAnswer } from '../endpoint.ts';
import { Refused } from '../refused.ts';
import {
  type BillingStore,
  type FakeCustomer,
  type FakeInvoice,
  type FakePayment,
  type FakeRefund,
  toHundredths,
} from '../store/billing.ts';
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
    {
      operation: 'billing.payments.list',
      method: 'GET',
      path: '/payments',
      effect: 'read',
      query: { required: { customer_id: 'text' }, optional: { invoice_id: 'text' } },
      answer: ({ store, query }) => {
        const { id } = customerOf(store, query['customer_id']);
        const { invoice_id } = query;
        const payments = [...store.payments.values()].filter(
          (payment) =>
            invoiceFilter === 'ignored' ||
            (payment.customer_id === id && (invoice_id === undefined || payment.invoice_id === invoice_id)),
        );
        return listAnswer(
          envelope,
          payments.toReversed().map((payment) => madePayment(store, payment)),
        );
      },
    },
    {
      operation: 'billing.payments.refund',
      method: 'POST',
      path: '/refunds',
      effect: 'write',
      body: {
        required: idempotency === 'key' ? { ...refundFields, ...keyField } : refundFields,
        optional: idempotency === 'key' ? {} : keyField,
      },
      answer: ({ store, body }) => {
        const payment = store.payments.get(String(body['payment_id']));
        const amount = Number(body['amount']);
        if (!payment || payment.customer_id !== body['customer_id'] || payment.invoice_id !== body['invoice_id'])
          throw new Refused(404, 'payment_not_found', 'No such payment', { field: 'payment_id' });
        if (payment.status !== 'completed')
          throw new Refused(409, 'payment_not_completed', `The payment is ${payment.status}`, { field: 'payment_id' });
        assertTwoDecimals(amount);
        if (store.refundedOf(payment.id) + toHundredths(amount) > toHundredths(payment.amount))
          throw new Refused(422, 'refund_exceeds_payment', 'amount is more than what is left of the payment', {
            field: 'amount',
          });
        const { id: payment_id, invoice_id } = payment;
        const idempotency_key = typeof body['idempotency_key'] === 'string' ? body['idempotency_key'] : '';
        return { status: 201, body: refundRecord(store.refund({ payment_id, invoice_id, amount, idempotency_key })) };
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
  assertTwoDecimals(amount);
  if (toHundredths(amount) > toHundredths(invoice.amount_due))
    throw new Refused(422, 'amount_exceeds_due', 'amount is more than what is due', { field: 'amount' });
};

const assertTwoDecimals = (amount: number) => {
  const refuse = (problem: string) => {
    throw new Refused(422, 'amount_invalid', `amount ${problem}`, { field: 'amount' });
  };
  if (amount <= 0) refuse('must be greater than 0');
  if (Math.abs(amount * 100 - toHundredths(amount)) > 1e-6) refuse('must have at most two decimals');
};

const madePayment = (store: BillingStore, payment: FakePayment) => {
  const { id, customer_id, invoice_id, amount, confirmation_number, error_message } = payment;
  return {
    id,
    customer_id,
    invoice_id,
    amount,
    status: store.statusWord(payment),
    confirmation_number,
    error_message,
    created_at: store.paidAt.get(id),
    amount_refunded: store.refundedOf(id) / 100,
    refunds: [...store.refunds.values()].filter(({ payment_id }) => payment_id === id).map(refundRecord),
  };
};

const refundRecord = ({ id, payment_id, amount, status, idempotency_key, error_message }: FakeRefund) => ({
  id,
  payment_id,
  amount,
  status,
  idempotency_key,
  error_message,
});

const paymentFields = {
  customer_id: 'text',
  invoice_id: 'text',
  amount: 'number',
  payment_method_id: 'text',
} as const;
const refundFields = { customer_id: 'text', invoice_id: 'text', payment_id: 'text', amount: 'number' } as const;
const keyField = { idempotency_key: 'text' } as const;
