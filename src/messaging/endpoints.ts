import { entry } from '../api/entry.ts';
import { sendAgain } from '../http/repeat.ts';
import { type Reader, readList, readNothing, readOptional } from '../schema.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';
import type { Company, Contact, ContactQuery, Conversation } from './records.ts';

/** The operations of the messaging platform, by resource. */
export type MessagingEndpoints<Contacts extends object = object, Companies extends object = object> = ReturnType<
  typeof messagingEndpoints<Contacts, Companies>
>;

/** How one client reads records and writes texts. */
export interface MessagingWords<Contacts extends object, Companies extends object> {
  readonly contact: Reader<Contact<Contacts>>;
  readonly company: Reader<Company<Companies>>;
  readonly conversation: Reader<Conversation>;
  /** A plain text as customers read it. */
  readonly writeText: (text: string) => string;
}

/**
 * As the interface document writes them. What it names without an endpoint (tags of contacts, teams, closing, company
 * context, admins) is written as Intercom does. A dialect overrides entries.
 *
 * `message_type` is here and nowhere else: the method you call decides whether the customer sees a text.
 */
export const messagingEndpoints = <Contacts extends object, Companies extends object>({
  contact,
  company,
  conversation,
  writeText,
}: MessagingWords<Contacts, Companies>) => ({
  contacts: {
    get: entry({ method: 'GET', path: 'contacts/{id}', absentOn404: true, returns: readOptional(contact) }),
    getByExternalId: entry({
      method: 'GET',
      path: 'contacts/find_by_external_id/{externalId}',
      absentOn404: true,
      returns: readOptional(contact),
    }),
    create: entry({ method: 'POST', path: 'contacts', takes: check.contactFields, returns: contact }),
    update: entry({
      method: 'PUT',
      path: 'contacts/{id}',
      takes: check.contactFields,
      withoutKeys: sendAgain,
      returns: contact,
    }),
    search: entry({
      method: 'POST',
      path: 'contacts/search',
      takes: check.contactSearch,
      body: ({ query, pageSize, after }) => ({
        query: writeContactQuery(query),
        pagination:
          pageSize === undefined && after === undefined ? undefined : { per_page: pageSize, starting_after: after },
      }),
      effect: 'read',
      returns: readList(contact, { under: ['data', 'contacts'] }),
    }),
    tags: {
      attach: entry({
        method: 'POST',
        path: 'contacts/{contactId}/tags',
        takes: check.contactTag,
        body: ({ tagId, adminId }) => ({ id: tagId, admin_id: adminId }),
        withoutKeys: sendAgain,
        returns: read.tag,
      }),
      detach: entry({ method: 'DELETE', path: 'contacts/{contactId}/tags/{tagId}', returns: readNothing }),
      list: entry({ method: 'GET', path: 'contacts/{contactId}/tags', returns: read.tags }),
    },
  },
  conversations: {
    get: entry({
      method: 'GET',
      path: 'conversations/{id}',
      absentOn404: true,
      returns: readOptional(conversation),
    }),
    create: entry({
      method: 'POST',
      path: 'conversations',
      takes: check.newConversation,
      body: ({ contactId, body }) => ({ from: { type: 'contact', id: contactId }, body: writeText(body) }),
      returns: conversation,
    }),
    reply: entry({
      method: 'POST',
      path: 'conversations/{id}/reply',
      takes: check.message,
      body: ({ adminId, body }) => ({
        message_type: 'comment',
        type: 'admin',
        admin_id: adminId,
        body: writeText(body),
      }),
      returns: conversation,
    }),
    addNote: entry({
      method: 'POST',
      path: 'conversations/{id}/parts',
      takes: check.message,
      body: ({ adminId, body }) => ({ message_type: 'note', body, admin_id: adminId }),
      returns: conversation,
    }),
    assignToTeam: entry({
      method: 'POST',
      path: 'conversations/{id}/parts',
      takes: check.toTeam,
      body: ({ adminId, teamId }) => ({
        message_type: 'assignment',
        type: 'team',
        admin_id: adminId,
        assignee_id: teamId,
      }),
      returns: conversation,
    }),
    close: entry({
      method: 'POST',
      path: 'conversations/{id}/parts',
      takes: check.farewell,
      body: ({ adminId, body }) => ({
        message_type: 'close',
        type: 'admin',
        admin_id: adminId,
        body: body === undefined ? undefined : writeText(body),
      }),
      returns: conversation,
    }),
    tags: {
      attach: entry({
        method: 'POST',
        path: 'conversations/{id}/tags',
        takes: check.conversationTag,
        body: ({ adminId, tagId }) => ({ id: tagId, admin_id: adminId }),
        withoutKeys: sendAgain,
        returns: read.tag,
      }),
      detach: entry({
        method: 'DELETE',
        path: 'conversations/{id}/tags/{tagId}',
        takes: check.byAdmin,
        body: ({ adminId }) => ({ admin_id: adminId }),
        returns: readNothing,
      }),
    },
  },
  companies: {
    get: entry({ method: 'GET', path: 'companies/{id}', absentOn404: true, returns: readOptional(company) }),
    update: entry({
      method: 'PUT',
      path: 'companies/{id}',
      takes: check.companyFields,
      withoutKeys: sendAgain,
      returns: company,
    }),
    listForContact: entry({
      method: 'GET',
      path: 'contacts/{contactId}/companies',
      returns: readList(company, { under: ['data', 'companies'] }),
    }),
  },
  admins: {
    list: entry({ method: 'GET', path: 'admins', returns: read.admins }),
    me: entry({ method: 'GET', path: 'me', returns: read.admin }),
  },
  teams: { list: entry({ method: 'GET', path: 'teams', returns: read.teams }) },
});

/** Conditions that are joined are written as Intercom does; the interface document has single ones only. */
const writeContactQuery = (query: ContactQuery): object => {
  if ('any' in query) return { operator: 'OR', value: query.any.map(writeContactQuery) };
  if ('all' in query) return { operator: 'AND', value: query.all.map(writeContactQuery) };
  const { field, operator, value } = query;
  return { field, operator, value };
};
