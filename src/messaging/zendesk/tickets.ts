import type { EntryOverrides } from '../../api/entry.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { CustomAttributes } from '../attributes.ts';
import type { ConversationFields } from '../conversations.ts';
import type { MessagingContext, MessagingEndpoints, MessagingMethods } from '../dialect.ts';
import type { Search } from '../search.ts';
import type { SettingProblem } from '../setting-problem.ts';
import type { TicketAttributes } from '../tickets.ts';
import { type Fields, one, refuseFields, several, toTags } from './answers.ts';
import { commentAnswer, note, reply, withComments } from './comments.ts';
import { zendeskQuery } from './query.ts';
import { assertTags, tagMethods } from './tags.ts';

/** The fields that a conversation and a ticket have in common. */
const toRecord = ({ custom_fields: _fields, description: _first, tags, ...ticket }: Fields): object => ({
  // `description` is the first comment, which may be internal, and the ticket doesn't say so.
  ...ticket,
  title: ticket['subject'],
  open: ticket['status'] !== 'solved' && ticket['status'] !== 'closed',
  contacts: ticket['requester_id'] ? [{ id: ticket['requester_id'] }] : [],
  admin_assignee_id: ticket['assignee_id'],
  team_assignee_id: ticket['group_id'],
  tags: toTags(tags),
});

const toConversation = (ticket: Fields): object => ({
  ...toRecord(ticket),
  state: ticket['status'],
  custom_attributes: fieldsOf(ticket),
});

const toTicket = (ticket: Fields): object => ({
  ...toRecord(ticket),
  ticket_id: ticket['id'],
  ticket_state: stateOf(ticket['status']),
  ticket_type: ticket['type'] ? { id: ticket['type'], name: ticket['type'] } : undefined,
  ticket_attributes: fieldsOf(ticket),
});

/** A status, with the words that customers read: https://support.zendesk.com/hc/en-us/articles/4408832476698 (2026-11-27). */
const stateOf = (status: unknown): object => ({ id: status, ...(typeof status === 'string' ? states[status] : {}) });

const inProgress = { category: 'in_progress', external_label: 'Open' };
const resolved = { category: 'resolved', external_label: 'Solved' };
const states: Readonly<Record<string, object>> = {
  new: { category: 'submitted', external_label: 'Open' },
  open: inProgress,
  hold: inProgress,
  pending: { category: 'waiting_on_customer', external_label: 'Awaiting your reply' },
  solved: resolved,
  closed: resolved,
};

/** The fields of the account, by their ids. */
const fieldsOf = ({ custom_fields: fields }: Fields): object =>
  Object.fromEntries(
    (Array.isArray(fields) ? fields : []).map((field: unknown) => [String(Object(field).id), Object(field).value]),
  );

const conversationAnswer = one('ticket', toConversation);
const ticketAnswer = one('ticket', toTicket);

/** A search has `results`, a list `tickets`. */
const found = (read: (ticket: Fields) => object) => (answer: unknown) =>
  several(Array.isArray(Object(answer).tickets) ? 'tickets' : 'results', read)(answer);

/** The subject of a ticket without a title: without one, e-mails would show the words of its first comment. */
const untitled = 'Phone call';

const ofTicket = { path: 'tickets/{id}.json', method: 'PUT', answer: conversationAnswer } as const;
const changed = (ticket: object): object => ({ ticket });

/** Conversations are tickets, and so are tickets. Source: developer.zendesk.com, Ticketing API, Tickets. */
export const zendeskConversations: EntryOverrides<MessagingEndpoints['conversations']> = {
  get: { path: 'tickets/{id}.json', answer: conversationAnswer },
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
    answer: conversationAnswer,
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
    answer: found(toConversation),
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
  refuseFields(operation, { read }, { read: 'is not known to Zendesk' });
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

export const zendeskTickets: EntryOverrides<MessagingEndpoints['tickets']> = {
  get: { path: 'tickets/{id}.json', answer: ticketAnswer },
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
    answer: ticketAnswer,
  },
  update: {
    path: 'tickets/{id}.json',
    body: (changes) => {
      const operation = 'messaging.tickets.update';
      const { title, attributes, stateId, open, assigneeId } = changes;
      refuseFields(operation, changes, {
        description: "can't be changed in Zendesk: use addNote or reply",
        snoozedUntil: "isn't known to Zendesk: use the state hold",
      });
      if (stateId !== undefined && !statuses.includes(stateId))
        throw new InvalidArgumentError('stateId', `must be one of ${statuses.join(', ')}`, { operation });
      return changed({
        subject: title,
        status: stateId ?? (open === undefined ? undefined : open ? 'open' : 'solved'),
        assignee_id: assigneeId === undefined ? undefined : numericId(operation, 'assigneeId', assigneeId),
        custom_fields: attributes && customFields(operation, attributes),
      });
    },
    answer: ticketAnswer,
  },
  search: {
    method: 'GET',
    path: 'search.json',
    query: ({ query, pageSize, after }) => ticketQuery('messaging.tickets.search', { query, pageSize, after }),
    answer: found(toTicket),
  },
  addNote: { ...ofTicket, body: ({ body }) => changed({ comment: note(body) }), answer: commentAnswer },
  reply: {
    ...ofTicket,
    body: ({ body, adminId }) =>
      changed({ comment: reply(body, numericId('messaging.tickets.reply', 'adminId', adminId)) }),
    answer: commentAnswer,
  },
};

const types = ['problem', 'incident', 'question', 'task'];
const noType = `must be one of ${types.join(', ')}, or the id of a form`;

/** Returns what is wrong with an id that an application sets. */
export const problemOfId: SettingProblem = (setting, value) => {
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

/** The operations that take several requests: a ticket and its comments, and its tags. */
export const ticketMethods = (context: MessagingContext): MessagingMethods => {
  const { conversations, tickets } = context.endpoints;
  const tags = tagMethods(context, 'messaging.conversations.tags', 'tickets/{id}/tags.json');
  return {
    conversations: {
      get: withComments(context, 'messaging.conversations.get', { ...conversations.get, parts: 'parts' }),
      tags: { attach: tags.attach, detach: (ticketId, tagId, _by, call) => tags.detach(ticketId, tagId, call) },
    },
    tickets: { get: withComments(context, 'messaging.tickets.get', { ...tickets.get, parts: 'ticket_parts' }) },
  };
};
