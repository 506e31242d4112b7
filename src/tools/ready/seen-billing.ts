import type { Customer, Invoice } from '../../billing/index.ts';
import { sumOf } from '../../billing/amount.ts';
import { outstandingOf } from '../../billing/invoices.ts';
import type { ToolContext } from '../context.ts';
import type { FieldProblem } from '../tool.ts';

/** The look-ups and payments of one phone call. Attempts are known by their idempotency key. */
export interface SeenBilling {
  /** `isWhole`: the invoices are all that the customer has open. */
  addLookUp(customer: Customer, invoices: readonly Invoice[], isWhole?: boolean): void;
  /** The customer of a seen invoice, or the only one that was looked up. */
  customerFor(invoiceId: unknown): Customer | undefined;
  /** Nothing was looked up yet. */
  isEmpty(): boolean;
  /** Counts a payment that is sent now. `false`: it was sent before with this key, and may have been made. */
  addAttempt(key: string, payment: PaymentArguments): boolean;
  addPaid(key: string): void;
  /** The payment has certainly not been made. */
  removeAttempt(key: string): void;
  /** The amount of an invoice as it was last looked up. */
  outstandingOf(invoiceId: string): number | undefined;
  /** Keeps payments that were looked up. */
  addPayments(payments: readonly (readonly [id: string, SeenPayment])[]): void;
  /** A payment that was looked up. */
  paymentFor(paymentId: unknown): SeenPayment | undefined;
  /** No payment was looked up yet. */
  hasNoPayments(): boolean;
  /** The payments of this phone call that were sent, and whose end isn't known. */
  unsettled(): readonly Pick<PaymentArguments, 'invoice_id' | 'amount'>[];
  toJson(): object;
  /** Returns the objection to a payment. One that may have been made is repeated and not judged again. */
  problemWith(payment: PaymentArguments, key?: string): FieldProblem | undefined;
}

/** Finds what the caller of a context has looked up and paid in its phone call. */
export interface SeenIn {
  read<Result>(context: ToolContext, use: (seen: SeenBilling) => Result): Promise<Result>;
  change<Result>(context: ToolContext, change: (seen: SeenBilling) => Result): Promise<Result>;
}

/** A payment that was looked up. */
export interface SeenPayment {
  readonly customerId: string;
  readonly invoiceId: string;
  /** The reason why it can't be given back, in words that follow `payment_id`. */
  readonly problem?: string | undefined;
}

export interface PaymentArguments {
  readonly customer_id: string;
  readonly invoice_id: string;
  readonly amount: number;
  readonly payment_method_id: string;
  readonly second_payment?: boolean | null | undefined;
}

export const startSeenBilling = (currency?: string, kept?: unknown): SeenBilling => {
  // Only `toJson` writes here.
  const before = kept as KeptBilling | undefined;
  const customers = new Map<string, Customer>(before?.customers);
  const invoices = new Map<string, SeenInvoice>(before?.invoices);
  const attempts = new Map<string, Attempt>(before?.attempts);
  const payments = new Map<string, SeenPayment>(before?.payments);

  return {
    addLookUp: (customer, found, isWhole = true) => {
      customers.set(customer.id, customer);
      // What isn't listed any more was paid or withdrawn meanwhile.
      if (isWhole) for (const [id, { customerId }] of invoices) if (customerId === customer.id) invoices.delete(id);
      const payable = currency ?? onlyCurrencyOf(found);
      for (const invoice of found) {
        const isPayable = isInCurrency(invoice, payable);
        invoices.set(invoice.id, { amount: outstandingOf(invoice), customerId: customer.id, isPayable });
      }
      if (attempts.size === 0) return;
      const amounts = new Map(found.map((invoice) => [invoice.id, outstandingOf(invoice)]));
      // A list may follow late: a payment counts until the invoice holds less by its amount.
      for (const attempt of attempts.values()) {
        const now = amounts.get(attempt.invoiceId);
        const left = attempt.before === undefined ? Number.POSITIVE_INFINITY : sumOf([attempt.before, -attempt.amount]);
        if (attempt.isPaid && now !== undefined && now <= left) attempt.counts = false;
      }
    },
    customerFor: (invoiceId) => {
      const seen = typeof invoiceId === 'string' ? invoices.get(invoiceId) : undefined;
      const [first, second] = customers.values();
      return seen ? customers.get(seen.customerId) : second ? undefined : first;
    },
    isEmpty: () => customers.size === 0,
    addAttempt: (key, { customer_id: customerId, invoice_id: invoiceId, amount }) => {
      if (attempts.has(key)) return false;
      const before = invoices.get(invoiceId)?.amount;
      attempts.set(key, { customerId, invoiceId, amount, before, isPaid: false, counts: true });
      return true;
    },
    addPaid: (key) => {
      const attempt = attempts.get(key);
      if (attempt) attempt.isPaid = true;
    },
    removeAttempt: (key) => void attempts.delete(key),
    addPayments: (found) => {
      for (const [id, payment] of found) payments.set(id, payment);
    },
    paymentFor: (paymentId) => (typeof paymentId === 'string' ? payments.get(paymentId) : undefined),
    hasNoPayments: () => payments.size === 0,
    unsettled: () =>
      [...attempts.values()]
        .filter(({ isPaid }) => !isPaid)
        .map(({ invoiceId, amount }) => ({ invoice_id: invoiceId, amount })),
    toJson: (): KeptBilling => ({
      customers: [...customers],
      invoices: [...invoices],
      attempts: [...attempts],
      payments: [...payments],
    }),
    outstandingOf: (invoiceId) => invoices.get(invoiceId)?.amount,
    problemWith: (payment, key) => {
      const { customer_id, invoice_id, amount } = payment;
      // Before there is a key, a payment for the same may be a repetition: the guard finds out.
      const isRepeated =
        key === undefined
          ? [...attempts.values()].some(
              (one) => one.customerId === customer_id && one.invoiceId === invoice_id && one.amount === amount,
            )
          : attempts.has(key);
      if (isRepeated) return undefined;
      if (customers.size === 0) return { field: 'invoice_id', problem: 'is not known yet: look the invoices up first' };
      const invoice = invoices.get(invoice_id);
      if (!invoice) return { field: 'invoice_id', problem: 'is not one of the invoices that were looked up' };
      if (invoice.customerId !== customer_id)
        return { field: 'customer_id', problem: 'is not the customer of the invoice' };
      if (!invoice.isPayable)
        return { field: 'invoice_id', problem: 'is in another currency: it can not be paid here' };
      const counted = [...attempts.values()].filter(({ invoiceId, counts }) => counts && invoiceId === invoice_id);
      const outstanding = sumOf([invoice.amount, ...counted.map((attempt) => -attempt.amount)]);
      return amount > outstanding ? { field: 'amount', problem: 'must not be above what is outstanding' } : undefined;
    },
  };
};

/**
 * Keeps the invoices that can be paid, each once. A list may hold paid ones and other people's, if the API ignores a
 * filter.
 */
export const openInvoicesOf = (customer: Customer, invoices: readonly Invoice[]): readonly Invoice[] =>
  [...new Map(invoices.map((invoice) => [invoice.id, invoice])).values()].filter(
    ({ customer_id, status }) =>
      (customer_id === undefined || customer_id === null || customer_id === customer.id) &&
      !closedStatuses.has(status?.toLowerCase() ?? ''),
  );

const closedStatuses: ReadonlySet<string> = new Set([
  'paid',
  'closed',
  'settled',
  'void',
  'voided',
  'canceled',
  'cancelled',
  'refunded',
  'written_off',
  'uncollectible',
  'draft',
]);

/** The API's code, in capitals. */
export const currencyOf = ({ currency }: Invoice): string | undefined =>
  typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency) ? currency.toUpperCase() : undefined;

/** The currency that all of them have; `undefined` when they say none, or several. */
export const onlyCurrencyOf = (invoices: readonly Invoice[]): string | undefined => {
  const [first, second] = new Set(invoices.flatMap((invoice) => currencyOf(invoice) ?? []));
  return second === undefined ? first : undefined;
};

/** An API says the currency of all its invoices, or of none. */
export const isInCurrency = (invoice: Invoice, currency: string | undefined): boolean => {
  const own = currencyOf(invoice);
  return own === undefined || own === currency?.toUpperCase();
};

interface KeptBilling {
  readonly customers: readonly (readonly [string, Customer])[];
  readonly invoices: readonly (readonly [string, SeenInvoice])[];
  readonly attempts: readonly (readonly [string, Attempt])[];
  readonly payments?: readonly (readonly [string, SeenPayment])[];
}

interface SeenInvoice {
  readonly amount: number;
  readonly customerId: string;
  readonly isPayable: boolean;
}

/** A payment that was made, or may have been. */
interface Attempt {
  readonly customerId: string;
  readonly invoiceId: string;
  readonly amount: number;
  /** The invoice's amount at the look-up before the last. */
  readonly before: number | undefined;
  isPaid: boolean;
  /** Returns whether the invoice still held its amount at the last look-up. */
  counts: boolean;
}
