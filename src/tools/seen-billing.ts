import type { Customer, Invoice } from '../billing/index.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Money } from './money.ts';
import type { FieldProblem } from './tool.ts';

/** What one phone call has looked up and paid. */
export interface SeenBilling {
  addLookUp(customer: Customer, invoices: readonly Invoice[]): void;
  /** The customer of a seen invoice, or the only one that was looked up. */
  customerFor(invoiceId: unknown): Customer | undefined;
  addAttempt(payment: PaymentArguments): void;
  addPaid(payment: PaymentArguments): void;
  /** What speaks against a payment. One that was tried before is repeated, not judged anew. */
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
  const attempts = new Set<string>();
  /** By invoice, what was paid since it was last looked up. */
  const paid = new Map<string, readonly number[]>();

  return {
    addLookUp: (customer, found) => {
      customers.set(customer.id, customer);
      for (const { id, amount } of found) {
        invoices.set(id, { amount, customerId: customer.id });
        paid.delete(id);
      }
    },
    customerFor: (invoiceId) => {
      const seen = typeof invoiceId === 'string' ? invoices.get(invoiceId) : undefined;
      const [first, second] = customers.values();
      return seen ? customers.get(seen.customerId) : second ? undefined : first;
    },
    addAttempt: (payment) => void attempts.add(canonicalJson(payment)),
    addPaid: ({ invoice_id, amount }) => void paid.set(invoice_id, [...(paid.get(invoice_id) ?? []), amount]),
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
      const outstanding = money.subtract(invoice.amount, paid.get(invoice_id) ?? []);
      return amount > outstanding ? { field: 'amount', problem: 'must not be above what is outstanding' } : undefined;
    },
  };
};
