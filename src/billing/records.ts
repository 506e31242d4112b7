/** Who is billed. Fields that are not listed here are kept as they came. */
export interface Customer {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** By what a customer is found; at least one must be given. */
export interface CustomerSearch {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * What a customer owes. Fields that are not listed here are kept as they came. Tools read two of them: `amount_due`, which
 * is what is left to pay, and `currency`.
 */
export interface Invoice {
  readonly id: string;
  /** In the API's own unit. */
  readonly amount: number;
  /** As the API writes it; usually YYYY-MM-DD. */
  readonly due_date?: string | null | undefined;
  readonly customer_id?: string | null | undefined;
  /** `open` until it is paid. */
  readonly status?: string | null | undefined;
  /** Where the customer can pay it with a browser. */
  readonly payment_page_url?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A payment to make. The idempotency key is added by the client. */
export interface NewPayment {
  readonly customer_id: string;
  readonly invoice_id: string;
  /** A number in the API's own unit: above 0, below `maximumPayment`, with at most `minorUnits` decimals. */
  readonly amount: number;
  /** A card or account that the customer has left with the API; never a card number. */
  readonly payment_method_id: string;
}

/**
 * How a payment ended. Anything but `completed` isn't a success, and may not be final yet. An answer with another `amount`,
 * `currency` or `invoice_id` than asked for counts as unknown.
 */
export interface Payment {
  /**
   * `completed` is success. `already_paid`: nothing was charged now, and it's paid, perhaps by this payment. The API's
   * other words are its own.
   */
  readonly status: string;
  /** The number that the caller gets after a success. */
  readonly confirmation_number?: string | null | undefined;
  /** Why it wasn't made, in the API's words. */
  readonly error_message?: string | null | undefined;
  readonly [field: string]: unknown;
}
