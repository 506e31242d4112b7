import { InvalidArgumentError } from '../../errors.ts';
import { path } from '../../http/path.ts';
import { sendAgain } from '../../http/repeat.ts';
import { phoneForms } from '../../phone/forms.ts';
import { type MessagingDialect, documentedMessaging } from '../dialect.ts';
import { htmlToText, textToHtml, withoutTags } from '../html.ts';
import type { ContactFields, ContactQuery } from '../records.ts';
import { intercomHttp } from './http-dialect.ts';

/** Where Intercom differs from the interface document: its description of version 2.16, and what its pages say. */
export const intercomDialect = (
  phoneFormats: (phone: string) => readonly string[] = phoneForms,
): Partial<MessagingDialect> => ({
  createContact: (fields) => ({
    method: 'POST',
    path: 'contacts',
    body: withRole(fields),
    ...(isRefusedTwice(fields) ? { repeat: sendAgain } : !fields.external_id ? { repeat: 'never' } : {}),
  }),
  getContactByExternalId: (externalId) => ({ method: 'GET', path: path`contacts/find_by_external_id/${externalId}` }),
  findContacts: ({ phone, email }) =>
    documentedMessaging.searchContacts({
      any: [
        ...(phone === undefined ? [] : phoneConditions(phone, phoneFormats(phone))),
        ...(email === undefined ? [] : [{ field: 'email', operator: '=', value: email }]),
      ],
    }),
  phoneFormats,
  // "There can be a delay of several minutes": the description, about contacts that were just created.
  searchDelayMs: 10 * 60_000,
  // A create that is sent again meets what it has made itself.
  conflictGivesContact: true,
  mergedInto: ({ problems }) => problems.find(({ code }) => code === 'contact_merged')?.ids?.[0],

  // What `id` names is the message. The conversation that it began stands beside it.
  createdConversation: (answer) => {
    const { conversation_id: id, id: messageId, ...message } = (answer ?? {}) as Readonly<Record<string, unknown>>;
    return { ...message, type: 'conversation', id, message_id: messageId };
  },
  // "Notes accept some HTML formatting": what was said in a call must not become any.
  addNote: ({ conversationId, adminId, body }) => ({
    method: 'POST',
    path: path`conversations/${conversationId}/reply`,
    body: { message_type: 'note', type: 'admin', admin_id: adminId, body: textToHtml(body) },
  }),
  // The description calls these plain text, in which people would read an entity as it is.
  reply: (reply) => documentedMessaging.reply({ ...reply, body: withoutTags(reply.body) }),
  createConversation: (conversation) =>
    documentedMessaging.createConversation({ ...conversation, body: withoutTags(conversation.body) }),
  close: (action) =>
    documentedMessaging.close({ ...action, body: action.body === undefined ? undefined : withoutTags(action.body) }),
  getConversation: (id) => ({ ...documentedMessaging.getConversation(id), query: { display_as: 'plaintext' } }),
  readBody: htmlToText,
  attachContactTag: (contactId, tagId) => documentedMessaging.attachContactTag(contactId, tagId, undefined),
  attributeDates: 'unix-seconds',

  updateCompany: (id, fields) => {
    if (fields.monthly_spend !== undefined && !Number.isInteger(fields.monthly_spend))
      throw new InvalidArgumentError('monthly_spend', 'must be an integer: Intercom cuts off the rest', {
        operation: 'messaging.companies.update',
      });
    return documentedMessaging.updateCompany(id, fields);
  },
  http: intercomHttp,
});

/** A contact needs one of the three; somebody who only rang is a lead. */
const withRole = (fields: ContactFields): ContactFields =>
  !fields.role && !fields.email && !fields.external_id ? { role: 'lead', ...fields } : fields;

/** A user's address is that of one contact: sent again, the second request is a conflict that names the first's. */
const isRefusedTwice = ({ role, email, external_id }: ContactFields): boolean =>
  !external_id && Boolean(email) && role !== 'lead';

/**
 * Both fields are searched: one is as it was entered, the other as Intercom shows it. A list of values is one filter, so
 * that the limit of 15 in a group is never met.
 */
const phoneConditions = (phone: string, formats: readonly string[]): readonly ContactQuery[] =>
  ['phone', 'formatted_phone'].map((field) => ({ field, operator: 'IN', value: [...new Set([phone, ...formats])] }));
