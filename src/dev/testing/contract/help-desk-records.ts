import type { EndpointAnswer } from '../endpoint.ts';
import type { FakeArticle, FakeOfficeHours, FakeTicket, FakeTicketState, FakeTicketType } from '../store/help-desk.ts';
import type { MessagingStore } from '../store/messaging.ts';
import type { FakePart } from '../store/messaging-records.ts';
import { found, ok } from './messaging-lookups.ts';

/** An article, as the real platform writes it. */
export const articleRecord = (article: FakeArticle) => {
  const { help_center_id: _helpCenter, ...fields } = article;
  return { type: 'article', ...fields };
};

/** The answer of a search of articles. */
export const articleListRecord = (articles: readonly FakeArticle[]): EndpointAnswer =>
  ok({
    type: 'list',
    data: { articles: articles.map(articleRecord), highlights: [] },
    total_count: articles.length,
    pages: { type: 'pages', page: 1, per_page: 10, total_pages: 1 },
  });

/** The states of tickets. */
export const ticketStates: readonly FakeTicketState[] = ['submitted', 'in_progress', 'waiting_on_customer', 'resolved'];

/** A state of tickets, as the real platform writes it. */
export const stateRecord = (state: FakeTicketState) => {
  const words = state.replaceAll('_', ' ');
  const label = words.charAt(0).toUpperCase() + words.slice(1);
  return { type: 'ticket_state', id: state, category: state, internal_label: label, external_label: label };
};

/** A kind of ticket, as the real platform writes it. */
export const ticketTypeRecord = ({ attributes, ...type }: FakeTicketType) => ({
  type: 'ticket_type',
  ...type,
  archived: false,
  ticket_type_attributes: {
    type: 'list',
    ticket_type_attributes: ['_default_title_', '_default_description_', ...attributes].map((name) => ({
      type: 'ticket_type_attribute',
      id: `${type.id}_${name}`,
      name,
      data_type: 'string',
      required_to_create: false,
    })),
  },
  ticket_states: { type: 'list', data: ticketStates.map(stateRecord) },
});

/** A ticket with its parts, as the real platform writes it. */
export const ticketRecord = (store: MessagingStore, ticket: FakeTicket) => {
  const {
    ticket_type_id,
    contact_id,
    conversation_id,
    state,
    attributes,
    parts,
    company_id: _company,
    ...fields
  } = ticket;
  const type = found(store.ticketTypes, ticket_type_id, 'ticket_type');
  return {
    type: 'ticket',
    ...fields,
    category: type.category,
    ticket_attributes: attributes,
    ticket_state: stateRecord(state),
    ticket_type: ticketTypeRecord(type),
    contacts: { type: 'contact.list', contacts: [{ type: 'contact', id: contact_id }] },
    linked_objects: {
      type: 'list',
      data: conversation_id === null ? [] : [{ type: 'conversation', id: conversation_id, category: null }],
      total_count: conversation_id === null ? 0 : 1,
      has_more: false,
    },
    ticket_parts: {
      type: 'ticket_part.list',
      ticket_parts: parts.map(ticketPartRecord),
      total_count: parts.length,
    },
    is_shared: true,
  };
};

/** A reply to a ticket, as the real platform writes it. */
export const ticketPartRecord = ({ type, assigned_to: _assignee, ...part }: FakePart) => ({
  type: 'ticket_part',
  part_type: type,
  ...part,
});

/** Office hours, as the real platform writes them. */
export const hoursRecord = ({ exceptions: _exceptions, ...hours }: FakeOfficeHours) => ({
  type: 'office_hours_schedule',
  ...hours,
});
