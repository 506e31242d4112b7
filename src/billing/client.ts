import type { ApiConnection } from '../api/api-client.ts';
import type { ApiVersion } from '../api/version.ts';
import type { ConnectionOptions, RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../core/schema.ts';
import type { ChooseCustomer, Customer, CustomerSearch } from './customers.ts';
import type { BillingDialect } from './dialect.ts';
import type { Invoice } from './invoices.ts';
import type { NewPayment, Payment, PaymentStatuses, PaymentTerms } from './payments.ts';

/** How to reach the billing API, and what it may be asked to charge. */
export interface BillingOptions extends ConnectionOptions {
  /** Where the pinned version goes: `{ path: 'v1' }`, `{ header: { name, value } }`, or `'in-base-url'`. */
  readonly version: ApiVersion;
  /** Every payment must be below this, in the API's own unit. */
  readonly maximumPayment: number;
  /** How many decimals an amount may have. @defaultValue 2, with the unit `minor` 0 */
  readonly minorUnits?: number | undefined;
  /** The currency of all amounts, such as `EUR`. Models see it. @defaultValue what an invoice's `currency` says */
  readonly currency?: string | undefined;
  /** What an amount counts: `major` euros, `minor` cents. Models see it. @defaultValue 'major' */
  readonly unit?: 'major' | 'minor' | undefined;
  /** What the API calls payments that are pending or refused, where the defaults don't fit. */
  readonly paymentStatuses?: PaymentStatuses | undefined;
  /** No payment is sent with less time left than this, since a card takes a while. @defaultValue 3000 */
  readonly minimumBudgetMs?: number | undefined;
  /** The time zone of the business, as an IANA name: a moment in its answers is the day there. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
  /**
   * Decides which of several customers with one phone or e-mail is meant. Everything but one of them in time, within the
   * deadline, decides nothing. @defaultValue several are an `AmbiguousError`
   *
   * @example
   * choose: (customers) => customers.find(({ metadata }) => Object(metadata).main === 'yes'),
   */
  readonly choose?: ChooseCustomer | undefined;
  /** What is different on a real platform. A preset such as `stripe` says it. */
  readonly dialect?: BillingDialect | undefined;
}

/** Finds customers and their open invoices, and makes payments. */
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
  };
  /** What the options say about payments. */
  paymentTerms(): PaymentTerms;
}
