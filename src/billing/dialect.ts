import type { EntryOverrides } from '../api/entry.ts';
import type { HttpDialect } from '../http/dialect.ts';
import type { HttpClient, RequestOptions } from '../http/operation.ts';
import type { LocalClock } from '../core/local-clock.ts';
import type { RecordList } from '../core/schema.ts';
import { type Customer, customerEndpoints, type CustomerSearch } from './customers.ts';
import { type Invoice, invoiceEndpoints } from './invoices.ts';
import { listPayments, type MadePayment, type PaymentSearch, type Refund } from './made-payments.ts';
import { type NewPayment, type Payment, paymentEndpoints } from './payments.ts';
import { type NewRefund, refundPayment } from './refunds.ts';

/** The operations of the billing API, as the default API writes them. */
export const billingEndpoints = {
  customers: customerEndpoints,
  invoices: invoiceEndpoints,
  payments: { ...paymentEndpoints, list: listPayments, refund: refundPayment },
};

/** The entries of these operations. */
type BillingEndpoints = typeof billingEndpoints;

/** The differences of a billing platform from the default API. A plain object; defaults stand for the rest. */
export interface BillingDialect {
  /** The platform, as people call it. @defaultValue none */
  readonly name?: string | undefined;
  /** The differences of single operations. */
  readonly endpoints?: EntryOverrides<BillingEndpoints> | undefined;
  /** Makes the operations that take more than one request. */
  readonly methods?: ((context: BillingContext) => Partial<BillingMethods>) | undefined;
  /** The API's refusals, limits and headers. */
  readonly http?: HttpDialect | undefined;
}

/** The client's parts that the methods of a dialect use. */
export interface BillingContext {
  readonly http: HttpClient;
  /** The entries of the operations, with the dialect's overrides. */
  readonly entries: BillingEndpoints;
  /** The time zone of the business. */
  readonly clock: LocalClock;
}

/** Operations that a dialect may do in its own way. All requests of one share its deadline. */
export interface BillingMethods {
  /** Everyone with these details: the client takes the one, and asks `choose` about several. */
  readonly findCustomers: (by: CustomerSearch, call: RequestOptions) => Promise<RecordList<Customer>>;
  readonly listOpen: (customerId: string, call: RequestOptions) => Promise<RecordList<Invoice>>;
  /** The amount is known to be one that may be charged. Must not charge another one. */
  readonly pay: (payment: NewPayment, call: RequestOptions) => Promise<Payment>;
  readonly listPayments: (by: PaymentSearch, call: RequestOptions) => Promise<RecordList<MadePayment>>;
  /** The payment was read just now, and that much is left of it. Must not give back another amount. */
  readonly refund: (asked: NewRefund, payment: MadePayment, call: RequestOptions) => Promise<Refund>;
}
