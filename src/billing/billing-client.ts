import type { ApiConnection } from '../api/api-client.ts';
import type { RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { Customer, CustomerSearch } from './customers.ts';
import type { Invoice } from './invoices.ts';
import type { MadePayment, PaymentSearch, Refund } from './made-payments.ts';
import type { NewPayment, Payment, PaymentTerms } from './payments.ts';
import type { NewRefund } from './refunds.ts';

/** Finds customers and their open invoices, makes payments, and gives them back. */
export interface BillingClient extends ApiConnection {
  readonly customers: {
    get(id: string, call?: RequestOptions): Promise<Customer | undefined>;
    /**
     * The customer with this phone or e-mail, `undefined` when there is none. Throws `AmbiguousError` for several, unless
     * `choose` decides.
     */
    find(by: CustomerSearch, call?: RequestOptions): Promise<Customer | undefined>;
  };
  readonly invoices: {
    /** The invoices of a customer that are not paid. */
    listOpen(customerId: string, call?: RequestOptions): Promise<RecordList<Invoice>>;
  };
  readonly payments: {
    /**
     * Charges the payment method. The API charges once per `idempotencyKey`, however often it's sent; the key is in the
     * header and in the body. Resolves with whatever the API says, a declined payment included.
     * An error with `outcome: 'unknown'` means that the money may have moved: repeat it with the key on the error.
     */
    create(payment: NewPayment, call?: RequestOptions): Promise<Payment>;
    /** The payments of a customer's invoices, or of one invoice, with what was given back of each. */
    list(by: PaymentSearch, call?: RequestOptions): Promise<RecordList<MadePayment>>;
    /**
     * Gives a payment back, or a part of it: once per `idempotencyKey`, and never more than is left of it. The payment is
     * read first, with the refunds that others made. Resolves with whatever the API says, such as `pending` or `failed`.
     * An error with `outcome: 'unknown'` means that the money may have moved: repeat it with the key on the error.
     */
    refund(refund: NewRefund, call?: RequestOptions): Promise<Refund>;
  };
  /** The options that are about payments. */
  paymentTerms(): PaymentTerms;
}
