import { InvalidArgumentError } from '../../core/errors.ts';
import { phoneForms } from '../../phone/forms.ts';
import type { MessagingDialect } from '../dialect.ts';
import { htmlToText, textToHtml, withoutTags } from '../../core/html.ts';
import type { CompanyFields } from '../companies.ts';
import type { ContactFields } from '../contacts.ts';
import type { SearchQuery } from '../search.ts';
import { intercomHttp } from './http-dialect.ts';

/** Where Intercom differs from the default API: its description of version 2.16, and what its pages say. */
export const intercomDialect = (
  phoneFormats: (phone: string) => readonly string[] = phoneForms,
): Partial<MessagingDialect> => ({
  endpoints: {
    contacts: {
      create: {
        body: withRole,
        repeat: (fields) => (isRefusedTwice(fields) ? 'again' : fields.external_id ? undefined : 'never'),
      },
      notes: { create: { body: ({ body, adminId }) => ({ body: textToHtml(body), admin_id: adminId }) } },
      tags: { attach: { body: ({ tagId }) => ({ id: tagId }) } },
    },
    conversations: {
      get: { query: () => ({ display_as: 'plaintext' }) },
      // What `id` names is the message. The id of the conversation that it began is next to it.
      create: {
        answer: (answer) => {
          const { conversation_id: id, id: messageId, ...message } = Object(answer);
          return { ...message, type: 'conversation', id, message_id: messageId };
        },
      },
      // "Notes accept some HTML formatting": what was said in a call must not become any.
      addNote: {
        path: 'conversations/{id}/reply',
        body: writeNote,
      },
    },
    tickets: { addNote: { body: writeNote } },
    companies: {
      create: { body: withWholeSpend('messaging.companies.create') },
      update: { body: withWholeSpend('messaging.companies.update') },
    },
  },
  findContacts: ({ phone, email }) => ({
    any: [
      ...(phone === undefined ? [] : phoneConditions(phone, phoneFormats(phone))),
      ...(email === undefined ? [] : [{ field: 'email', operator: '=', value: email }]),
    ],
  }),
  findsByExternalId: true,
  phoneFormats,
  // "There can be a delay of several minutes": the description, about contacts that were just created.
  searchDelayMs: 10 * 60_000,
  // A create that is sent again meets what it has made itself.
  conflictGivesContact: true,
  mergedInto: ({ problems }) => problems.find(({ code }) => code === 'contact_merged')?.ids?.[0],

  // The description calls messages plain text, in which people would read an entity as it is.
  writeText: withoutTags,
  readBody: htmlToText,
  // "By definition always treated as UTC": developers.intercom.com, Object Model, read 2026-11-27. A search compares days of UTC.
  attributeDates: 'unix-seconds',
  http: intercomHttp,
});

const withWholeSpend =
  (operation: string) =>
  (fields: CompanyFields): CompanyFields => {
    if (!Number.isInteger(fields.monthly_spend ?? 0))
      throw new InvalidArgumentError('monthly_spend', 'must be an integer: Intercom cuts off the rest', { operation });
    return fields;
  };

const writeNote = ({ adminId, body }: { readonly adminId: string; readonly body: string }): object => ({
  message_type: 'note',
  type: 'admin',
  admin_id: adminId,
  body: textToHtml(body),
});

/** A contact needs one of the three; someone who only called is a lead. */
const withRole = (fields: ContactFields): ContactFields =>
  !fields.role && !fields.email && !fields.external_id ? { role: 'lead', ...fields } : fields;

/** A user's address is that of one contact: sent again, the second request is a conflict that names the first's. */
const isRefusedTwice = ({ role, email, external_id }: ContactFields): boolean =>
  !external_id && Boolean(email) && role !== 'lead';

/**
 * Both fields are searched: one is as it was entered, the other as Intercom shows it. A list of values is one filter, so
 * that the limit of 15 in a group is never met.
 */
const phoneConditions = (phone: string, formats: readonly string[]): readonly SearchQuery[] =>
  ['phone', 'formatted_phone'].map((field) => ({ field, operator: 'IN', value: [...new Set([phone, ...formats])] }));
