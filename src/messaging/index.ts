/**
 * The client for a messaging platform: contacts, conversations, notes, replies, tags, companies, tickets, articles and
 * who is there to help.
 *
 * @module
 */
export type { Admin, ByAdmin } from './admins.ts';
export type { Article, ArticleQuery } from './articles.ts';
export type { AttributeSchema, CustomAttributes, DeclaredAttributes } from './attributes.ts';
export { callAttributes } from './attributes.ts';
export type { MessagingClient, MessagingClientFor, MessagingOptions } from './client.ts';
export { createMessagingClient } from './client.ts';
export type { Company, CompanyFields } from './companies.ts';
export type { Note } from './contact-notes.ts';
export type { Contact, ContactFields, EnsuredContact, FoundContact, PersonQuery } from './contacts.ts';
export { conversationText } from './conversation-text.ts';
export type { Conversation } from './conversations.ts';
export type { MessagingDialect } from './dialect.ts';
export type { OfficeHours, OfficeHoursException } from './office-hours.ts';
export type { SearchQuery } from './search.ts';
export type { Tag } from './tags.ts';
export type { Team } from './teams.ts';
export type { NewTicket, Ticket, TicketChanges } from './tickets.ts';
export type { TicketType } from './ticket-types.ts';
export { textToHtml } from '../core/html.ts';
export type { RecordList } from '../core/schema.ts';
