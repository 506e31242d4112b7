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
  /**
   * Checks refunds too, if the API gives money back; with `billingFrom` it needs `listPayments` and `refund`.
   * @defaultValue refunds aren't checked, and the names of their checks say so
   */
  readonly refunds?: RefundCheckOptions | undefined;
}

/** The parts of the test environment that the checks of refunds use. `{}` is enough. */
export interface RefundCheckOptions {
  /**
   * Returns the sum that was given back of a payment, such as from a table.
   * @defaultValue the sum in `payments.list`, which can't show a refund that it leaves out
   */
  readonly refundedOf?: ((paymentId: string) => number | Promise<number>) | undefined;
  /** Makes the next refund one that is accepted, and not done yet. @defaultValue pending refunds aren't checked */
  readonly makeNextPending?: (() => void | Promise<void>) | undefined;
}
