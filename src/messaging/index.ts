/**
 * The client for a messaging platform: contacts, conversations, notes, replies, tags, companies, tickets, articles and
 * who is there to help.
 *
 * @module
 */
export type { AttributeSchema, DeclaredAttributes } from './attributes.ts';
export { callAttributes } from './attributes.ts';
export type { Article, ArticleQuery } from './articles.ts';
export type { ByAdmin } from './by-admin.ts';
export type { MessagingClient, MessagingClientFor, MessagingOptions } from './client.ts';
export { conversationText } from './conversation-text.ts';
export { createMessagingClient } from './create-client.ts';
export type { MessagingDialect } from './dialect.ts';
export { textToHtml } from '../core/html.ts';
export type { OfficeHours, OfficeHoursException } from './office-hours.ts';
export type {
  Admin,
  Company,
  CompanyFields,
  Contact,
  ContactFields,
  SearchQuery,
  Conversation,
  CustomAttributes,
  EnsuredContact,
  FoundContact,
  Note,
  PersonQuery,
  Tag,
  Team,
} from './records.ts';
export type { NewTicket, TicketChanges } from './ticket-endpoints.ts';
export type { Ticket, TicketType } from './ticket-records.ts';
export type { RecordList } from '../core/schema.ts';
