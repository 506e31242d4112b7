import type { Customer, Invoice } from '../billing/index.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Money } from './money.ts';
import type { FieldProblem } from './tool.ts';

/** What one phone call has looked up and paid. */
export interface SeenBilling {
  addLookUp(customer: Customer, invoices: readonly Invoice[]): void;
  /** The customer of a seen invoice, or the only one that was looked up. */
  customerFor(invoiceId: unknown): Customer | undefined;
  /** Counts a payment that is sent now. `false`: it was sent before, and may have happened. */
  addAttempt(payment: PaymentArguments): boolean;
  addPaid(payment: PaymentArguments): void;
  /** The payment has certainly not been made. */
  removeAttempt(payment: PaymentArguments): void;
  /** What speaks against a payment. One that was made, or may have been, is repeated and not judged anew. */
  problemWith(payment: PaymentArguments, verify: VerifyIds): FieldProblem | undefined;
}

/**
 * Whether a payment must be for something that this phone call has looked up. `when-known`: once something was looked
 * up.
 */
export type VerifyIds = 'when-known' | 'always' | 'never';

export interface PaymentArguments {
  readonly customer_id: string;
  readonly invoice_id: string;
  readonly amount: number;
  readonly payment_method_id: string;
}

export const startSeenBilling = (money: Money): SeenBilling => {
  const customers = new Map<string, Customer>();
  const invoices = new Map<string, { readonly amount: number; readonly customerId: string }>();
  const attempts = new Map<string, Attempt>();

  return {
    addLookUp: (customer, found) => {
      customers.set(customer.id, customer);
      for (const { id, amount } of found) {
        invoices.set(id, { amount, customerId: customer.id });
      }
      if (attempts.size === 0) return;
      const isFound = new Set(found.map(({ id }) => id));
      // What was paid before is known to the billing system by now; what may have been is not.
      for (const attempt of attempts.values()) {
        if (attempt.isPaid && isFound.has(attempt.invoiceId)) attempt.counts = false;
      }
    },
    customerFor: (invoiceId) => {
      const seen = typeof invoiceId === 'string' ? invoices.get(invoiceId) : undefined;
      const [first, second] = customers.values();
      return seen ? customers.get(seen.customerId) : second ? undefined : first;
    },
    addAttempt: (payment) => {
      const key = canonicalJson(payment);
      if (attempts.has(key)) return false;
      const { invoice_id: invoiceId, amount } = payment;
      attempts.set(key, { invoiceId, amount, isPaid: false, counts: true });
      return true;
    },
    addPaid: (payment) => {
      const attempt = attempts.get(canonicalJson(payment));
      if (attempt) attempt.isPaid = true;
    },
    removeAttempt: (payment) => void attempts.delete(canonicalJson(payment)),
    problemWith: (payment, verify) => {
      const { customer_id, invoice_id, amount } = payment;
      if (verify === 'never' || attempts.has(canonicalJson(payment))) return undefined;
      if (customers.size === 0) {
        return verify === 'always'
          ? { field: 'invoice_id', problem: 'is not known yet: look the invoices up first' }
          : undefined;
      }
      const invoice = invoices.get(invoice_id);
      if (!invoice) return { field: 'invoice_id', problem: 'is not one of the invoices that were looked up' };
      if (invoice.customerId !== customer_id)
        return { field: 'customer_id', problem: 'is not the customer of the invoice' };
      const counted = [...attempts.values()].filter(({ invoiceId, counts }) => counts && invoiceId === invoice_id);
      const outstanding = money.subtract(
        invoice.amount,
        counted.map((attempt) => attempt.amount),
      );
      return amount > outstanding ? { field: 'amount', problem: 'must not be above what is outstanding' } : undefined;
    },
  };
};

/** A payment that was made, or may have been. */
interface Attempt {
  readonly invoiceId: string;
  readonly amount: number;
  isPaid: boolean;
  /** Whether the invoice, as it was last looked up, still holds its amount. */
  counts: boolean;
}
