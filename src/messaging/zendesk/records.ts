import { htmlToText } from '../../core/html.ts';
import { decodeEntities } from '../../core/html-entities.ts';

/** What Zendesk answers, under the names that the messaging client reads. Each takes the part of an answer that it's in. */

export type Fields = Readonly<Record<string, unknown>>;

/** A record within its envelope: `{ user: { … } }`. `undefined` where nothing was found. */
const within = (answer: unknown, name: string): Fields | undefined => {
  const record: unknown = Object(answer)[name];
  return typeof record === 'object' && record !== null ? (record as Fields) : undefined;
};

/** The record under a name. */
export const one =
  (name: string, read: (record: Fields) => object) =>
  (answer: unknown): unknown => {
    const record = within(answer, name);
    return record && read(record);
  };

/** The list under a name, and whether it goes on. */
export const several =
  (name: string, read: (record: Fields) => object) =>
  (answer: unknown): unknown => {
    const records: unknown = Object(answer)[name];
    if (!Array.isArray(records)) return answer;
    return { data: records.map((record: unknown) => read(Object(record) as Fields)), ...sizeOf(answer) };
  };

const sizeOf = (answer: unknown): object => {
  const { count, meta, next_page } = Object(answer) as Fields;
  return { total: count, has_more: Object(meta).has_more === true || Boolean(next_page) };
};

const toContact = ({ user_fields, notes, tags, ...user }: Fields): object => ({
  ...user,
  custom_attributes: Object(user_fields),
  notes: typeof notes === 'string' && notes !== '' ? [{ body: notes }] : [],
  tags: toTags(tags),
});

export const userAnswer = one('user', toContact);
export const usersAnswer = several('users', toContact);
/** The one user with an external id. */
export const firstUserAnswer = (answer: unknown): unknown => {
  const [user] = Array.isArray(Object(answer).users) ? (Object(answer).users as readonly Fields[]) : [];
  return user ? toContact(user) : null;
};

const toAdmin = ({ id, name, email, role, default_group_id }: Fields): object => ({
  id,
  name,
  email,
  role,
  team_ids: default_group_id ? [default_group_id] : undefined,
});

export const adminAnswer = one('user', toAdmin);
export const adminsAnswer = several('users', toAdmin);

const same = (record: Fields): object => record;

export const groupAnswer = one('group', same);
export const groupsAnswer = several('groups', same);

const toCompany = ({ organization_fields, tags, ...organization }: Fields): object => ({
  ...organization,
  custom_attributes: Object(organization_fields),
  tags: toTags(tags),
});

export const organizationAnswer = one('organization', toCompany);
export const organizationsAnswer = several('organizations', toCompany);

/** Tags are words without ids: the word is both. */
const toTags = (tags: unknown): readonly object[] =>
  Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string').map((tag) => ({ id: tag, name: tag })) : [];

export const tagsAnswer = (answer: unknown): unknown => {
  const tags: unknown = Object(answer).tags;
  if (!Array.isArray(tags)) return answer;
  const data = toTags(tags.map((tag: unknown) => (typeof tag === 'string' ? tag : Object(tag).name)));
  return { data, ...sizeOf(answer) };
};

/** A search marks the words that it found, with tags of HTML. */
const toArticle = ({ html_url, draft, locale, snippet, ...article }: Fields): object => ({
  ...article,
  snippet: typeof snippet === 'string' ? htmlToText(snippet) : undefined,
  url: html_url,
  state: draft === true ? 'draft' : 'published',
  default_locale: locale,
});

export const articleAnswer = one('article', toArticle);
export const articlesAnswer = several('results', toArticle);

/**
 * A ticket as a conversation. Its `description` is left out: that's the first comment, which may be internal, and the
 * ticket doesn't say so.
 */
const toConversation = ({ custom_fields, tags, ...ticket }: Fields): object => ({
  ...withoutDescription(ticket),
  title: ticket['subject'],
  state: ticket['status'],
  open: isOpen(ticket),
  contacts: contactsOf(ticket),
  custom_attributes: fieldsOf(custom_fields),
  admin_assignee_id: ticket['assignee_id'],
  team_assignee_id: ticket['group_id'],
  tags: toTags(tags),
});

export const conversationAnswer = one('ticket', toConversation);
export const conversationsAnswer = (answer: unknown): unknown =>
  several(Array.isArray(Object(answer).tickets) ? 'tickets' : 'results', toConversation)(answer);

const toTicket = ({ custom_fields, tags, ...ticket }: Fields): object => ({
  ...withoutDescription(ticket),
  ticket_id: ticket['id'],
  title: ticket['subject'],
  ticket_state: { id: ticket['status'] },
  ticket_type: ticket['type'] ? { id: ticket['type'], name: ticket['type'] } : undefined,
  ticket_attributes: fieldsOf(custom_fields),
  contacts: contactsOf(ticket),
  open: isOpen(ticket),
  admin_assignee_id: ticket['assignee_id'],
  team_assignee_id: ticket['group_id'],
  tags: toTags(tags),
});

export const ticketAnswer = one('ticket', toTicket);
export const ticketsAnswer = (answer: unknown): unknown =>
  several(Array.isArray(Object(answer).tickets) ? 'tickets' : 'results', toTicket)(answer);

const withoutDescription = (ticket: Fields): Fields =>
  Object.fromEntries(Object.entries(ticket).filter(([name]) => name !== 'description'));

const isOpen = ({ status }: Fields): boolean => status !== 'solved' && status !== 'closed';

const contactsOf = ({ requester_id }: Fields): readonly object[] => (requester_id ? [{ id: requester_id }] : []);

/** By the ids of the fields. */
const fieldsOf = (fields: unknown): object =>
  Object.fromEntries(
    (Array.isArray(fields) ? fields : []).map((field: unknown) => [String(Object(field).id), Object(field).value]),
  );

/** A comment as a part of a conversation. It's internal unless Zendesk says that it's public. */
export const toPart = (comment: unknown, requesterId: unknown): object => {
  const { id, body, plain_body, public: isPublic, author_id, created_at } = Object(comment) as Fields;
  return {
    id,
    message_type: isPublic === true ? 'comment' : 'note',
    body: typeof plain_body === 'string' && plain_body !== '' ? decodeEntities(plain_body) : body,
    created_at,
    author: { type: String(author_id) === String(requesterId) ? 'user' : 'admin', id: author_id },
  };
};

/** The comment that an update of a ticket has made. */
export const commentAnswer = (answer: unknown): unknown => {
  const { ticket, audit } = Object(answer) as { readonly ticket?: Fields; readonly audit?: Fields };
  const events = Array.isArray(audit?.['events']) ? (audit['events'] as readonly Fields[]) : [];
  const comment = events.find(({ type }) => type === 'Comment');
  return toPart({ created_at: audit?.['created_at'], ...comment }, ticket?.['requester_id']);
};
