import { entry } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import { readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, readOptional, readRecord } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { RequestOptions } from '../http/operation.ts';
import { type ByAdmin, createByAdmin, message } from './admins.ts';
import type { CustomAttributes } from './attributes.ts';
import type { ContactEndpoints } from './contacts.ts';
import { hasSomeField, optionalId, optionalText, withLists } from './fields.ts';
import {
  type ConversationPart,
  partSchema,
  partsIn,
  type ReadBody,
  type Texts,
  type Thread,
  threadFields,
  toPart,
} from './parts.ts';
import { type ContactLists, createSearch, listForContact, searchEntry, type Searches } from './search.ts';
import {
  flatTicketType,
  type TicketState,
  ticketStateEndpoints,
  type TicketStates,
  ticketStateSchema,
  type TicketType,
  ticketTypeEndpoints,
  type TicketTypes,
  ticketTypeSchema,
} from './ticket-types.ts';
import type { Workspace } from './workspace.ts';

/** A request that people work on until it's resolved. Fields that aren't listed here are kept as they came. */
export interface Ticket extends Thread {
  /** The id that the operations take. People see `ticket_id`. */
  readonly id: string;
  /** The number that people see. */
  readonly ticket_id?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** `Customer`, `Back-office` or `Tracker`. Customers see only the first kind. */
  readonly category?: string | null | undefined;
  /** Its progress. */
  readonly ticket_state?: TicketState | null | undefined;
  readonly ticket_type?: TicketType | null | undefined;
  /** The fields of its type, title and description among them. */
  readonly ticket_attributes?: CustomAttributes | undefined;
}

/** Values for the fields of a ticket's type, by their names. For a list, the value is the id of the item. */
export type TicketAttributes = Readonly<Record<string, string | number | boolean | null | readonly unknown[]>>;

/** The words of a ticket. */
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
  /** The admin who is to work on it. */
  readonly adminAssigneeId?: string | undefined;
  readonly teamAssigneeId?: string | undefined;
}

/** Changes to a ticket. A field that's left out stays as it is. */
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

/** Reads and writes tickets. Paths of the real platform; the default API doesn't have them. */
export interface Tickets extends Searches<Ticket>, ContactLists<Ticket> {
  /** With its parts and notes. `undefined` when there's none with this id. */
  get(id: string, call?: RequestOptions): Promise<Ticket | undefined>;
  /**
   * Opens a ticket for a contact. `tickets.types.list` says which kinds there are and which fields they need. It isn't
   * sent again after an unknown end: the error then says `outcome: 'unknown'`.
   *
   * @example
   * const { ticket_id } = await messaging.tickets.create({ ticketTypeId: '7', contactId, title: 'The door is stuck' });
   */
  create(ticket: NewTicket, call?: RequestOptions): Promise<Ticket>;
  /** Needs at least one change; what is left out stays as it is. */
  update(id: string, changes: TicketChanges, call?: RequestOptions): Promise<Ticket>;
  /** **Sends a message to the customer.** */
  reply(id: string, reply: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<ConversationPart>;
  /** Adds an internal note. It never reaches the customer. */
  addNote(id: string, note: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<ConversationPart>;
  readonly types: TicketTypes;
  readonly states: TicketStates;
}

const ticketSchema = z.lazily<Ticket>(() =>
  z.object({
    ...threadFields(),
    ticket_id: optionalId(),
    description: optionalText(),
    category: optionalText(),
    ticket_state: z.nullish(ticketStateSchema()),
    ticket_type: z.nullish(ticketTypeSchema()),
    ticket_attributes: z.optional(z.anyObject()),
  }),
);

/** Reads tickets. */
export const ticketReader = (readBody: ReadBody): Reader<Ticket> => {
  const read = readRecord(ticketSchema, ['id']);
  return readWithin('ticket', (json, context) => {
    const flat = withLists(json, [['contacts', ['contacts', 'data']]]);
    if (typeof flat !== 'object' || flat === null) return read(flat, context);
    const { ticket_parts, ticket_type, ...ticket } = flat as Readonly<Record<string, unknown>>;
    const { _default_title_: title, _default_description_: description } = Object(ticket['ticket_attributes']);
    const { notes, ...parts } = partsIn(ticket_parts, ['ticket_parts', 'data'], readBody);
    return read(
      {
        title,
        description: typeof description === 'string' ? readBody(description) : description,
        ...withoutUndefined({ notes }),
        ...ticket,
        ticket_type: flatTicketType(ticket_type),
        ...parts,
      },
      context,
    );
  });
};

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
    .check(hasSomeField('changes')),
);

const ofConversation = z.lazily<TicketOfConversation>(() =>
  z.object({ ...words(), ticketTypeId: id(), stateId: z.optional(id()) }),
);

/** Title and description are attributes with names of their own. The description is read as a body. */
const writeAttributes = (
  { title, description, attributes }: TicketWords,
  writeText: Texts['writeText'],
): object | undefined =>
  title === undefined && description === undefined && attributes === undefined
    ? undefined
    : {
        ...attributes,
        ...withoutUndefined({
          _default_title_: title,
          _default_description_: description === undefined ? undefined : writeText(description),
        }),
      };

/** Makes a ticket of a conversation. */
export const conversionEntry = ({ readBody, writeText }: Texts) =>
  entry({
    method: 'POST',
    path: 'conversations/{conversationId}/convert',
    takes: ofConversation,
    body: ({ ticketTypeId, stateId, ...words }) => ({
      ticket_type_id: ticketTypeId,
      ticket_state_id: stateId,
      attributes: writeAttributes(words, writeText),
    }),
    returns: ticketReader(readBody),
  });

/** The operations on tickets, as Intercom has them. Only `reply` and a new state reach the customer. */
export const ticketEndpoints = ({ readBody, writeText }: Texts) => {
  const ticket = ticketReader(readBody);
  const readPart = readRecord(partSchema, ['id']);
  const part: Reader<ConversationPart> = (json, context) => readPart(toPart(json, readBody), context);
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
        ticket_attributes: writeAttributes(words, writeText),
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
        ticket_attributes: writeAttributes(words, writeText),
        ticket_state_id: stateId,
        open,
        snoozed_until: snoozedUntil,
        assignee_id: assigneeId,
      }),
      withoutKeys: 'again',
      returns: ticket,
    }),
    search: searchEntry('tickets', ticket),
    reply: entry({
      method: 'POST',
      path: 'tickets/{id}/reply',
      takes: message,
      body: ({ adminId, body }) => ({
        message_type: 'comment',
        type: 'admin',
        admin_id: adminId,
        body: writeText(body),
      }),
      returns: part,
    }),
    addNote: entry({
      method: 'POST',
      path: 'tickets/{id}/reply',
      takes: message,
      body: ({ adminId, body }) => ({ message_type: 'note', type: 'admin', admin_id: adminId, body }),
      returns: part,
    }),
    types: ticketTypeEndpoints,
    states: ticketStateEndpoints,
  };
};

type TicketsWorkspace = Workspace<{
  readonly tickets: ReturnType<typeof ticketEndpoints>;
  readonly contacts: Pick<ContactEndpoints, 'get'>;
}>;

/** Makes the methods of tickets. */
export const createTickets = (workspace: TicketsWorkspace): Tickets => {
  const { tickets, contacts } = workspace.methods;
  const { search } = workspace.endpoints.tickets;
  const byAdmin = createByAdmin('tickets', workspace.adminId);
  return {
    ...tickets,
    ...createSearch(workspace, 'tickets', search, tickets.search),
    listForContact: listForContact(workspace, 'messaging.tickets.listForContact', search, contacts.get),
    reply: byAdmin('reply', tickets.reply),
    addNote: byAdmin('addNote', tickets.addNote),
  };
};
