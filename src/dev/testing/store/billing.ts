import { oneOf } from '../../../core/option-checks.ts';
import { createIds } from './ids.ts';

/** A customer as the fake billing API keeps it. */
export interface FakeCustomer {
  id: string;
  name: string;
  phone: string | null;
  email: string | null;
  /** A card on file, for `payments.card`. Stripe's have it in `invoice_settings`. */
  default_payment_method?: string;
  /** UNIX seconds. Stripe's searches don't know a customer of now. @defaultValue a day ago */
  created?: number;
}

/** An invoice as the fake billing API keeps it. */
export interface FakeInvoice {
  id: string;
  customer_id: string;
  /** In the currency's main unit, such as 120.5. */
  amount: number;
  /** The amount that pending and completed payments leave over. */
  amount_due: number;
  /** YYYY-MM-DD, or a moment with its offset. */
  due_date: string;
  status: 'open' | 'paid' | 'void';
  /** Such as `EUR`. @defaultValue not in the record */
  currency?: string;
  /** Stripe: payments that were attached to it, with the state of their PaymentIntent. @defaultValue none */
  attached?: readonly { readonly amount: number; readonly status: string }[];
  /** Stripe: the Account whose it is instead of a Customer's. @defaultValue it's a Customer's */
  customer_account?: string;
}

/** A payment as the fake billing API keeps it, whatever word it answers with. Only a `completed` one moved money. */
export interface FakePayment {
  id: string;
  customer_id: string;
  invoice_id: string;
  amount: number;
  payment_method_id: string;
  idempotency_key: string;
  status: 'completed' | 'failed' | 'pending';
  confirmation_number: string | null;
  error_message: string | null;
  /** A test added it: assertions don't count it as made now. */
  isPast?: true;
}

/** A refund as the fake billing API keeps it. */
export interface FakeRefund {
  id: string;
  payment_id: string;
  invoice_id: string;
  amount: number;
  status: RefundStatus;
  idempotency_key: string;
  error_message: string | null;
  /** A test added it: assertions don't count it as made now. */
  isPast?: true;
  /** Stripe: the reason that was sent with it. */
  reason?: string | undefined;
}

/** The state of a refund. A `failed` or `canceled` one gives nothing back. */
export type RefundStatus = 'completed' | 'pending' | 'requires_action' | 'failed' | 'canceled';

const refundStatuses: readonly RefundStatus[] = ['completed', 'pending', 'requires_action', 'failed', 'canceled'];

/** A payment that was made before the phone call. */
export type PastPayment = Pick<FakePayment, 'invoice_id'> &
  Partial<Pick<FakePayment, 'id' | 'amount' | 'status'>> & {
    /** The moment, as ISO 8601. @defaultValue now */
    readonly created_at?: string;
  };

/** The fields of an invoice that a test adds. */
export type NewFakeInvoice = Partial<Omit<FakeInvoice, 'amount_due'>> & Pick<FakeInvoice, 'customer_id' | 'amount'>;

/**
 * The end of a payment. The objects contain the `error_message` of a declined or pending payment. Their `status` is the
 * word that the API answers with, by default `failed` or `pending`.
 */
export type PaymentResult =
  | 'completed'
  | 'pending'
  | 'declined'
  | { readonly declined: string; readonly status?: string }
  | { readonly pending: string | null; readonly status?: string };

/** The end of a payment that no longer waits. */
export type SettledResult = Exclude<PaymentResult, 'pending' | { readonly pending: unknown }>;

/** Throws `InvalidArgumentError` for an end that no payment has. */
const assertResult = (result: PaymentResult, words: readonly string[] = ['completed', 'pending', 'declined']): void => {
  const isScripted = typeof result === 'object' && result !== null;
  oneOf<string>(isScripted ? undefined : (result ?? null), 'result', words, 'an object with words for the caller')();
};

/** The fields of a payment that a rule sees. */
export type NewFakePayment = Pick<
  FakePayment,
  'customer_id' | 'invoice_id' | 'amount' | 'payment_method_id' | 'idempotency_key'
>;

/** Decides how a payment ends. */
export type PaymentRule = (payment: NewFakePayment) => PaymentResult;

const dayMs = 24 * 60 * 60_000;

/** Everything that the fake billing API holds. */
export const createBillingStore = ({ paymentRule }: { paymentRule: PaymentRule }) => {
  const customers = new Map<string, FakeCustomer>();
  const invoices = new Map<string, FakeInvoice>();
  const payments = new Map<string, FakePayment>();
  const addedAt = new Map<string, number>();
  const statusWords = new Map<string, string>();
  const scripted: PaymentResult[] = [];
  const refunds = new Map<string, FakeRefund>();
  const paidAt = new Map<string, string>();
  const scriptedRefunds: RefundStatus[] = [];
  const nextId = createIds();

  /** Computes what is left of the invoice after its payments; in hundredths, where sums are exact. */
  const balance = (invoice: FakeInvoice) => {
    const of = (...statuses: FakePayment['status'][]) =>
      [...payments.values()]
        .filter(({ invoice_id, status }) => invoice_id === invoice.id && statuses.includes(status))
        .reduce((sum, { amount }) => sum + toHundredths(amount), 0);
    const whole = toHundredths(leftOf(invoice));
    invoice.amount_due = (whole - of('completed', 'pending')) / 100;
    if (invoice.status !== 'void') invoice.status = of('completed') >= whole ? 'paid' : 'open';
  };

  const finish = (payment: FakePayment, result: PaymentResult): FakePayment => {
    payment.status = statusOf(result);
    statusWords.set(payment.id, (typeof result === 'object' ? result.status : undefined) ?? payment.status);
    payment.confirmation_number = result === 'completed' ? `CONF-${payment.id.replace('payment_', '')}` : null;
    payment.error_message = errorMessageOf(result);
    const invoice = invoices.get(payment.invoice_id);
    if (invoice) balance(invoice);
    return payment;
  };

  const finishRefund = (refund: FakeRefund, status: RefundStatus): FakeRefund =>
    Object.assign(refund, { status, error_message: status === 'failed' ? 'The bank sent the refund back' : null });

  return {
    customers,
    invoices,
    payments,
    /** The time at which each customer was made, in milliseconds since 1970. */
    addedAt,
    /** The coming payments end like this, before the rule is asked. */
    scripted,
    addCustomer: (seed: Partial<FakeCustomer>): FakeCustomer => {
      const id = seed.id ?? nextId('customer', (candidate) => customers.has(candidate));
      const customer = { name: 'Customer', phone: null, email: null, ...seed, id };
      customers.set(id, customer);
      addedAt.set(id, seed.created === undefined ? Date.now() - dayMs : seed.created * 1_000);
      return customer;
    },
    addInvoice: (seed: NewFakeInvoice): FakeInvoice => {
      const id = seed.id ?? nextId('invoice', (candidate) => invoices.has(candidate));
      const status = seed.status ?? 'open';
      const amount_due = status === 'open' ? seed.amount : 0;
      const invoice = { due_date: '2026-01-31', ...seed, status, amount_due, id };
      invoices.set(id, invoice);
      return invoice;
    },
    pay: (fields: NewFakePayment): FakePayment => {
      const id = nextId('payment', (candidate) => payments.has(candidate));
      const payment: FakePayment = {
        ...fields,
        id,
        status: 'pending',
        confirmation_number: null,
        error_message: null,
      };
      payments.set(id, payment);
      paidAt.set(id, new Date().toISOString());
      const result = scripted.shift() ?? paymentRule(fields);
      assertResult(result);
      return finish(payment, result);
    },
    finish,
    refunds,
    /** The moments of payments and refunds, as ISO 8601. */
    paidAt,
    /** Stripe: payment methods that were attached, and to whom. */
    attached: new Map<string, string>(),
    /** The coming refunds end like this. */
    scriptedRefunds,
    addPayment: ({ invoice_id, created_at, ...seed }: PastPayment): FakePayment => {
      const invoice = invoices.get(invoice_id);
      if (!invoice) throw new Error(`There is no invoice ${invoice_id}`);
      const id = seed.id ?? nextId('payment', (candidate) => payments.has(candidate));
      const payment: FakePayment = {
        id,
        customer_id: invoice.customer_id,
        invoice_id,
        amount: seed.amount ?? invoice.amount,
        payment_method_id: 'pm_on_file',
        idempotency_key: '',
        status: 'pending',
        confirmation_number: null,
        error_message: null,
        isPast: true,
      };
      payments.set(id, payment);
      paidAt.set(id, created_at ?? new Date().toISOString());
      const { status = 'completed' } = seed;
      return finish(payment, status === 'failed' ? 'declined' : status);
    },
    /** Returns the sum that was given back of a payment, or may be, in hundredths. */
    refundedOf: (paymentId: string): number =>
      [...refunds.values()]
        .filter((one) => one.payment_id === paymentId && one.status !== 'failed' && one.status !== 'canceled')
        .reduce((sum, { amount }) => sum + toHundredths(amount), 0),
    refund: (fields: Omit<FakeRefund, 'id' | 'status' | 'error_message'>, status?: RefundStatus): FakeRefund => {
      const id = nextId('refund', (candidate) => refunds.has(candidate));
      const made: FakeRefund = { ...fields, id, status: 'pending', error_message: null };
      refunds.set(id, made);
      paidAt.set(id, new Date().toISOString());
      return finishRefund(made, status ?? scriptedRefunds.shift() ?? 'completed');
    },
    finishRefund,
    /** Returns the API's word for the payment's status. */
    statusWord: ({ id, status }: FakePayment): string => statusWords.get(id) ?? status,
  };
};

export type BillingStore = ReturnType<typeof createBillingStore>;

const statusOf = (result: PaymentResult): FakePayment['status'] => {
  if (result === 'completed') return 'completed';
  return result === 'pending' || (typeof result === 'object' && 'pending' in result) ? 'pending' : 'failed';
};

const errorMessageOf = (result: PaymentResult): string | null => {
  if (typeof result === 'object') return 'declined' in result ? result.declined : result.pending;
  return result === 'declined' ? 'The card was declined' : null;
};

/** Returns the amount that the attached payments leave of an invoice. */
export const leftOf = ({ amount, attached = [] }: FakeInvoice): number =>
  attached.reduce((left, one) => (one.status === 'succeeded' ? left - one.amount : left), amount);

/** Amounts have at most two decimals here. */
export const toHundredths = (amount: number): number => Math.round(amount * 100);

/** The fake billing API, for a test to fill and to look at. What is read is a copy of that moment. */
export interface FakeBilling {
  readonly customers: readonly FakeCustomer[];
  readonly invoices: readonly FakeInvoice[];
  /** Declined and pending ones too: only `completed` ones moved money. */
  readonly payments: readonly FakePayment[];

  /** The refunds, with those that failed or were canceled. */
  readonly refunds: readonly FakeRefund[];

  addCustomer(customer: Partial<FakeCustomer>): FakeCustomer;
  /** A payment that was made before, such as a week ago. */
  addPayment(payment: PastPayment): FakePayment;
  /** A refund that someone else makes, such as a colleague in the billing system. */
  addRefund(refund: Pick<FakeRefund, 'payment_id' | 'amount'> & { readonly status?: RefundStatus }): FakeRefund;
  addInvoice(invoice: NewFakeInvoice): FakeInvoice;

  /** The next payment ends like this. Called several times, it sets the ones after it too. */
  nextPayment(result: PaymentResult): void;
  /** A pending payment comes to its end. */
  settlePayment(id: string, result: SettledResult): FakePayment;

  /** The next refund is in this state. Called several times, it sets the ones after it too. */
  nextRefund(status: RefundStatus): void;
  /** A refund comes to its end; a completed one may still fail. */
  settleRefund(id: string, status: RefundStatus): FakeRefund;

  /** From now on no other credential is accepted, as after a rotation. */
  acceptOnly(...credentials: readonly string[]): void;
}

export const billingView = (store: BillingStore, acceptOnly: FakeBilling['acceptOnly']): FakeBilling => ({
  get customers() {
    return structuredClone([...store.customers.values()]);
  },
  get invoices() {
    return structuredClone([...store.invoices.values()]);
  },
  get payments() {
    return structuredClone([...store.payments.values()]);
  },
  get refunds() {
    return structuredClone([...store.refunds.values()]);
  },
  addPayment: (payment) => {
    oneOf(payment.status, 'status', ['completed', 'pending', 'failed'])();
    return structuredClone(store.addPayment(payment));
  },
  addRefund: ({ payment_id, amount, status }) => {
    assertRefundStatus(status ?? 'completed');
    const invoice_id = store.payments.get(payment_id)?.invoice_id ?? invoiceOfIntent(payment_id);
    return structuredClone(
      store.refund({ payment_id, invoice_id, amount, idempotency_key: '', isPast: true }, status ?? 'completed'),
    );
  },
  nextRefund: (status) => {
    assertRefundStatus(status);
    store.scriptedRefunds.push(status);
  },
  settleRefund: (id, status) => {
    assertRefundStatus(status);
    const refund = store.refunds.get(id);
    if (!refund) throw new Error(`There is no refund ${id}`);
    return structuredClone(store.finishRefund(refund, status));
  },
  addCustomer: (customer) => structuredClone(store.addCustomer(customer)),
  addInvoice: (invoice) => structuredClone(store.addInvoice(invoice)),
  nextPayment: (result) => {
    assertResult(result);
    store.scripted.push(result);
  },
  settlePayment: (id, result) => {
    assertResult(result, ['completed', 'declined']);
    const payment = store.payments.get(id);
    if (payment?.status !== 'pending') throw new Error(`There is no pending payment ${id}`);
    return structuredClone(store.finish(payment, result));
  },
  acceptOnly,
});

const assertRefundStatus = (status: RefundStatus): void => {
  oneOf(status ?? null, 'status', refundStatuses)();
};

/** Stripe: the invoice of a PaymentIntent. */
const invoiceOfIntent = (id: string): string => /^pi_(.+)_\d+$/.exec(id)?.[1] ?? '';
