/**
 * The client for a billing API: customers, open invoices, and payments that are made once.
 *
 * @module
 */
export {
  type BillingFunctions,
  billingFrom,
  type OwnBilling,
  type OwnCustomer,
  type OwnInvoice,
  type OwnMadePayment,
  type OwnMadeRefund,
  type OwnPayment,
  type OwnPaymentOrder,
  type OwnRefund,
  type OwnRefundOrder,
} from './billing-from.ts';
export type { BillingClient } from './billing-client.ts';
export { type BillingConnection, type BillingOptions, createBillingClient } from './client.ts';
export type { ChooseCustomer, Customer, Finds } from './customers.ts';
export type { BillingDialect } from './dialect.ts';
export type { Invoice } from './invoices.ts';
export type { MadePayment, PaymentSearch, Refund } from './made-payments.ts';
export type { NewPayment, Payment, PaymentLimit, PaymentStatuses, PaymentTerms } from './payments.ts';
export type { NewRefund } from './refunds.ts';
export type { RecordList } from '../core/schema.ts';
