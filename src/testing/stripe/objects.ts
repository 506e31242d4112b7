import type { FakeCustomer, FakeInvoice } from '../store/billing.ts';

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
  const { id, customer_id, due_date, status, currency = 'EUR' } = invoice;
  const total = Math.round(invoice.amount * unitsIn(currency));
  const paid = status === 'paid' ? total : 0;
  return {
    id,
    object: 'invoice',
    customer: customer_id,
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

/** How many of the smallest unit make one of the main unit. Source: docs.stripe.com/currencies. */
const unitsIn = (currency: string): number => {
  if (/^(?:BIF|CLP|DJF|GNF|JPY|KMF|KRW|MGA|PYG|RWF|VND|VUV|XAF|XOF|XPF)$/i.test(currency)) return 1;
  return /^(?:BHD|JOD|KWD|OMR|TND)$/i.test(currency) ? 1000 : 100;
};
