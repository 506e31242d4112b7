import type { Endpoint } from '../http/operation.ts';
import { path } from '../http/path.ts';
import type { CompanyFields, ContactFields, ContactQuery } from './records.ts';

interface Action {
  readonly conversationId: string;
  readonly adminId: string;
}

/** How the messaging platform spells its operations. */
export interface MessagingDialect {
  readonly getContact: (id: string) => Endpoint;
  readonly createContact: (fields: ContactFields) => Endpoint;
  readonly updateContact: (id: string, fields: ContactFields) => Endpoint;
  readonly searchContacts: (query: ContactQuery) => Endpoint;
  readonly attachContactTag: (contactId: string, tagId: string) => Endpoint;
  readonly detachContactTag: (contactId: string, tagId: string) => Endpoint;
  readonly listContactTags: (contactId: string) => Endpoint;
  readonly getConversation: (id: string) => Endpoint;
  readonly createConversation: (conversation: { readonly contactId: string; readonly body: string }) => Endpoint;
  readonly reply: (reply: Action & { readonly body: string }) => Endpoint;
  readonly addNote: (note: Action & { readonly body: string }) => Endpoint;
  readonly assignToTeam: (assignment: Action & { readonly teamId: string }) => Endpoint;
  readonly close: (action: Action) => Endpoint;
  readonly attachConversationTag: (tag: Action & { readonly tagId: string }) => Endpoint;
  readonly detachConversationTag: (tag: Action & { readonly tagId: string }) => Endpoint;
  readonly getCompany: (id: string) => Endpoint;
  readonly updateCompany: (id: string, fields: CompanyFields) => Endpoint;
  readonly listContactCompanies: (contactId: string) => Endpoint;
  readonly listAdmins: () => Endpoint;
  readonly getOwnAdmin: () => Endpoint;
  readonly listTeams: () => Endpoint;
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
  searchContacts: ({ field, operator, value }) => ({
    method: 'POST',
    path: 'contacts/search',
    body: { query: { field, operator, value } },
  }),
  attachContactTag: (contactId, tagId) => ({
    method: 'POST',
    path: path`contacts/${contactId}/tags`,
    body: { id: tagId },
  }),
  detachContactTag: (contactId, tagId) => ({ method: 'DELETE', path: path`contacts/${contactId}/tags/${tagId}` }),
  listContactTags: (contactId) => ({ method: 'GET', path: path`contacts/${contactId}/tags` }),

  getConversation: (id) => ({ method: 'GET', path: path`conversations/${id}` }),
  createConversation: ({ contactId, body }) => ({
    method: 'POST',
    path: 'conversations',
    body: { from: { type: 'contact', id: contactId }, body },
  }),
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
  close: ({ conversationId, adminId }) => ({
    method: 'POST',
    path: path`conversations/${conversationId}/parts`,
    body: { message_type: 'close', type: 'admin', admin_id: adminId },
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
};
