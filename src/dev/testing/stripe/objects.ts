import { type FakeCustomer, type FakeInvoice, type FakeRefund, leftOf } from '../store/billing.ts';

/** A customer as Stripe writes it. Without another payment method, each has a card that works. */
export const customerObject = (
  { default_payment_method = 'pm_card_visa', ...customer }: FakeCustomer,
  createdAt: number,
): object => ({
  ...customer,
  object: 'customer',
  created: Math.floor(createdAt / 1000),
  currency: null,
  invoice_settings: { default_payment_method },
  livemode: false,
  metadata: {},
});

/** An invoice as Stripe writes it: amounts in the smallest unit of its currency, which is euros where none is said. */
export const invoiceObject = (invoice: FakeInvoice): object => {
  const { id, customer_id, customer_account, due_date, status, currency = 'EUR' } = invoice;
  const total = Math.round(invoice.amount * unitsIn(currency));
  const paid = status === 'paid' ? total : Math.round((invoice.amount - leftOf(invoice)) * unitsIn(currency));
  return {
    id,
    object: 'invoice',
    customer: customer_account === undefined ? customer_id : null,
    customer_account: customer_account ?? null,
    status,
    currency: currency.toLowerCase(),
    total,
    amount_due: total,
    amount_paid: paid,
    amount_remaining: total - paid,
    collection_method: 'send_invoice',
    due_date: Date.parse(due_date) / 1000,
    number: `FAKE-${id}`,
    hosted_invoice_url: `https://invoice.stripe.com/i/acct_fake/${id}`,
    livemode: false,
    metadata: {},
  };
};

/** The payments of an invoice as Stripe writes them: the default one, which is for what is left, and those attached. */
export const invoicePaymentObjects = (invoice: FakeInvoice, paidAt: number): readonly object[] => {
  const { id, status, currency = 'EUR', attached = [] } = invoice;
  const toObject = (index: number, amount: number, ends: string) => ({
    id: `inpay_${id}_${index}`,
    object: 'invoice_payment',
    invoice: id,
    is_default: index === 0,
    amount_requested: Math.round(amount * unitsIn(currency)),
    amount_paid: ends === 'paid' ? Math.round(amount * unitsIn(currency)) : null,
    currency: currency.toLowerCase(),
    created: Math.floor(paidAt / 1000),
    payment: { type: 'payment_intent', payment_intent: `pi_${id}_${index}` },
    status: ends,
    status_transitions: { canceled_at: null, paid_at: ends === 'paid' ? Math.floor(paidAt / 1000) : null },
    livemode: false,
  });
  const words: Readonly<Record<string, string>> = { succeeded: 'paid', canceled: 'canceled' };
  return [
    toObject(0, leftOf(invoice), status === 'open' ? 'open' : status === 'paid' ? 'paid' : 'canceled'),
    ...attached.map((one, index) => toObject(index + 1, one.amount, words[one.status] ?? 'open')),
  ];
};

/** A PaymentIntent of an invoice as Stripe writes it: of its default payment, which has the index 0, or of an attached one. */
export const intentObject = (invoice: FakeInvoice, index: number, isProcessing: boolean): object | undefined => {
  const { id, customer_id, currency = 'EUR', attached = [] } = invoice;
  const ownStatus = invoice.status === 'paid' ? 'succeeded' : isProcessing ? 'processing' : 'requires_payment_method';
  const amount = index === 0 ? leftOf(invoice) : attached[index - 1]?.amount;
  if (amount === undefined) return undefined;
  return {
    id: `pi_${id}_${index}`,
    object: 'payment_intent',
    amount: Math.round(amount * unitsIn(currency)),
    currency: currency.toLowerCase(),
    customer: customer_id,
    latest_charge: `ch_${id}_${index}`,
    status: index === 0 ? ownStatus : attached[index - 1]?.status,
    livemode: false,
    metadata: {},
  };
};

/** A refund as Stripe writes it, in the currency of its invoice. */
export const refundObject = (refund: FakeRefund, currency = 'EUR', createdAt = ''): object => {
  const { id, payment_id, amount, status, idempotency_key, reason } = refund;
  return {
    id,
    object: 'refund',
    amount: Math.round(amount * unitsIn(currency)),
    charge: payment_id.replace(/^pi_/, 'ch_'),
    created: Math.floor(Date.parse(createdAt) / 1000),
    currency: currency.toLowerCase(),
    failure_reason: status === 'failed' ? 'expired_or_canceled_card' : undefined,
    metadata: idempotency_key === '' ? {} : { reference: idempotency_key },
    payment_intent: payment_id,
    pending_reason: status === 'pending' ? 'processing' : undefined,
    reason: reason ?? null,
    status: status === 'completed' ? 'succeeded' : status,
  };
};

/** The number of smallest units in one main unit. Source: docs.stripe.com/currencies. */
export const unitsIn = (currency: string): number => {
  if (/^(?:BIF|CLP|DJF|GNF|JPY|KMF|KRW|MGA|PYG|RWF|VND|VUV|XAF|XOF|XPF)$/i.test(currency)) return 1;
  return /^(?:BHD|JOD|KWD|OMR|TND)$/i.test(currency) ? 1000 : 100;
};
