import { htmlToText } from '../../../core/html.ts';
import type { OperationName } from '../operations.ts';
import { Refused } from '../refused.ts';
import {
  invalid,
  notFound,
  objectIn,
  paging,
  tagsOf,
  userIn,
  withTags,
  type ZendeskCall,
  type ZendeskEndpoint,
} from './call.ts';
import { findsTicket, readQuery } from './search.ts';
import {
  type FakeZendeskComment,
  type FakeZendeskTicket,
  newTicket,
  nowText,
  ownAgentId,
  type ZendeskStore,
} from './store.ts';
import { assertCustomFields, assertIds, assertWritable } from './writable.ts';

const ticketIn = (store: ZendeskStore, id: number): FakeZendeskTicket => {
  const ticket = store.tickets.get(id);
  if (!ticket) throw notFound();
  return ticket;
};

/** Returns a ticket as Zendesk shows it: its first comment is the description, and it's public once any comment is. */
const shown = ({ comments, ...ticket }: FakeZendeskTicket): object => ({
  ...ticket,
  description: comments[0]?.body ?? '',
  is_public: comments.some((comment) => comment.public),
  via: { channel: 'api' },
});

const eventsOf = (comment: FakeZendeskComment | undefined): readonly object[] =>
  comment ? [{ type: 'Comment', plain_body: comment.body, ...comment }] : [];

const statuses = ['new', 'open', 'pending', 'hold', 'solved', 'closed'];

/** Throws `Refused` for what Zendesk takes, but that this fake doesn't know, too. */
const assertTicket = (store: ZendeskStore, given: Readonly<Record<string, unknown>>) => {
  assertWritable('ticket', given);
  const { users, groups, organizations } = store;
  assertIds(given, {
    requester_id: users,
    submitter_id: users,
    assignee_id: users,
    group_id: groups,
    organization_id: organizations,
  });
  const assignee = users.get(Number(given['assignee_id'] ?? Number.NaN));
  if (assignee?.role === 'end-user') throw invalid('assignee_id', 'Assignee: must be an agent', 'InvalidValue');
  assertCustomFields(store, given['custom_fields']);
  const { status } = given;
  if (status !== undefined && !(typeof status === 'string' && statuses.includes(status)))
    throw invalid('status', `Status: ${JSON.stringify(status)} is not a valid status`, 'InvalidValue');
};

/** Adds the comment that a write carries. Without `public`, it's as public as the ticket's first one was. */
const addComment = ({ store, body }: ZendeskCall, ticket: FakeZendeskTicket): FakeZendeskComment | undefined => {
  const { comment } = objectIn(body, 'ticket');
  if (comment === undefined) return undefined;
  const given = Object(comment) as Readonly<Record<string, unknown>>;
  assertWritable('comment', given);
  const { html_body: html } = given;
  const text = typeof html === 'string' ? htmlToText(html) : given['body'];
  if (typeof text !== 'string' || text === '') throw invalid('base', 'Comment: cannot be blank', 'BlankValue');
  const authorId = given['author_id'] ?? ownAgentId;
  if (typeof authorId !== 'number' || !store.users.has(authorId))
    throw invalid('author_id', 'Author: is invalid', 'InvalidValue');
  return store.comment(ticket, {
    body: text,
    public: typeof given['public'] === 'boolean' ? given['public'] : (ticket.comments[0]?.public ?? true),
    author_id: authorId,
  });
};

const findTickets = ({ store, query, isIndexed, page }: ZendeskCall): object => {
  const finds = findsTicket(readQuery(query.get('query') ?? ''));
  const found = [...store.tickets.values()].filter((ticket) => isIndexed(ticket.created_at) && finds(ticket));
  return page(
    'results',
    found.toReversed().map((ticket) => ({ result_type: 'ticket', ...shown(ticket) })),
  );
};

/** Under which name faults and effects know an update. */
const operationOf = (body: ZendeskCall['body']): OperationName => {
  const { comment, status, group_id, assignee_id } = Object(body['ticket']) as Readonly<Record<string, unknown>>;
  if (status === 'solved') return 'messaging.conversations.close';
  if (comment) return `messaging.conversations.${Object(comment).public === false ? 'addNote' : 'reply'}`;
  if (group_id) return 'messaging.conversations.assignToTeam';
  return assignee_id ? 'messaging.conversations.assignToAdmin' : 'messaging.conversations.update';
};

export const ticketEndpoints: readonly ZendeskEndpoint[] = [
  {
    operation: 'messaging.conversations.search',
    method: 'GET',
    path: /^search$/,
    query: ['query', 'sort_by', 'sort_order', 'page', 'per_page'],
    answer: findTickets,
  },
  {
    operation: 'messaging.conversations.create',
    method: 'POST',
    path: /^tickets$/,
    body: ['ticket'],
    answer: (call) => {
      const { store, body } = call;
      const { comment, ...given } = withTags(objectIn(body, 'ticket'));
      assertTicket(store, { ...given, comment });
      if (comment === undefined) throw invalid('base', 'Description: cannot be blank', 'BlankValue');
      const { id: requester_id } = userIn(store, Number(given['requester_id'] ?? ownAgentId));
      const ticket = newTicket(store.nextId(), {
        ...given,
        requester_id,
      });
      const made = addComment(call, ticket);
      store.tickets.set(ticket.id, ticket);
      return { ticket: shown(ticket), audit: { id: store.nextId(), events: eventsOf(made) } };
    },
  },
  {
    operation: 'messaging.conversations.get',
    method: 'GET',
    path: /^tickets\/(\d+)$/,
    answer: ({ store, id }) => ({ ticket: shown(ticketIn(store, id)) }),
  },
  {
    operation: operationOf,
    method: 'PUT',
    path: /^tickets\/(\d+)$/,
    body: ['ticket'],
    answer: (call) => {
      const { store, id, body } = call;
      const ticket = ticketIn(store, id);
      const { comment, custom_fields, ...given } = withTags(objectIn(body, 'ticket'));
      if (ticket.status === 'closed') throw invalid('status', 'Status: closed prevents ticket update', 'ClosedTicket');
      assertTicket(store, { ...given, comment, custom_fields });
      const made = addComment(call, ticket);
      const known = ticket.custom_fields.filter(
        (field) => !(Array.isArray(custom_fields) && custom_fields.some((one: unknown) => Object(one).id === field.id)),
      );
      Object.assign(ticket, given, {
        custom_fields: [...known, ...(Array.isArray(custom_fields) ? custom_fields : [])],
        updated_at: nowText(),
      });
      return {
        ticket: shown(ticket),
        audit: { id: store.nextId(), ticket_id: id, created_at: nowText(), events: eventsOf(made) },
      };
    },
  },
  {
    operation: 'messaging.conversations.get',
    method: 'GET',
    path: /^tickets\/(\d+)\/comments$/,
    query: ['sort_order', ...paging],
    answer: ({ store, id, query, page }) => {
      const { comments } = ticketIn(store, id);
      const data = comments.map((comment) => ({ type: 'Comment', plain_body: comment.body, ...comment }));
      return page('comments', query.get('sort_order') === 'desc' ? data.toReversed() : data);
    },
  },
  {
    operation: 'messaging.conversations.tags.attach',
    method: 'PUT',
    path: /^tickets\/(\d+)\/tags$/,
    body: ['tags', 'updated_stamp', 'safe_update'],
    answer: ({ store, id, body }) => {
      const ticket = ticketIn(store, id);
      if (ticket.status === 'closed') throw new Refused(422, 'RecordInvalid', 'Status: closed prevents ticket update');
      ticket.tags = [...new Set([...ticket.tags, ...tagsOf(body)])];
      return { tags: ticket.tags };
    },
  },
  {
    operation: 'messaging.conversations.tags.detach',
    method: 'DELETE',
    path: /^tickets\/(\d+)\/tags$/,
    body: ['tags', 'updated_stamp', 'safe_update'],
    answer: ({ store, id, body }) => {
      const ticket = ticketIn(store, id);
      const removed = tagsOf(body);
      ticket.tags = ticket.tags.filter((tag) => !removed.includes(tag));
      return { tags: ticket.tags };
    },
  },
];
