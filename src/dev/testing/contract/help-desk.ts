import type { Endpoint } from '../endpoint.ts';
import type { FakeTicket, FakeTicketState } from '../store/help-desk.ts';
import type { MessagingStore } from '../store/messaging.ts';
import type { AttributeValue } from '../store/messaging-records.ts';
import {
  articleListRecord,
  articleRecord,
  hoursRecord,
  stateRecord,
  ticketPartRecord,
  ticketRecord,
  ticketStates,
  ticketTypeRecord,
} from './help-desk-records.ts';
import { pagesRecord } from './intercom-records.ts';
import { invalidParameter as invalid } from '../refused.ts';
import { type ReadField, searchIntercom } from './intercom-search.ts';
import { adminOf, contactOf, conversationOf, found, ok } from './messaging-lookups.ts';

/** One of the two that share a path: `message_type` says which. */
const replyRow = (
  type: 'comment' | 'note',
  operation: 'messaging.tickets.reply' | 'messaging.tickets.addNote',
): Endpoint<MessagingStore> => ({
  operation,
  method: 'POST',
  path: '/tickets/{id}/reply',
  effect: 'write',
  when: { message_type: type },
  body: { required: { message_type: 'text', type: 'text', admin_id: 'text', body: 'text' } },
  answer: ({ store, params, body }) => {
    if (body['type'] !== 'admin') throw invalid('type', 'must be "admin"');
    const ticket = found(store.tickets, params['id'], 'ticket');
    const author = { type: 'admin', id: adminOf(store, body['admin_id']).id } as const;
    return ok(ticketPartRecord(store.addToTicket(ticket, { type, author, body: String(body['body']) })));
  },
});

/** Refuses a field that the ticket's type doesn't have. */
const attributesOf = (names: readonly string[], attributes: unknown): Record<string, AttributeValue> => {
  for (const name of Object.keys(attributes ?? {}))
    if (name !== '_default_title_' && name !== '_default_description_' && !names.includes(name))
      throw invalid(`ticket_attributes.${name}`, 'is not an attribute of this ticket type');
  return { ...(attributes as Record<string, AttributeValue> | undefined) };
};

const stateOf = (id: unknown): FakeTicketState => {
  const state = ticketStates.find((each) => each === id);
  if (!state) throw invalid('ticket_state_id', 'is no state of this ticket type');
  return state;
};

const typeOf = (store: MessagingStore, { ticket_type_id }: FakeTicket) =>
  found(store.ticketTypes, ticket_type_id, 'ticket_type');

const ticketField: ReadField<FakeTicket> = (field) => {
  if (field === 'contact_ids') return ({ contact_id }) => contact_id;
  if (field === 'title') return ({ attributes }) => attributes['_default_title_'];
  const own = (
    [
      'id',
      'ticket_type_id',
      'state',
      'open',
      'admin_assignee_id',
      'team_assignee_id',
      'snoozed_until',
      'created_at',
      'updated_at',
    ] as const
  ).find((name) => name === field);
  return own && ((ticket) => ticket[own]);
};

/** The endpoints for articles, tickets and office hours: as Intercom has them, since the default API has none. */
export const helpDeskEndpoints: readonly Endpoint<MessagingStore>[] = [
  {
    operation: 'messaging.articles.get',
    method: 'GET',
    path: '/articles/{id}',
    effect: 'read',
    answer: ({ store, params }) => ok(articleRecord(found(store.articles, params['id'], 'article'))),
  },
  {
    operation: 'messaging.articles.search',
    method: 'GET',
    path: '/articles/search',
    effect: 'read',
    query: { optional: { phrase: 'text', state: 'text', help_center_id: 'text' } },
    answer: ({ store, query: { phrase = '', state = 'all', help_center_id } }) => {
      const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
      const articles = [...store.articles.values()].filter(
        (article) =>
          (state === 'all' || article.state === state) &&
          (help_center_id === undefined || article.help_center_id === help_center_id) &&
          words.every((word) => `${article.title} ${article.description} ${article.body}`.toLowerCase().includes(word)),
      );
      return articleListRecord(articles);
    },
  },
  {
    operation: 'messaging.tickets.get',
    method: 'GET',
    path: '/tickets/{id}',
    effect: 'read',
    answer: ({ store, params }) => ok(ticketRecord(store, found(store.tickets, params['id'], 'ticket'))),
  },
  {
    operation: 'messaging.tickets.create',
    method: 'POST',
    path: '/tickets',
    effect: 'write',
    body: {
      required: { ticket_type_id: 'text', contacts: 'list' },
      optional: {
        conversation_to_link_id: 'text',
        company_id: 'text',
        created_at: 'integer',
        ticket_attributes: 'object',
        assignment: 'object',
      },
    },
    answer: ({ store, body }) => {
      const type = found(store.ticketTypes, body['ticket_type_id'], 'ticket_type');
      // Checked to be a list.
      const [contact] = body['contacts'] as readonly unknown[];
      const { id } = Object(contact);
      if (typeof id !== 'string') throw invalid('contacts', 'must name a contact by its id');
      const linked = body['conversation_to_link_id'];
      const { admin_assignee_id = null, team_assignee_id = null } = Object(body['assignment']);
      const ticket = store.addTicket({
        ticket_type_id: type.id,
        contact_id: contactOf(store, id).id,
        conversation_id: linked === undefined ? null : conversationOf(store, linked).id,
        company_id: typeof body['company_id'] === 'string' ? body['company_id'] : null,
        attributes: attributesOf(type.attributes, body['ticket_attributes']),
        admin_assignee_id,
        team_assignee_id,
      });
      return ok(ticketRecord(store, ticket));
    },
  },
  {
    operation: 'messaging.tickets.update',
    method: 'PUT',
    path: '/tickets/{id}',
    effect: 'write',
    body: {
      optional: {
        ticket_attributes: 'object',
        ticket_state_id: 'text',
        company_id: 'text',
        open: 'boolean',
        is_shared: 'boolean',
        snoozed_until: 'integer',
        admin_id: 'integer',
        assignee_id: 'text',
      },
    },
    answer: ({ store, params, body }) => {
      const ticket = found(store.tickets, params['id'], 'ticket');
      const { open = ticket.open, snoozed_until = ticket.snoozed_until, assignee_id: assignee } = Object(body);
      const changed = store.updateTicket(ticket, {
        attributes: attributesOf(typeOf(store, ticket).attributes, body['ticket_attributes']),
        state: body['ticket_state_id'] === undefined ? ticket.state : stateOf(body['ticket_state_id']),
        open,
        snoozed_until,
        admin_assignee_id: store.admins.has(assignee) ? assignee : ticket.admin_assignee_id,
        team_assignee_id: store.teams.has(assignee) ? assignee : ticket.team_assignee_id,
      });
      return ok(ticketRecord(store, changed));
    },
  },
  {
    operation: 'messaging.tickets.search',
    method: 'POST',
    path: '/tickets/search',
    effect: 'read',
    body: { required: { query: 'object' }, optional: { pagination: 'object' } },
    answer: ({ store, body }) => {
      const page = searchIntercom([...store.tickets.values()], body, ticketField);
      const tickets = page.records.map((ticket) => ticketRecord(store, ticket));
      return ok({ type: 'ticket.list', tickets, ...pagesRecord(page) });
    },
  },
  replyRow('comment', 'messaging.tickets.reply'),
  replyRow('note', 'messaging.tickets.addNote'),
  {
    operation: 'messaging.tickets.types.get',
    method: 'GET',
    path: '/ticket_types/{id}',
    effect: 'read',
    answer: ({ store, params }) => ok(ticketTypeRecord(found(store.ticketTypes, params['id'], 'ticket_type'))),
  },
  {
    operation: 'messaging.tickets.types.list',
    method: 'GET',
    path: '/ticket_types',
    effect: 'read',
    answer: ({ store }) => ok({ type: 'list', data: [...store.ticketTypes.values()].map(ticketTypeRecord) }),
  },
  {
    operation: 'messaging.tickets.states.list',
    method: 'GET',
    path: '/ticket_states',
    effect: 'read',
    answer: () => ok({ type: 'list', data: ticketStates.map(stateRecord) }),
  },
  {
    operation: 'messaging.conversations.convertToTicket',
    method: 'POST',
    path: '/conversations/{id}/convert',
    effect: 'write',
    body: { required: { ticket_type_id: 'text' }, optional: { ticket_state_id: 'text', attributes: 'object' } },
    answer: ({ store, params, body }) => {
      const conversation = conversationOf(store, params['id']);
      const type = found(store.ticketTypes, body['ticket_type_id'], 'ticket_type');
      const ticket = store.addTicket({
        ticket_type_id: type.id,
        contact_id: conversation.contact_id,
        conversation_id: conversation.id,
        attributes: attributesOf(type.attributes, body['attributes']),
        state: body['ticket_state_id'] === undefined ? 'submitted' : stateOf(body['ticket_state_id']),
      });
      return ok(ticketRecord(store, ticket));
    },
  },
  {
    operation: 'messaging.officeHours.get',
    method: 'GET',
    path: '/office_hours_schedules/{id}',
    effect: 'read',
    answer: ({ store, params }) => ok(hoursRecord(found(store.officeHours, params['id'], 'office_hours'))),
  },
  {
    operation: 'messaging.officeHours.list',
    method: 'GET',
    path: '/office_hours_schedules',
    effect: 'read',
    answer: ({ store }) => ok({ type: 'list', data: [...store.officeHours.values()].map(hoursRecord) }),
  },
  {
    operation: 'messaging.officeHours.listExceptions',
    method: 'GET',
    path: '/office_hours_schedules/{id}/office_hours_exceptions',
    effect: 'read',
    answer: ({ store, params }) => {
      const { exceptions } = found(store.officeHours, params['id'], 'office_hours');
      return ok({ type: 'list', data: exceptions.map((each) => ({ type: 'office_hours_exception', ...each })) });
    },
  },
];
