export type { AttributeKind, AttributeSchema, AttributesOf, DeclaredAttributes } from './attributes.ts';
export { callAttributes } from './attributes.ts';
export type { ByAdmin, MessagingClient, MessagingClientFor, MessagingOptions } from './client.ts';
export { createMessagingClient } from './create-client.ts';
export type {
  Admin,
  Company,
  CompanyFields,
  Contact,
  ContactFields,
  ContactMatch,
  ContactQuery,
  Conversation,
  ConversationPart,
  CustomAttributes,
  Note,
  Tag,
  Team,
} from './records.ts';
export type { RecordList } from '../schema.ts';
