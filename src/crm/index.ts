/**
 * The client for a CRM: leads, tasks, contacts, accounts, opportunities and cases.
 *
 * @module
 */
export type { CrmClient, CrmOptions } from './client.ts';
export { createCrmClient } from './create-client.ts';
export type { CheckedSearch, CrmDialect, CrmObject, LeadWithTaskOperation, SearchEndpoint } from './dialect.ts';
export type {
  Account,
  AccountFields,
  AccountSearch,
  AnyFields,
  Case,
  CaseFields,
  CaseSearch,
  CreatedLeadWithTask,
  CreatedRecord,
  CrmContact,
  CrmContactFields,
  Lead,
  LeadDisposition,
  LeadFields,
  LeadSearch,
  NewLeadWithTask,
  Opportunity,
  OpportunityFields,
  OpportunitySearch,
  PersonSearch,
  SearchOptions,
  TaskFields,
} from './records.ts';
export { leadDispositions } from './records.ts';
export type { RecordList } from '../schema.ts';
