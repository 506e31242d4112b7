/**
 * The client for a CRM: leads, tasks, contacts, accounts, opportunities and cases.
 *
 * @module
 */
export type { CrmClient, CrmOptions } from './client.ts';
export { createCrmClient } from './create-client.ts';
export type { CrmDialect, CrmObject } from './dialect.ts';
export type {
  Account,
  AccountFields,
  AnyFields,
  Case,
  CaseFields,
  CreatedRecord,
  CrmContact,
  CrmContactFields,
  Lead,
  LeadDisposition,
  LeadFields,
  Opportunity,
  OpportunityFields,
  TaskFields,
} from './records.ts';
export { leadDispositions } from './records.ts';
export type { RecordList } from '../schema.ts';
