import { entry } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import * as z from '../core/schema.ts';
import { readList, readWithin } from '../core/envelope.ts';
import { readOptional } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import * as check from './fields.ts';
import { search, writeSearch } from './search-query.ts';
import { ticketPart, ticketReader, ticketState, ticketType } from './ticket-records.ts';

/** Values for the fields of a ticket's type, by their names. For a list, the value is the id of the item. */
export type TicketAttributes = Readonly<Record<string, string | number | boolean | null | readonly unknown[]>>;

/** What a ticket says. */
export interface TicketWords {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly attributes?: TicketAttributes | undefined;
}

/** A ticket to be created. */
export interface NewTicket extends TicketWords {
  readonly ticketTypeId: string;
  /** The customer it's about. */
  readonly contactId: string;
  /** The conversation it came out of: the two are linked. */
  readonly conversationId?: string | undefined;
  readonly companyId?: string | undefined;
  /** Who is to work on it. */
  readonly adminAssigneeId?: string | undefined;
  readonly teamAssigneeId?: string | undefined;
}

/** What is changed about a ticket. What is left out stays as it is. */
export interface TicketChanges extends TicketWords {
  /** One of the states of its type. **The customer may be notified of it.** */
  readonly stateId?: string | undefined;
  /** `false` closes it. */
  readonly open?: boolean | undefined;
  /** UNIX seconds. */
  readonly snoozedUntil?: number | undefined;
  /** An admin or a team. In Zendesk an agent: a group is assigned by `conversations.assignToTeam`. */
  readonly assigneeId?: string | undefined;
}

/** The ticket that a conversation becomes. */
export interface TicketOfConversation extends TicketWords {
  readonly ticketTypeId: string;
  /** @defaultValue the first one of the type */
  readonly stateId?: string | undefined;
}

const attributes = z.lazily<TicketAttributes | undefined>(
  () =>
    z.optional(
      z.record(z.string(), z.nullish(z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown())]))),
    ) as z.ZodType<TicketAttributes | undefined>,
);

const words = () => ({
  title: z.optional(text()),
  description: z.optional(text()),
  attributes: attributes(),
});

const newTicket = z.lazily<NewTicket>(() =>
  z.object({
    ...words(),
    ticketTypeId: id(),
    contactId: id(),
    conversationId: z.optional(id()),
    companyId: z.optional(id()),
    adminAssigneeId: z.optional(id()),
    teamAssigneeId: z.optional(id()),
  }),
);

const changes = z.lazily<TicketChanges>(() =>
  z
    .object({
      ...words(),
      stateId: z.optional(id()),
      open: z.optional(z.boolean()),
      snoozedUntil: z.optional(z.int()),
      assigneeId: z.optional(id()),
    })
    .check(
      z.refine((given) => Object.values(given).some((value) => value !== undefined), {
        path: ['changes'],
        message: 'must have at least one field',
      }),
    ),
);

const ofConversation = z.lazily<TicketOfConversation>(() =>
  z.object({ ...words(), ticketTypeId: id(), stateId: z.optional(id()) }),
);

/** How tickets are read and written. */
interface TicketEndpointOptions {
  readonly readBody: (body: string) => string;
  readonly writeText: (text: string) => string;
}

/** The operations on tickets, as Intercom has them. Only `reply` and a new state reach the customer. */
export const ticketEndpoints = ({ readBody, writeText }: TicketEndpointOptions) => {
  const ticket = readWithin('ticket', ticketReader(readBody));
  /** Title and description are attributes with names of their own. The description is read as a body. */
  const writeAttributes = ({ title, description, attributes }: TicketWords): object | undefined =>
    title === undefined && description === undefined && attributes === undefined
      ? undefined
      : {
          ...attributes,
          ...withoutUndefined({
            _default_title_: title,
            _default_description_: description === undefined ? undefined : writeText(description),
          }),
        };
  return {
    get: entry({ method: 'GET', path: 'tickets/{id}', absentOn404: true, returns: readOptional(ticket) }),
    create: entry({
      method: 'POST',
      path: 'tickets',
      takes: newTicket,
      body: ({ ticketTypeId, contactId, conversationId, companyId, adminAssigneeId, teamAssigneeId, ...words }) => ({
        ticket_type_id: ticketTypeId,
        contacts: [{ id: contactId }],
        conversation_to_link_id: conversationId,
        company_id: companyId,
        ticket_attributes: writeAttributes(words),
        assignment:
          adminAssigneeId === undefined && teamAssigneeId === undefined
            ? undefined
            : { admin_assignee_id: adminAssigneeId, team_assignee_id: teamAssigneeId },
      }),
      returns: ticket,
    }),
    update: entry({
      method: 'PUT',
      path: 'tickets/{id}',
      takes: changes,
      body: ({ stateId, open, snoozedUntil, assigneeId, ...words }) => ({
        ticket_attributes: writeAttributes(words),
        ticket_state_id: stateId,
        open,
        snoozed_until: snoozedUntil,
        assignee_id: assigneeId,
      }),
      withoutKeys: 'again',
      returns: ticket,
    }),
    search: entry({
      method: 'POST',
      path: 'tickets/search',
      takes: search,
      body: writeSearch,
      effect: 'read',
      returns: readList(ticket, { under: ['tickets'] }),
    }),
    reply: entry({
      method: 'POST',
      path: 'tickets/{id}/reply',
      takes: check.message,
      body: ({ adminId, body }) => ({
        message_type: 'comment',
        type: 'admin',
        admin_id: adminId,
        body: writeText(body),
      }),
      returns: ticketPart(readBody),
    }),
    addNote: entry({
      method: 'POST',
      path: 'tickets/{id}/reply',
      takes: check.message,
      body: ({ adminId, body }) => ({ message_type: 'note', type: 'admin', admin_id: adminId, body }),
      returns: ticketPart(readBody),
    }),
    convertConversation: entry({
      method: 'POST',
      path: 'conversations/{conversationId}/convert',
      takes: ofConversation,
      body: ({ ticketTypeId, stateId, ...words }) => ({
        ticket_type_id: ticketTypeId,
        ticket_state_id: stateId,
        attributes: writeAttributes(words),
      }),
      returns: ticket,
    }),
    types: {
      get: entry({ method: 'GET', path: 'ticket_types/{id}', absentOn404: true, returns: readOptional(ticketType) }),
      list: entry({ method: 'GET', path: 'ticket_types', returns: readList(ticketType, { under: ['ticket_types'] }) }),
    },
    states: {
      list: entry({
        method: 'GET',
        path: 'ticket_states',
        returns: readList(ticketState, { under: ['ticket_states'] }),
      }),
    },
  };
};
