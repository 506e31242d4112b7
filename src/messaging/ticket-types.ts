import { entry } from '../api/entry.ts';
import { readList } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, readOptional, readRecord, type RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { optionalText, withLists } from './fields.ts';

/** A step on the way of a ticket. */
export interface TicketState {
  readonly id: string;
  /** `submitted`, `in_progress`, `waiting_on_customer` or `resolved`. */
  readonly category?: string | null | undefined;
  /** The name that colleagues use. */
  readonly internal_label?: string | null | undefined;
  /** The name that customers read. */
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
  /** Its name in `attributes` of a new ticket. */
  readonly name?: string | null | undefined;
  readonly data_type?: string | null | undefined;
  /** A ticket can't be created without it. */
  readonly required_to_create?: boolean | null | undefined;
  readonly [field: string]: unknown;
}

/** Reads kinds of tickets. */
export interface TicketTypes {
  get(id: string, call?: RequestOptions): Promise<TicketType | undefined>;
  list(call?: RequestOptions): Promise<RecordList<TicketType>>;
}

/** Reads the steps on the way of tickets. */
export interface TicketStates {
  list(call?: RequestOptions): Promise<RecordList<TicketState>>;
}

export const ticketStateSchema = z.lazily<TicketState>(() =>
  z.looseObject({
    id: z.readId(),
    category: optionalText(),
    internal_label: optionalText(),
    external_label: optionalText(),
  }),
);

const attributeSchema = z.lazily<TicketTypeAttribute>(() =>
  z.looseObject({
    id: z.readId(),
    name: optionalText(),
    data_type: optionalText(),
    required_to_create: z.nullish(z.boolean()),
  }),
);

export const ticketTypeSchema = z.lazily<TicketType>(() =>
  z.looseObject({
    id: z.readId(),
    name: optionalText(),
    description: optionalText(),
    category: optionalText(),
    archived: z.nullish(z.boolean()),
    ticket_type_attributes: z.optional(z.array(attributeSchema())),
    ticket_states: z.optional(z.array(ticketStateSchema())),
  }),
);

/** Takes the lists of a kind of ticket out of their envelopes. */
export const flatTicketType = (json: unknown): unknown =>
  withLists(json, [
    ['ticket_type_attributes', ['ticket_type_attributes', 'data']],
    ['ticket_states', ['data', 'ticket_states']],
  ]);

const readType = readRecord(ticketTypeSchema, ['id']);
const ticketType: Reader<TicketType> = (json, context) => readType(flatTicketType(json), context);
const ticketState = readRecord(ticketStateSchema, ['id']);

/** The operations on kinds of tickets, as Intercom has them. */
export const ticketTypeEndpoints = {
  get: entry({ method: 'GET', path: 'ticket_types/{id}', absentOn404: true, returns: readOptional(ticketType) }),
  list: entry({ method: 'GET', path: 'ticket_types', returns: readList(ticketType, { under: ['ticket_types'] }) }),
};

/** The operations on steps of tickets, as Intercom has them. */
export const ticketStateEndpoints = {
  list: entry({ method: 'GET', path: 'ticket_states', returns: readList(ticketState, { under: ['ticket_states'] }) }),
};
