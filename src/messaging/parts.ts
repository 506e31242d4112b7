import { itemsWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { optionalId, optionalText } from './fields.ts';

/** A note, a reply or an action within a conversation. */
export interface ConversationPart {
  readonly id?: string | null | undefined;
  /** `note` is internal. */
  readonly message_type?: string | null | undefined;
  readonly body?: string | null | undefined;
  readonly admin_id?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** Reads parts, such as the answer to a note. Bodies have been read by {@link readBodyOf}. */
export const partSchema = z.lazily<ConversationPart>(() =>
  z.looseObject({ id: optionalId(), message_type: optionalText(), body: optionalText(), admin_id: optionalId() }),
);

/** The fields of a record that has parts, such as a conversation or a ticket. */
export const partFields = () => ({
  parts: z.optional(z.array(partSchema())),
  parts_total: z.optional(z.number()),
  notes: z.optional(z.array(partSchema())),
});

export type ReadBody = (body: string) => string;

/** The conversion of texts, from and to those of the platform. */
export interface Texts {
  /** Finds the words of a body as the API returns it, such as in HTML. */
  readonly readBody: ReadBody;
  /** Turns a plain text for the customer into what the API expects. */
  readonly writeText: (text: string) => string;
}

/** A part, or the message that a conversation began with, with the words of its body. */
export const readBodyOf = (part: unknown, readBody: ReadBody): unknown => {
  const { body } = Object(part) as { readonly body?: unknown };
  return typeof body === 'string' ? { ...(part as object), body: readBody(body) } : part;
};

/**
 * A part with the words of its body, under the names of the default API. The real platform has its kind under `part_type`,
 * and its writer under `author`.
 */
export const toPart = (part: unknown, readBody: ReadBody): unknown => {
  if (typeof part !== 'object' || part === null) return part;
  const { message_type, part_type, admin_id, author } = part as Readonly<Record<string, unknown>>;
  const by = Object(author) as { readonly type?: unknown; readonly id?: unknown };
  const named = {
    message_type: message_type ?? part_type,
    admin_id: admin_id ?? (by.type === 'admin' ? by.id : undefined),
  };
  return readBodyOf({ ...part, ...withoutUndefined(named) }, readBody);
};

/** The parts in a list or in its envelope, with their count where it's above those that came, and the internal ones. */
export const partsIn = (list: unknown, names: readonly string[], readBody: ReadBody) => {
  const parts = itemsWithin(list, names)?.map((part) => toPart(part, readBody));
  const total = Number(Object(list).total_count);
  return {
    ...withoutUndefined({ parts, parts_total: parts && total > parts.length ? total : undefined }),
    notes: parts?.filter(isNote),
  };
};

/** Returns `true` for a part that customers never see. */
export const isNote = (part: unknown): boolean => {
  const { message_type } = Object(part) as Readonly<Record<string, unknown>>;
  // `note_and_reopen` is one too.
  return typeof message_type === 'string' && message_type.startsWith('note');
};
