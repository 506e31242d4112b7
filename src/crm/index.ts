/**
 * The client for a CRM: leads, contacts, accounts, opportunities, cases, tasks and events.
 *
 * @module
 */
export { type CrmClient, type CrmOptions, createCrmClient } from './client.ts';
export { idOf } from './composite.ts';
export type { QueryPages } from './query-pages.ts';
export type { RecordClient, WriteOptions } from './records.ts';
export type { CrmSchemas } from './declared.ts';
export type { CrmDialect } from './dialect.ts';
export type { CrmObject } from './objects.ts';
export type { Account, AccountFields } from './accounts.ts';
export type { Case, CaseFields } from './cases.ts';
export type { CrmContact, CrmContactFields } from './contacts.ts';
export type { CrmEvent, CrmEventFields } from './events.ts';
export { type Lead, type LeadDisposition, leadDispositions, type LeadFields } from './leads.ts';
export type { AnyFields, CreatedRecord } from './object-table.ts';
export type { Opportunity, OpportunityFields } from './opportunities.ts';
export type { Task, TaskFields } from './tasks.ts';
export { and, not, or, where, type Where } from './where.ts';
export type { RecordList } from '../core/schema.ts';
