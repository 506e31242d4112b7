import type { BillingOptions } from '../../../billing/index.ts';

/** An invoice without any payment yet. */
export interface OpenInvoice {
  readonly id: string;
  /** The amount due in the API's own unit; below `payments.below`. */
  readonly amount: number;
}

/** The test environment that the checks use. */
export interface BillingCheckOptions {
  /** The options of `createBillingClient` that reach it, or what `billingFrom` returns. */
  readonly billing: BillingOptions;
  /** A customer there, and by what they are found. */
  readonly customer: { readonly id: string; readonly phone?: string | undefined; readonly email?: string | undefined };
  /** Makes a new open invoice of that customer, of more than a few cents. Each check asks for as many as it pays. */
  readonly openInvoice: () => OpenInvoice | Promise<OpenInvoice>;
  /** A payment method of that customer that is always taken. */
  readonly paymentMethodId: string;
  /** One that is always declined. @defaultValue none: whether declined payments are reported is not checked */
  readonly declinedPaymentMethodId?: string | undefined;
  /**
   * Counts the payments of an invoice that moved money, such as in a table.
   * @defaultValue judged only by the answers and the open invoices, which cannot show a payment that no answer reports
   */
  readonly paymentsOf?: ((invoiceId: string) => number | Promise<number>) | undefined;
}
