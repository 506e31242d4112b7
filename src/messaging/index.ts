/**
 * The client for a messaging platform: contacts, conversations, notes, replies, tags, companies and teams.
 *
 * @module
 */
export type { AttributeKind, AttributeSchema, AttributesOf, DeclaredAttributes } from './attributes.ts';
export { callAttributes } from './attributes.ts';
export type { ByAdmin, MessagingClient, MessagingClientFor, MessagingOptions } from './client.ts';
export type { SearchAllOptions } from './contact-pages.ts';
export { createMessagingClient } from './create-client.ts';
export type { ConversationAction, MessagingDialect, PageRequest, PersonQuery } from './dialect.ts';
export type {
  Admin,
  Company,
  CompanyFields,
  Contact,
  ContactCondition,
  ContactFields,
  ContactMatch,
  ContactQuery,
  Conversation,
  ConversationPart,
  CustomAttributes,
  EnsuredContact,
  FoundContact,
  Note,
  Tag,
  Team,
} from './records.ts';
export type { RecordList } from '../schema.ts';
