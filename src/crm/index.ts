export type { CrmClient, CrmOptions } from './client.ts';
export { createCrmClient } from './client.ts';
export type { CrmDialect, CrmObject } from './dialect.ts';
export type {
  Account,
  AccountFields,
  AccountSearch,
  Case,
  CaseFields,
  CaseSearch,
  CreatedRecord,
  CrmContact,
  CrmContactFields,
  CustomFields,
  Lead,
  LeadDisposition,
  LeadFields,
  LeadSearch,
  Opportunity,
  OpportunityFields,
  OpportunitySearch,
  PersonSearch,
  SearchOptions,
  TaskFields,
} from './records.ts';
export { leadDispositions } from './records.ts';
export type { RecordList } from '../schema.ts';
