import { itemsWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { optionalId, optionalText, optionalTime } from './fields.ts';

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

/** A contact in a conversation or a ticket. */
export interface Participant {
  readonly id: string;
  readonly external_id?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** The fields that conversations and tickets share. */
export interface Thread {
  readonly id: string;
  readonly title?: string | null | undefined;
  readonly open?: boolean | null | undefined;
  /** The contacts who take part. */
  readonly contacts?: readonly Participant[] | undefined;
  readonly admin_assignee_id?: string | null | undefined;
  readonly team_assignee_id?: string | null | undefined;
  /** Everything that happened in it, internal notes included. */
  readonly parts?: readonly ConversationPart[] | undefined;
  /** The count of all parts, where `parts` contains fewer: Intercom returns at most 500, and Zendesk's newest 1,000 are read. */
  readonly parts_total?: number | undefined;
  /** The parts that customers never see. */
  readonly notes?: readonly ConversationPart[] | undefined;
  readonly created_at?: number | string | null | undefined;
  readonly updated_at?: number | string | null | undefined;
  readonly [field: string]: unknown;
}

/** The schemas of the fields of a {@link Thread}. */
export const threadFields = () => ({
  id: z.readId(),
  title: optionalText(),
  open: z.nullish(z.boolean()),
  contacts: z.optional(z.array(z.looseObject({ id: z.readId(), external_id: optionalId() }))),
  admin_assignee_id: optionalId(),
  team_assignee_id: optionalId(),
  parts: z.optional(z.array(partSchema())),
  parts_total: z.optional(z.number()),
  notes: z.optional(z.array(partSchema())),
  created_at: optionalTime(),
  updated_at: optionalTime(),
});

/** Reads what a person wrote, such as HTML as plain text. */
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
