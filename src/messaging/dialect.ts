import type { ClientError } from '../errors.ts';
import { given } from '../given.ts';
import type { HttpDialect } from '../http/dialect.ts';
import type { Endpoint } from '../http/operation.ts';
import { path } from '../http/path.ts';
import type { CompanyFields, ContactFields, ContactQuery } from './records.ts';

/** Who acts on which conversation. */
export interface ConversationAction {
  readonly conversationId: string;
  readonly adminId: string;
}

/** Which part of a long list is asked for. */
export interface PageRequest {
  /** Records on it. @defaultValue what the platform gives by itself */
  readonly size?: number | undefined;
  /** What `nextPage` read from the page before. */
  readonly after?: string | undefined;
}

/** By what a person is looked for. At least one is given; the address is in lower case. */
export interface PersonQuery {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * How the messaging platform spells its operations, and what it is like. A preset overrides some of it; a preset's
 * user may override more: `dialect: { ...intercom().dialect, ... }`.
 */
export interface MessagingDialect {
  readonly getContact: (id: string) => Endpoint;
  readonly createContact: (fields: ContactFields) => Endpoint;
  readonly updateContact: (id: string, fields: ContactFields) => Endpoint;
  readonly searchContacts: (query: ContactQuery, page?: PageRequest) => Endpoint;
  /** Where the page behind this one begins; `undefined` for the last one. */
  readonly nextPage: (answer: unknown) => string | undefined;
  /** Looks for phone and address at once. Without it there is one request for each, the phone first. */
  readonly findContacts?: (by: PersonQuery) => Endpoint;
  /** A number as contacts may have it: a contact with exactly one of these is the caller. Begins with E.164. */
  readonly phoneFormats: (phone: string) => readonly string[];
  /** Knows of a contact as soon as it is made, which search may not. Answers 404 when there is none. */
  readonly getContactByExternalId?: (externalId: string) => Endpoint;
  /** The contact that the refused one was merged into, where the refusal says so. */
  readonly mergedInto: (refusal: ClientError) => string | undefined;
  /**
   * Whether creating a contact that is there already gives that one, as it stands. Without it the refusal is an error,
   * as the interface document has it, and only `findOrCreate` gives the contact.
   */
  readonly conflictGivesContact: boolean;
  /** How long a new contact may be missing from searches: for so long, the client remembers those it made. */
  readonly searchDelayMs: number;
  /** `adminId` is `undefined` where neither the call nor the client names one. */
  readonly attachContactTag: (contactId: string, tagId: string, adminId: string | undefined) => Endpoint;
  readonly detachContactTag: (contactId: string, tagId: string) => Endpoint;
  readonly listContactTags: (contactId: string) => Endpoint;
  readonly getConversation: (id: string) => Endpoint;
  readonly createConversation: (conversation: { readonly contactId: string; readonly body: string }) => Endpoint;
  /** Finds the conversation in the answer to its creation. */
  readonly createdConversation: (answer: unknown) => unknown;
  readonly reply: (reply: ConversationAction & { readonly body: string }) => Endpoint;
  readonly addNote: (note: ConversationAction & { readonly body: string }) => Endpoint;
  readonly assignToTeam: (assignment: ConversationAction & { readonly teamId: string }) => Endpoint;
  /** With a `body`, the customer gets these words. */
  readonly close: (action: ConversationAction & { readonly body: string | undefined }) => Endpoint;
  readonly attachConversationTag: (tag: ConversationAction & { readonly tagId: string }) => Endpoint;
  readonly detachConversationTag: (tag: ConversationAction & { readonly tagId: string }) => Endpoint;
  readonly getCompany: (id: string) => Endpoint;
  readonly updateCompany: (id: string, fields: CompanyFields) => Endpoint;
  readonly listContactCompanies: (contactId: string) => Endpoint;
  readonly listAdmins: () => Endpoint;
  readonly getOwnAdmin: () => Endpoint;
  readonly listTeams: () => Endpoint;
  /** The words of a body as the API returns it, such as out of HTML. */
  readonly readBody: (body: string) => string;
  /**
   * How custom attributes that are declared as `date` are written: as texts, or as UNIX seconds at midnight UTC. The
   * application reads and writes YYYY-MM-DD either way.
   */
  readonly attributeDates: 'YYYY-MM-DD' | 'unix-seconds';
  /** How it words refusals and limits. */
  readonly http: HttpDialect;
}

/**
 * As the interface document writes them. What it names without an endpoint (tags of contacts, teams, closing, company
 * context, admins) is spelt as the real platform spells it.
 *
 * `message_type` stands here and nowhere else: whether the customer sees a text is decided by which function is called.
 */
export const documentedMessaging: MessagingDialect = {
  getContact: (id) => ({ method: 'GET', path: path`contacts/${id}` }),
  createContact: (fields) => ({ method: 'POST', path: 'contacts', body: fields }),
  updateContact: (id, fields) => ({ method: 'PUT', path: path`contacts/${id}`, body: fields }),
  searchContacts: (query, { size, after } = {}) => ({
    method: 'POST',
    path: 'contacts/search',
    body: {
      query: writeContactQuery(query),
      ...(size === undefined && after === undefined
        ? {}
        : { pagination: given({ per_page: size, starting_after: after }) }),
    },
  }),
  nextPage: (answer) => {
    const { pages } = (answer ?? {}) as { readonly pages?: { readonly next?: { readonly starting_after?: unknown } } };
    const after = pages?.next?.starting_after;
    return typeof after === 'string' && after !== '' ? after : undefined;
  },
  phoneFormats: (phone) => [phone],
  mergedInto: () => undefined,
  conflictGivesContact: false,
  searchDelayMs: 0,
  attachContactTag: (contactId, tagId, adminId) => ({
    method: 'POST',
    path: path`contacts/${contactId}/tags`,
    body: { id: tagId, admin_id: adminId },
  }),
  detachContactTag: (contactId, tagId) => ({ method: 'DELETE', path: path`contacts/${contactId}/tags/${tagId}` }),
  listContactTags: (contactId) => ({ method: 'GET', path: path`contacts/${contactId}/tags` }),

  getConversation: (id) => ({ method: 'GET', path: path`conversations/${id}` }),
  createConversation: ({ contactId, body }) => ({
    method: 'POST',
    path: 'conversations',
    body: { from: { type: 'contact', id: contactId }, body },
  }),
  createdConversation: (answer) => answer,
  reply: ({ conversationId, adminId, body }) => ({
    method: 'POST',
    path: path`conversations/${conversationId}/reply`,
    body: { message_type: 'comment', type: 'admin', admin_id: adminId, body },
  }),
  addNote: ({ conversationId, adminId, body }) => ({
    method: 'POST',
    path: path`conversations/${conversationId}/parts`,
    body: { message_type: 'note', body, admin_id: adminId },
  }),
  assignToTeam: ({ conversationId, adminId, teamId }) => ({
    method: 'POST',
    path: path`conversations/${conversationId}/parts`,
    body: { message_type: 'assignment', type: 'team', admin_id: adminId, assignee_id: teamId },
  }),
  close: ({ conversationId, adminId, body }) => ({
    method: 'POST',
    path: path`conversations/${conversationId}/parts`,
    body: { message_type: 'close', type: 'admin', admin_id: adminId, body },
  }),
  attachConversationTag: ({ conversationId, adminId, tagId }) => ({
    method: 'POST',
    path: path`conversations/${conversationId}/tags`,
    body: { id: tagId, admin_id: adminId },
  }),
  detachConversationTag: ({ conversationId, adminId, tagId }) => ({
    method: 'DELETE',
    path: path`conversations/${conversationId}/tags/${tagId}`,
    body: { admin_id: adminId },
  }),

  getCompany: (id) => ({ method: 'GET', path: path`companies/${id}` }),
  updateCompany: (id, fields) => ({ method: 'PUT', path: path`companies/${id}`, body: fields }),
  listContactCompanies: (contactId) => ({ method: 'GET', path: path`contacts/${contactId}/companies` }),
  listAdmins: () => ({ method: 'GET', path: 'admins' }),
  getOwnAdmin: () => ({ method: 'GET', path: 'me' }),
  listTeams: () => ({ method: 'GET', path: 'teams' }),
  readBody: (body) => body,
  attributeDates: 'YYYY-MM-DD',
  http: {},
};

/** The dialect of the interface document with what a preset says otherwise. */
export const completeMessagingDialect = (overrides?: Partial<MessagingDialect>): MessagingDialect =>
  overrides ? { ...documentedMessaging, ...given(overrides) } : documentedMessaging;

/** Conditions that are joined are written as the real platform does; the interface document has single ones only. */
const writeContactQuery = (query: ContactQuery): object => {
  if ('any' in query) return { operator: 'OR', value: query.any.map(writeContactQuery) };
  if ('all' in query) return { operator: 'AND', value: query.all.map(writeContactQuery) };
  const { field, operator, value } = query;
  return { field, operator, value };
};
