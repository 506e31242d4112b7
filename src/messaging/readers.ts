import { itemsWithin, readList, readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, type ReaderContext, readId, readRecord } from '../core/schema.ts';
import type { AttributeRules } from './attributes.ts';
import type {
  Admin,
  Company,
  Contact,
  Conversation,
  ConversationPart,
  CustomAttributes,
  Note,
  SubscriptionType,
  Tag,
  Team,
} from './records.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

export const optionalText = z.lazily(() => z.nullish(z.string()));
export const optionalId = z.lazily(() => z.nullish(readId()));
const amount = z.lazily(() => z.nullish(z.number()));
export const optionalCount = z.lazily(() => z.optional(z.number()));
export const optionalTime = z.lazily(() => z.nullish(z.union([z.number(), z.string()])));
const attributes = z.lazily<CustomAttributes | undefined>(() => z.optional(z.anyObject()));

const tagSchema = z.lazily<Tag>(() => z.looseObject({ id: readId(), name: optionalText() }));

const noteSchema = z.lazily<Note>(() => z.looseObject({ id: optionalId(), body: optionalText() }));

export const partSchema = z.lazily<ConversationPart>(() =>
  z.looseObject({
    id: optionalId(),
    message_type: optionalText(),
    body: optionalText(),
    admin_id: optionalId(),
  }),
);

const contactSchema = z.lazily<Contact>(() =>
  z.object({
    id: readId(),
    phone: optionalText(),
    email: optionalText(),
    name: optionalText(),
    external_id: optionalId(),
    role: optionalText(),
    unsubscribed_from_emails: z.nullish(z.boolean()),
    owner_id: optionalId(),
    custom_attributes: attributes(),
    notes: z.optional(z.array(noteSchema())),
    tags: z.nullish(z.array(tagSchema())),
    created_at: optionalTime(),
    updated_at: optionalTime(),
  }),
);

const conversationSchema = z.lazily<Conversation>(() =>
  z.object({
    id: readId(),
    state: optionalText(),
    open: z.nullish(z.boolean()),
    snoozed_until: amount(),
    priority: optionalText(),
    title: optionalText(),
    source: z.nullish(z.looseObject({ subject: optionalText(), body: optionalText() })),
    contacts: z.optional(z.array(z.looseObject({ id: readId(), external_id: optionalId() }))),
    custom_attributes: attributes(),
    admin_assignee_id: optionalId(),
    team_assignee_id: optionalId(),
    parts: z.optional(z.array(partSchema())),
    parts_total: optionalCount(),
    notes: z.optional(z.array(partSchema())),
    tags: z.optional(z.array(tagSchema())),
    created_at: optionalTime(),
    updated_at: optionalTime(),
  }),
);

const companySchema = z.lazily<Company>(() =>
  z.object({
    id: readId(),
    name: optionalText(),
    plan: z.nullish(z.looseObject({ name: optionalText() })),
    monthly_spend: amount(),
    size: amount(),
    custom_attributes: attributes(),
    updated_at: optionalTime(),
  }),
);

const personSchema = z.lazily<Admin>(() =>
  z.object({
    id: readId(),
    name: optionalText(),
    email: optionalText(),
    away_mode_enabled: z.nullish(z.boolean()),
    away_mode_reassign: z.nullish(z.boolean()),
    has_inbox_seat: z.nullish(z.boolean()),
    team_ids: z.nullish(z.array(readId())),
  }),
);
const teamSchema = z.lazily<Team>(() =>
  z.object({ id: readId(), name: optionalText(), admin_ids: z.nullish(z.array(readId())) }),
);

const subscriptionSchema = z.lazily<SubscriptionType>(() =>
  z.object({ id: readId(), state: optionalText(), consent_type: optionalText() }),
);

export const tag: Reader<Tag> = readWithin('tag', readRecord(tagSchema, ['id']));
export const tags = readList(tag, { under: ['tags'] });
export const admin: Reader<Admin> = readWithin('admin', readRecord(personSchema, ['id']));
export const admins = readList(admin, { under: ['admins'] });
export const team: Reader<Team> = readWithin('team', readRecord(teamSchema, ['id']));
export const teams = readList(team, { under: ['teams'] });

export const note: Reader<Note> = readRecord(noteSchema, []);
export const subscriptionType: Reader<SubscriptionType> = readRecord(subscriptionSchema, ['id']);

const contactLists = [
  ['notes', ['data', 'notes']],
  ['tags', ['data', 'tags']],
] as const;

const conversationLists = [
  ['contacts', ['contacts', 'data']],
  ['parts', ['data', 'parts']],
  ['tags', ['data', 'tags']],
] as const;

/** Contacts and companies, whatever attributes they have. */
export const anyContact: Reader<Contact> = readRecord(contactSchema, ['id']);
export const anyCompany: Reader<Company> = readRecord(companySchema, ['id']);

/** Reads contacts whose custom attributes follow these rules. */
export const contactReader = <Attributes extends object>(rules: AttributeRules): Reader<Contact<Attributes>> =>
  readWithin('contact', (json, context) => {
    const flat = withLists(json, contactLists);
    // The rules are applied to every attribute; nothing else of the type is open.
    return withDeclared(withRead(anyContact(flat, context), rules), rules, context) as object as Contact<Attributes>;
  });

/** Reads companies whose custom attributes follow these rules. */
export const companyReader = <Attributes extends object>(rules: AttributeRules): Reader<Company<Attributes>> =>
  readWithin(
    'company',
    (json, context) =>
      // The rules are applied to every attribute; nothing else of the type is open.
      withDeclared(withRead(anyCompany(json, context), rules), rules, context) as object as Company<Attributes>,
  );

/**
 * Reads conversations. The parts may be in an envelope, as `conversation_parts`; the notes are those of them that are
 * internal. `readBody` gives the words of a body.
 */
export const conversationReader = (readBody: (body: string) => string): Reader<Conversation> =>
  readWithin('conversation', (json, context) => {
    const { parts: own, conversation_parts: list = own } = Object(json) as Readonly<Record<string, unknown>>;
    const flat = withLists(json, conversationLists);
    const parts = partsOf(flat)?.map((part) => withWords(part, readBody));
    const read = readRecord(conversationSchema, ['id']);
    if (typeof flat !== 'object' || flat === null) return read(flat, context);
    const { source, ...rest } = flat as Readonly<Record<string, unknown>>;
    const readable = withoutUndefined({
      parts,
      parts_total: totalAbove(parts, list),
      source: source && withWords(source, readBody),
    });
    return read({ ...withoutUndefined({ notes: parts?.filter(isNote) }), ...rest, ...readable }, context);
  });

/** The count of all parts, by their envelope, where it's above those that came. */
export const totalAbove = (parts: readonly unknown[] | undefined, list: unknown): number | undefined => {
  const total = Number(Object(list).total_count);
  return parts && total > parts.length ? total : undefined;
};

/** A part, or the message that a conversation began with, with the words of its body. */
export const withWords = (part: unknown, readBody: (body: string) => string): unknown => {
  const { body } = (part ?? {}) as { readonly body?: unknown };
  return typeof body === 'string' ? { ...(part as object), body: readBody(body) } : part;
};

const partsOf = (json: unknown): readonly unknown[] | undefined => {
  if (typeof json !== 'object' || json === null) return undefined;
  const { parts, conversation_parts } = json as Readonly<Record<string, unknown>>;
  const given = Array.isArray(parts) ? parts : itemsWithin(conversation_parts, ['conversation_parts', 'data']);
  return given?.map(withDocumentedNames);
};

/** A part under the names of the default API: the real platform says what a part is under `part_type`, and who wrote it under `author`. */
export const withDocumentedNames = (part: unknown): unknown => {
  if (typeof part !== 'object' || part === null) return part;
  const { message_type, part_type, admin_id, author } = part as Readonly<Record<string, unknown>>;
  const by = (author ?? {}) as { readonly type?: unknown; readonly id?: unknown };
  const named = {
    message_type: message_type ?? part_type,
    admin_id: admin_id ?? (by.type === 'admin' ? by.id : undefined),
  };
  return { ...part, ...withoutUndefined(named) };
};

export const isNote = (part: unknown): boolean => {
  const { message_type } = (part ?? {}) as Readonly<Record<string, unknown>>;
  // `note_and_reopen` is one too.
  return typeof message_type === 'string' && message_type.startsWith('note');
};

/** Takes lists within a record out of their envelopes, in what was parsed: a copy of a long record costs as much as its check. */
export const withLists = (
  json: unknown,
  lists: readonly (readonly [name: string, under: readonly string[]])[],
): unknown => {
  if (typeof json !== 'object' || json === null) return json;
  const record = json as Record<string, unknown>;
  for (const [name, under] of lists) {
    const items = itemsWithin(record[name], under);
    if (items) record[name] = items;
  }
  return record;
};

/** The attributes as the application declared them, whatever the platform writes. */
const withRead = <Kind extends Contact | Company>(record: Kind, rules: AttributeRules): Kind => {
  const { custom_attributes } = record;
  return custom_attributes ? { ...record, custom_attributes: rules.fromPlatform(custom_attributes) } : record;
};

/** Leaves out attributes that are not what they were declared to be; that is what makes their type true. */
const withDeclared = (
  record: Contact | Company,
  rules: AttributeRules,
  { drift }: ReaderContext,
): Contact | Company => {
  const drifted = rules.driftOf(record.custom_attributes ?? {});
  if (drifted.length === 0) return record;
  const { custom_attributes: given = {}, ...rest } = record;
  drift(drifted.map((name) => ['custom_attributes', name].filter(Boolean).join('.')));
  if (drifted.includes('')) return { ...rest, id: record.id };
  const kept = Object.entries(given).filter(([name]) => !drifted.includes(name));
  return { ...rest, id: record.id, custom_attributes: Object.fromEntries(kept) };
};
