/**
 * The client for a billing API: customers, open invoices, and payments that are made once.
 *
 * @module
 */
export type { ChooseCustomer } from './one-customer.ts';
export type { BillingClient, BillingOptions, PaymentStatuses, PaymentTerms } from './client.ts';
export { createBillingClient } from './create-client.ts';
export type { BillingDialect } from './dialect.ts';
export type { Customer, Invoice, NewPayment, Payment } from './records.ts';
export type { RecordList } from '../core/schema.ts';
