import type {
  ConnectionOptions,
  CustomRequest,
  HttpClientStatus,
  RequestOptions,
  WarmUp,
  WarmUpOptions,
} from '../http/operation.ts';
import type { RecordList } from '../schema.ts';
import type { PaymentStatuses } from './payment-outcome.ts';
import type { Customer, CustomerSearch, Invoice, NewPayment, Payment } from './records.ts';

/** How to reach the billing API, and what it may be asked to charge. */
export interface BillingOptions extends ConnectionOptions {
  /** Where the pinned version stands: a first segment of the path, a header, or the base address itself. */
  readonly version: BillingVersion;
  /** Every payment must be below this, in the API's own unit. */
  readonly maximumPayment: number;
  /** How many decimals an amount may have. @defaultValue 2, with the unit `minor` 0 */
  readonly minorUnits?: number;
  /** The currency of all amounts, such as `EUR`. Models are told. @defaultValue what an invoice's `currency` says */
  readonly currency?: string;
  /** What an amount counts: `major` euros, `minor` cents. Models are told. @defaultValue 'major' */
  readonly unit?: 'major' | 'minor';
  /** What the API calls payments that are pending or refused, where the defaults don't fit. */
  readonly paymentStatuses?: PaymentStatuses;
  /** No payment is sent with less time left than this, since a card takes a while. @defaultValue 3000 */
  readonly minimumBudgetMs?: number;
}

/** Where the pinned version stands: in the first segment of the path, in a header, or in `baseUrl` itself. */
export type BillingVersion =
  | { readonly path: string }
  | { readonly header: { readonly name: string; readonly value: string } }
  | 'in-base-url';

/** What holds for every payment of a client, as its options say it. */
export interface PaymentTerms {
  /** The address of the API: the same ids at another address are another payment. */
  readonly baseUrl: string;
  /** Every payment is below this, in the API's own unit. */
  readonly maximumPayment: number;
  /** How many decimals an amount may have. */
  readonly minorUnits: number;
  readonly currency: string | undefined;
  readonly unit: 'major' | 'minor';
  /** What the API calls payments that aren't completed; `undefined` for the default words. */
  readonly statuses: PaymentStatuses | undefined;
}

/** Finds customers and their open invoices, and makes payments. */
export interface BillingClient extends AsyncDisposable {
  readonly customers: {
    get(id: string, call?: RequestOptions): Promise<Customer>;
    /** The customer with this phone or e-mail, `undefined` when there is none. */
    search(by: CustomerSearch, call?: RequestOptions): Promise<Customer | undefined>;
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
  /** An endpoint that this client lacks. For developers; never a tool of a model. */
  request<T>(request: CustomRequest<T>, call?: RequestOptions): Promise<T>;
  /**
   * Opens a connection and fetches the credential, so that the first request does not wait for them. Call it when the
   * phone rings. Never rejects.
   */
  warmUp(options?: WarmUpOptions): Promise<WarmUp>;
  /** What stands right now between the caller and this API. */
  status(): HttpClientStatus;
  /** Refuses what still waits and frees what was held. */
  close(): Promise<void>;
}
