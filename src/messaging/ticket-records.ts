import * as z from '../core/schema.ts';
import { type Reader, readId, readRecord } from '../core/schema.ts';
import {
  isNote,
  optionalCount,
  optionalId,
  optionalText,
  optionalTime,
  partSchema,
  totalAbove,
  withDocumentedNames,
  withLists,
  withWords,
} from './readers.ts';
import type { ConversationPart, CustomAttributes } from './records.ts';

/** A request that people work on until it's resolved. Fields that aren't listed here are kept as they came. */
export interface Ticket {
  /** What the operations take. People see `ticket_id`. */
  readonly id: string;
  /** The number that people see. */
  readonly ticket_id?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** `Customer`, `Back-office` or `Tracker`. Customers see only the first kind. */
  readonly category?: string | null | undefined;
  /** How far it is. */
  readonly ticket_state?: TicketState | null | undefined;
  readonly ticket_type?: TicketType | null | undefined;
  /** The fields of its type, title and description among them. */
  readonly ticket_attributes?: CustomAttributes | undefined;
  readonly contacts?: readonly TicketContact[] | undefined;
  readonly open?: boolean | null | undefined;
  readonly admin_assignee_id?: string | null | undefined;
  readonly team_assignee_id?: string | null | undefined;
  /** Everything that happened to it, internal notes included. */
  readonly parts?: readonly ConversationPart[] | undefined;
  /** The count of all parts, where `parts` contains fewer: Intercom returns at most 500, and Zendesk's newest 1,000 are read. */
  readonly parts_total?: number | undefined;
  /** The parts that customers never see. */
  readonly notes?: readonly ConversationPart[] | undefined;
  readonly created_at?: number | string | null | undefined;
  readonly updated_at?: number | string | null | undefined;
  readonly [field: string]: unknown;
}

/** A person whom a ticket is about. */
export interface TicketContact {
  readonly id: string;
  readonly external_id?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A step on the way of a ticket. */
export interface TicketState {
  readonly id: string;
  /** `submitted`, `in_progress`, `waiting_on_customer` or `resolved`. */
  readonly category?: string | null | undefined;
  /** What colleagues call it. */
  readonly internal_label?: string | null | undefined;
  /** What customers read. */
  readonly external_label?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A kind of ticket, with the fields it asks for. */
export interface TicketType {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** `Customer`, `Back-office` or `Tracker`. */
  readonly category?: string | null | undefined;
  readonly archived?: boolean | null | undefined;
  readonly ticket_type_attributes?: readonly TicketTypeAttribute[] | undefined;
  readonly ticket_states?: readonly TicketState[] | undefined;
  readonly [field: string]: unknown;
}

/** A field of a kind of ticket. */
export interface TicketTypeAttribute {
  readonly id: string;
  /** What `attributes` of a new ticket call it. */
  readonly name?: string | null | undefined;
  readonly data_type?: string | null | undefined;
  /** A ticket can't be created without it. */
  readonly required_to_create?: boolean | null | undefined;
  readonly [field: string]: unknown;
}

const stateSchema = z.lazily<TicketState>(() =>
  z.looseObject({
    id: readId(),
    category: optionalText(),
    internal_label: optionalText(),
    external_label: optionalText(),
  }),
);

const attributeSchema = z.lazily<TicketTypeAttribute>(() =>
  z.looseObject({
    id: readId(),
    name: optionalText(),
    data_type: optionalText(),
    required_to_create: z.nullish(z.boolean()),
  }),
);

const typeSchema = z.lazily<TicketType>(() =>
  z.looseObject({
    id: readId(),
    name: optionalText(),
    description: optionalText(),
    category: optionalText(),
    archived: z.nullish(z.boolean()),
    ticket_type_attributes: z.optional(z.array(attributeSchema())),
    ticket_states: z.optional(z.array(stateSchema())),
  }),
);

const contactSchema = z.lazily<TicketContact>(() => z.looseObject({ id: readId(), external_id: optionalId() }));

const ticketSchema = z.lazily<Ticket>(() =>
  z.object({
    id: readId(),
    ticket_id: optionalId(),
    title: optionalText(),
    description: optionalText(),
    category: optionalText(),
    ticket_state: z.nullish(stateSchema()),
    ticket_type: z.nullish(typeSchema()),
    ticket_attributes: z.optional(z.anyObject()),
    contacts: z.optional(z.array(contactSchema())),
    open: z.nullish(z.boolean()),
    admin_assignee_id: optionalId(),
    team_assignee_id: optionalId(),
    parts: z.optional(z.array(partSchema())),
    parts_total: optionalCount(),
    notes: z.optional(z.array(partSchema())),
    created_at: optionalTime(),
    updated_at: optionalTime(),
  }),
);

const typeLists = [
  ['ticket_type_attributes', ['ticket_type_attributes', 'data']],
  ['ticket_states', ['data', 'ticket_states']],
] as const;

const ticketLists = [
  ['contacts', ['contacts', 'data']],
  ['ticket_parts', ['ticket_parts', 'data']],
] as const;

/** Reads a kind of ticket, with its lists out of their envelopes. */
export const ticketType: Reader<TicketType> = (json, context) =>
  readRecord(typeSchema, ['id'])(withLists(json, typeLists), context);

export const ticketState: Reader<TicketState> = readRecord(stateSchema, ['id']);

/** A reply to a ticket, or a note on it. */
export const ticketPart =
  (readBody: (body: string) => string): Reader<ConversationPart> =>
  (json, context) =>
    readRecord(partSchema, ['id'])(withWords(withDocumentedNames(json), readBody), context);

/** Reads tickets. `readBody` gives the words of a body. */
export const ticketReader =
  (readBody: (body: string) => string): Reader<Ticket> =>
  (json, context) => {
    const read = readRecord(ticketSchema, ['id']);
    const { ticket_parts: list } = Object(json) as { readonly ticket_parts?: unknown };
    const flat = withLists(json, ticketLists);
    if (typeof flat !== 'object' || flat === null) return read(flat, context);
    const { ticket_parts, ticket_type, ...ticket } = flat as Readonly<Record<string, unknown>>;
    const attributes = Object(ticket['ticket_attributes']);
    const { _default_title_: title, _default_description_: description } = attributes;
    const parts = Array.isArray(ticket_parts)
      ? ticket_parts.map((part) => withWords(withDocumentedNames(part), readBody))
      : undefined;
    return read(
      {
        title,
        description: typeof description === 'string' ? readBody(description) : description,
        ...ticket,
        ticket_type: withLists(ticket_type, typeLists),
        parts,
        parts_total: totalAbove(parts, list),
        notes: parts?.filter(isNote),
      },
      context,
    );
  };
