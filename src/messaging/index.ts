/**
 * The client for a messaging platform: contacts, conversations, notes, replies, tags, companies and teams.
 *
 * @module
 */
export type { AttributeSchema, DeclaredAttributes } from './attributes.ts';
export { callAttributes } from './attributes.ts';
export type { ByAdmin, MessagingClient, MessagingClientFor, MessagingOptions } from './client.ts';
export { createMessagingClient } from './create-client.ts';
export type { MessagingDialect } from './dialect.ts';
export type {
  Admin,
  Company,
  CompanyFields,
  Contact,
  ContactFields,
  ContactQuery,
  Conversation,
  CustomAttributes,
  EnsuredContact,
  FoundContact,
  Note,
  PersonQuery,
  Tag,
  Team,
} from './records.ts';
export type { RecordList } from '../schema.ts';
