import type { StripeEndpoint } from './endpoint.ts';
import { invoicePaymentObjects } from './objects.ts';
import { missing, page, paging, textIn } from './params.ts';
import { Refused } from '../refused.ts';

/** The payments of an invoice, of which it may have several. Source: docs.stripe.com/api/invoice-payment, 2026-11-27. */
export const invoicePaymentEndpoints = (pageSize: number): readonly StripeEndpoint[] => [
  {
    operation: 'billing.invoices.get',
    method: 'GET',
    path: /^\/v1\/invoice_payments$/,
    takes: [...paging, 'created', 'invoice', 'payment', 'status'],
    expands: ['data.invoice', 'data.payment.payment_intent'],
    answer: ({ store, params }) => {
      const [id, status] = [textIn(params, 'invoice'), textIn(params, 'status')];
      if (status !== undefined && !['open', 'paid', 'canceled'].includes(status))
        throw new Refused(400, '', 'Invalid status: must be one of open, paid, or canceled', { field: 'status' });
      if (id !== undefined && !store.invoices.has(id)) throw missing('invoice', id, 'invoice', 400);
      const found = [...store.invoices.values()]
        .filter((one) => id === undefined || one.id === id)
        .flatMap(invoicePaymentObjects)
        .filter((one) => status === undefined || Object(one).status === status);
      return page('/v1/invoice_payments', found, params, pageSize);
    },
  },
  {
    operation: 'billing.invoices.get',
    method: 'GET',
    path: /^\/v1\/payment_intents\/([^/]+)$/,
    takes: ['expand', 'client_secret'],
    expands: ['customer', 'latest_charge', 'payment_method'],
    answer: ({ store, id }) => {
      const [, invoiceId = '', index] = /^pi_(.+)_(\d+)$/.exec(id) ?? [];
      const invoice = store.invoices.get(invoiceId);
      const attached = invoice?.attached?.[Number(index) - 1];
      if (!invoice || !attached) throw missing('payment_intent', id, 'intent');
      return { id, object: 'payment_intent', customer: invoice.customer_id, status: attached.status, livemode: false };
    },
  },
];
