import type { EntryOverrides } from '../../api/entry.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { CustomAttributes } from '../attributes.ts';
import type { ConversationFields } from '../conversations.ts';
import type { MessagingEndpoints } from '../dialect.ts';
import { textToHtml } from '../../core/html.ts';
import type { Search } from '../search.ts';
import type { SettingProblem } from '../setting-problem.ts';
import type { TicketAttributes } from '../tickets.ts';
import { zendeskQuery } from './query.ts';
import { assertTags } from './tags.ts';
import * as answers from './records.ts';

/**
 * The two kinds of comments. `public` is written here and nowhere else, and always: a comment without it takes over what
 * the ticket began with. A note has no author of its own: a comment in an end user's name can't be internal. Words go into
 * `html_body`: Zendesk reads Markdown in `body`, so that a link or a list that someone said would become one.
 * Source: developer.zendesk.com, Ticketing API, Ticket Comments, Bodies; read 2026-11-27.
 */
const note = (body: string): object => ({ html_body: textToHtml(body), public: false });
const reply = (body: string, authorId?: number): object => ({
  html_body: textToHtml(body),
  public: true,
  author_id: authorId,
});

/** What each ticket is called that has no title: without one, e-mails would show the words of its first comment. */
const untitled = 'Phone call';

const ofTicket = { path: 'tickets/{id}.json', method: 'PUT', answer: answers.conversationAnswer } as const;
const changed = (ticket: object): object => ({ ticket });

/** Conversations are tickets, and so are tickets. Source: developer.zendesk.com, Ticketing API, Tickets. */
export const conversationEndpoints: EntryOverrides<MessagingEndpoints['conversations']> = {
  get: { path: 'tickets/{id}.json', answer: answers.conversationAnswer },
  create: {
    path: 'tickets.json',
    body: ({ contactId, body }) =>
      changed({
        subject: untitled,
        requester_id: numericId('messaging.conversations.create', 'contactId', contactId),
        comment: note(body),
      }),
    // The one endpoint that knows idempotency keys.
    honoursKeys: true,
    answer: answers.conversationAnswer,
  },
  addNote: { ...ofTicket, body: ({ body }) => changed({ comment: note(body) }) },
  reply: {
    ...ofTicket,
    body: ({ body, adminId }) =>
      changed({ comment: reply(body, numericId('messaging.conversations.reply', 'adminId', adminId)) }),
  },
  close: {
    ...ofTicket,
    body: ({ body, adminId }) =>
      changed({
        status: 'solved',
        comment:
          body === undefined ? undefined : reply(body, numericId('messaging.conversations.close', 'adminId', adminId)),
      }),
  },
  reopen: { ...ofTicket, body: () => changed({ status: 'open' }) },
  assignToTeam: {
    ...ofTicket,
    body: ({ teamId }) =>
      changed({ group_id: numericId('messaging.conversations.assignToTeam', 'teamId', teamId), assignee_id: null }),
  },
  assignToAdmin: {
    ...ofTicket,
    body: ({ toAdminId }) =>
      changed({ assignee_id: numericId('messaging.conversations.assignToAdmin', 'toAdminId', toAdminId) }),
  },
  unassign: { ...ofTicket, body: () => changed({ assignee_id: null, group_id: null }) },
  update: { ...ofTicket, body: (fields) => changed(conversationFields(fields)) },
  search: {
    method: 'GET',
    path: 'search.json',
    query: ({ query, pageSize, after }) => ticketQuery('messaging.conversations.search', { query, pageSize, after }),
    answer: answers.conversationsAnswer,
  },
};

const ticketQuery = (operation: string, { query, pageSize, after }: Search) => ({
  query: `type:ticket ${zendeskQuery(operation, query, (phone) => [phone])}`,
  sort_by: 'created_at',
  sort_order: 'desc',
  per_page: pageSize,
  page: after,
});

/** A change of fields writes no words, so that none get to the customer. */
const conversationFields = ({ title, company_id, custom_attributes, read, ...fields }: ConversationFields): object => {
  const operation = 'messaging.conversations.update';
  const wrong = Object.keys(fields).find((name) => /comment|description|is_public|macro/i.test(name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(wrong, 'must not be given: use addNote or reply', { operation });
  if (read !== undefined) throw new InvalidArgumentError('read', 'is not known to Zendesk', { operation });
  assertTags(operation, fields['tags']);
  return withoutUndefined({
    ...fields,
    subject: title,
    organization_id: company_id == null ? company_id : numericId(operation, 'company_id', company_id),
    custom_fields: custom_attributes && customFields(operation, custom_attributes),
  });
};

const customFields = (operation: string, values: CustomAttributes | TicketAttributes): readonly object[] =>
  Object.entries(values).map(([id, value]) => ({ id: numericId(operation, `custom_attributes.${id}`, id), value }));

const statuses = ['new', 'open', 'pending', 'hold', 'solved'];

export const ticketEndpoints: EntryOverrides<MessagingEndpoints['tickets']> = {
  get: { path: 'tickets/{id}.json', answer: answers.ticketAnswer },
  create: {
    path: 'tickets.json',
    // Zendesk links no tickets, so that a conversation's id has no use.
    body: ({ ticketTypeId, contactId, companyId, adminAssigneeId, teamAssigneeId, ...words }) => {
      const operation = 'messaging.tickets.create';
      const idOf = (field: string, id: string | undefined) =>
        id === undefined ? undefined : numericId(operation, field, id);
      return changed({
        ...typeOf(operation, ticketTypeId),
        subject: words.title ?? untitled,
        // The customer reads it, as they read the ticket.
        comment: reply(words.description ?? words.title ?? untitled),
        requester_id: numericId(operation, 'contactId', contactId),
        organization_id: idOf('companyId', companyId),
        assignee_id: idOf('adminAssigneeId', adminAssigneeId),
        group_id: idOf('teamAssigneeId', teamAssigneeId),
        custom_fields: words.attributes && customFields(operation, words.attributes),
      });
    },
    honoursKeys: true,
    answer: answers.ticketAnswer,
  },
  update: {
    path: 'tickets/{id}.json',
    body: ({ title, description, attributes, stateId, open, snoozedUntil, assigneeId }) => {
      const operation = 'messaging.tickets.update';
      if (description !== undefined)
        throw new InvalidArgumentError('description', "can't be changed in Zendesk: use addNote or reply", {
          operation,
        });
      if (snoozedUntil !== undefined)
        throw new InvalidArgumentError('snoozedUntil', "isn't known to Zendesk: use the state hold", { operation });
      if (stateId !== undefined && !statuses.includes(stateId))
        throw new InvalidArgumentError('stateId', `must be one of ${statuses.join(', ')}`, { operation });
      return changed({
        subject: title,
        status: stateId ?? (open === undefined ? undefined : open ? 'open' : 'solved'),
        assignee_id: assigneeId === undefined ? undefined : numericId(operation, 'assigneeId', assigneeId),
        custom_fields: attributes && customFields(operation, attributes),
      });
    },
    answer: answers.ticketAnswer,
  },
  search: {
    method: 'GET',
    path: 'search.json',
    query: ({ query, pageSize, after }) => ticketQuery('messaging.tickets.search', { query, pageSize, after }),
    answer: answers.ticketsAnswer,
  },
  addNote: { ...ofTicket, body: ({ body }) => changed({ comment: note(body) }), answer: answers.commentAnswer },
  reply: {
    ...ofTicket,
    body: ({ body, adminId }) =>
      changed({ comment: reply(body, numericId('messaging.tickets.reply', 'adminId', adminId)) }),
    answer: answers.commentAnswer,
  },
};

const types = ['problem', 'incident', 'question', 'task'];
const noType = `must be one of ${types.join(', ')}, or the id of a form`;

/** What is wrong with an id that an application sets. */
export const problemOfSetting: SettingProblem = (setting, value) => {
  if (setting !== 'ticketTypeId') return isId(value) ? undefined : noId;
  return types.includes(value) || isId(value) ? undefined : noType;
};

/** One of Zendesk's four types, or the id of a ticket form. */
const typeOf = (operation: string, id: string): object => {
  if (types.includes(id)) return { type: id };
  if (isId(id)) return { ticket_form_id: Number(id) };
  throw new InvalidArgumentError('ticketTypeId', noType, { operation });
};

/** An id as Zendesk writes it: a number. Throws `InvalidArgumentError` for anything else. */
const numericId = (operation: string, field: string, id: string): number => {
  if (isId(id)) return Number(id);
  throw new InvalidArgumentError(field, noId, { operation });
};

const isId = (id: string): boolean => /^\d{1,16}$/.test(id) && Number.isSafeInteger(Number(id)) && Number(id) > 0;

const noId = 'must be an id of Zendesk: a number, such as 361527';
