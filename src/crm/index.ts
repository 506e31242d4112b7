/**
 * The client for a CRM: leads, contacts, accounts, opportunities, cases, tasks and events.
 *
 * @module
 */
export type { CrmClient, CrmOptions, QueryPages, RecordClient, WriteOptions } from './client.ts';
export { idOf } from './composite-parts.ts';
export { createCrmClient } from './create-client.ts';
export type { CrmSchemas } from './declared.ts';
export type { CrmDialect } from './dialect.ts';
export type { CrmObject } from './objects.ts';
export type {
  Account,
  AccountFields,
  AnyFields,
  Case,
  CaseFields,
  CreatedRecord,
  CrmContact,
  CrmContactFields,
  CrmEvent,
  CrmEventFields,
  Lead,
  LeadDisposition,
  LeadFields,
  Opportunity,
  OpportunityFields,
  Task,
  TaskFields,
} from './records.ts';
export { leadDispositions } from './records.ts';
export { and, not, or, where, type Where } from './where.ts';
export type { RecordList } from '../core/schema.ts';
