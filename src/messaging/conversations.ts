import { entry, toOperation } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import { itemsWithin, readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, readOptional, readRecord, type RecordList } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { RequestOptions } from '../http/operation.ts';
import { byAdmin, type ByAdmin, createByAdmin, message } from './admins.ts';
import type { CustomAttributes } from './attributes.ts';
import type { ContactEndpoints } from './contacts.ts';
import { hasSomeField, optionalAmount, optionalText, readAttributes, withLists, writtenAttributes } from './fields.ts';
import { partsIn, type ReadBody, readBodyOf, type Texts, type Thread, threadFields } from './parts.ts';
import { type ContactLists, createSearch, listForContact, searchEntry, type Searches } from './search.ts';
import { conversationTagEndpoints, type Tag, tagSchema } from './tags.ts';
import { conversionEntry, type Ticket, type TicketOfConversation } from './tickets.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** An exchange of messages with a contact. Fields that aren't listed here are kept as they came. */
export interface Conversation extends Thread {
  /** `open`, `closed`, `snoozed` or another word of the platform. */
  readonly state?: string | null | undefined;
  /** UNIX seconds. */
  readonly snoozed_until?: number | null | undefined;
  /** `none`, `low`, `medium`, `high` or `urgent`; Intercom lets no app set it. */
  readonly priority?: string | null | undefined;
  /** The message that it began with, and who wrote it. */
  readonly source?: ConversationSource | null | undefined;
  readonly custom_attributes?: CustomAttributes | undefined;
  readonly tags?: readonly Tag[] | undefined;
}

/** Changes to a conversation. A field that's left out isn't touched. */
export interface ConversationFields {
  readonly title?: string | undefined;
  /** `true` marks it as read in the inbox. */
  readonly read?: boolean | undefined;
  /** `null` takes it from its company. */
  readonly company_id?: string | null | undefined;
  /** The conversation's own attributes: they exist in the workspace already. */
  readonly custom_attributes?: CustomAttributes | undefined;
  /** Not a field: the method that you call decides who sees a text. */
  readonly message_type?: never;
  readonly [field: string]: unknown;
}

/** The first message of a conversation. */
export interface ConversationSource {
  readonly subject?: string | null | undefined;
  /** Its words, as plain text. */
  readonly body?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** Reads and writes conversations. Every action on one is done by an admin. */
export interface Conversations extends Searches<Conversation>, ContactLists<Conversation> {
  /** With its parts and notes, as far as the platform puts them on the record. `undefined` when there is none. */
  get(id: string, call?: RequestOptions): Promise<Conversation | undefined>;
  /** Starts a conversation in the contact's name. `body` is visible in the inbox. */
  create(
    conversation: { readonly contactId: string; readonly body: string },
    call?: RequestOptions,
  ): Promise<Conversation>;
  /** Needs at least one field; what is left out stays as it is. Path of the real platform. */
  update(id: string, fields: ConversationFields, call?: RequestOptions): Promise<Conversation>;
  /** **Sends a message to the customer.** Only this method does, and `close` with a `body`. */
  reply(id: string, reply: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
  /** Adds an internal note. It never reaches the customer. */
  addNote(id: string, note: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
  /** Hands it to a team. Uses Intercom's request body; the default API doesn't describe one. */
  assignToTeam(id: string, to: { readonly teamId: string } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
  /**
   * Closes it. With a `body`, **the customer gets these words**; without one, nothing. Body of the real platform; the
   * default API names the event only.
   */
  close(
    id: string,
    by?: { readonly body?: string | undefined } & ByAdmin,
    call?: RequestOptions,
  ): Promise<Conversation>;
  /** Hands it to a person: `toAdminId`. Uses Intercom's request body, as do the next three methods. */
  assignToAdmin(id: string, to: { readonly toAdminId: string } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
  /** Takes it from the admin or team it's assigned to. */
  unassign(id: string, by?: ByAdmin, call?: RequestOptions): Promise<Conversation>;
  /** Opens it again after it was closed or snoozed. */
  reopen(id: string, by?: ByAdmin, call?: RequestOptions): Promise<Conversation>;
  /** Puts it aside until then. @param until UNIX seconds */
  snooze(id: string, until: { readonly until: number } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
  /** Makes a ticket of it. Path of the real platform; the default API doesn't have it. */
  convertToTicket(id: string, ticket: TicketOfConversation, call?: RequestOptions): Promise<Ticket>;
  readonly tags: {
    attach(conversationId: string, tag: { readonly tagId: string } & ByAdmin, call?: RequestOptions): Promise<Tag>;
    /** Path of the real platform; the default API names the capability only. */
    detach(conversationId: string, tag: { readonly tagId: string } & ByAdmin, call?: RequestOptions): Promise<void>;
    /** The tags on the conversation's record. */
    list(conversationId: string, call?: RequestOptions): Promise<RecordList<Tag>>;
  };
}

const conversationSchema = z.lazily<Conversation>(() =>
  z.object({
    state: optionalText(),
    snoozed_until: optionalAmount(),
    priority: optionalText(),
    source: z.nullish(z.looseObject({ subject: optionalText(), body: optionalText() })),
    custom_attributes: readAttributes(),
    ...threadFields(),
    tags: z.optional(z.array(tagSchema())),
  }),
);

const lists = [
  ['contacts', ['contacts', 'data']],
  ['tags', ['data', 'tags']],
] as const;

/** Reads conversations. Their parts may be in an envelope, as `parts` or `conversation_parts`. */
export const conversationReader = (readBody: ReadBody): Reader<Conversation> => {
  const read = readRecord(conversationSchema, ['id']);
  return readWithin('conversation', (json, context) => {
    const flat = withLists(json, lists);
    if (typeof flat !== 'object' || flat === null) return read(flat, context);
    const { source, ...record } = flat as Readonly<Record<string, unknown>>;
    const own = itemsWithin(record['parts'], ['data', 'parts']) && record['parts'];
    const { notes, ...parts } = partsIn(
      own ?? record['conversation_parts'],
      ['data', 'parts', 'conversation_parts'],
      readBody,
    );
    const opening = source && readBodyOf(source, readBody);
    return read(
      { ...withoutUndefined({ notes }), ...record, ...parts, ...withoutUndefined({ source: opening }) },
      context,
    );
  });
};

const fieldsSchema = z.lazily<ConversationFields>(() =>
  z
    .looseObject({
      title: z.optional(text()),
      read: z.optional(z.boolean()),
      company_id: z.nullish(id()),
      custom_attributes: writtenAttributes(),
    })
    .check(
      hasSomeField('fields'),
      z.refine((fields) => !('message_type' in fields), {
        path: ['message_type'],
        message: 'must not be given: reply, or add a note, with conversations.reply and conversations.addNote',
      }),
    ),
);

const newConversation = z.lazily(() => z.object({ contactId: id(), body: text() }));
const toTeam = z.lazily(() => z.object({ teamId: id(), adminId: id() }));
const toAdmin = z.lazily(() => z.object({ toAdminId: id(), adminId: id() }));
const snooze = z.lazily(() => z.object({ until: z.int().check(z.minimum(1)), adminId: id() }));
const closing = z.lazily(() => z.object({ body: z.optional(text()), adminId: id() }));

/**
 * The operations on conversations. What the default API doesn't name is written as Intercom does.
 *
 * `message_type` is in an entry and nowhere else: the method you call decides whether the customer sees a text.
 */
export const conversationEndpoints = (texts: Texts) => {
  const { readBody, writeText } = texts;
  const conversation = conversationReader(readBody);
  const action = { method: 'POST', path: 'conversations/{id}/parts', returns: conversation } as const;
  return {
    get: entry({ method: 'GET', path: 'conversations/{id}', absentOn404: true, returns: readOptional(conversation) }),
    create: entry({
      method: 'POST',
      path: 'conversations',
      takes: newConversation,
      body: ({ contactId, body }) => ({ from: { type: 'contact', id: contactId }, body: writeText(body) }),
      returns: conversation,
    }),
    reply: entry({
      method: 'POST',
      path: 'conversations/{id}/reply',
      takes: message,
      body: ({ adminId, body }) => ({
        message_type: 'comment',
        type: 'admin',
        admin_id: adminId,
        body: writeText(body),
      }),
      returns: conversation,
    }),
    addNote: entry({
      ...action,
      takes: message,
      body: ({ adminId, body }) => ({ message_type: 'note', body, admin_id: adminId }),
    }),
    assignToTeam: entry({
      ...action,
      takes: toTeam,
      body: ({ adminId, teamId }) => assignment('team', adminId, teamId),
    }),
    close: entry({
      ...action,
      takes: closing,
      body: ({ adminId, body }) => ({
        message_type: 'close',
        type: 'admin',
        admin_id: adminId,
        body: body === undefined ? undefined : writeText(body),
      }),
    }),
    search: searchEntry('conversations', conversation),
    update: entry({
      method: 'PUT',
      path: 'conversations/{id}',
      takes: fieldsSchema,
      withoutKeys: 'again',
      returns: conversation,
    }),
    reopen: entry({ ...action, takes: byAdmin, body: ({ adminId }) => ({ message_type: 'open', admin_id: adminId }) }),
    snooze: entry({
      ...action,
      takes: snooze,
      body: ({ adminId, until }) => ({ message_type: 'snoozed', admin_id: adminId, snoozed_until: until }),
    }),
    assignToAdmin: entry({
      ...action,
      takes: toAdmin,
      body: ({ adminId, toAdminId }) => assignment('admin', adminId, toAdminId),
    }),
    // `0` is no one: neither an admin nor a team.
    unassign: entry({ ...action, takes: byAdmin, body: ({ adminId }) => assignment('admin', adminId, '0') }),
    convertToTicket: conversionEntry(texts),
    tags: conversationTagEndpoints,
  };
};

const assignment = (type: 'admin' | 'team', adminId: string, assigneeId: string): object => ({
  message_type: 'assignment',
  type,
  admin_id: adminId,
  assignee_id: assigneeId,
});

type ConversationsWorkspace = Workspace<{
  readonly conversations: ReturnType<typeof conversationEndpoints>;
  readonly contacts: Pick<ContactEndpoints, 'get'>;
}>;

/** Makes the methods of conversations. */
export const createConversations = (workspace: ConversationsWorkspace): Conversations => {
  const { http, endpoints, methods } = workspace;
  const { get, create, update, search, close, convertToTicket, tags, ...actions } = methods.conversations;
  const entry = endpoints.conversations.search;
  const byAdmin = createByAdmin('conversations', workspace.adminId);

  return {
    get,
    create: async (started, call) =>
      followMerge(workspace, started?.contactId, call, (contactId, call) => create({ ...started, contactId }, call)),
    update,
    ...createSearch(workspace, 'conversations', entry, search),
    listForContact: listForContact(workspace, 'messaging.conversations.listForContact', entry, methods.contacts.get),
    reply: byAdmin('reply', actions.reply),
    addNote: byAdmin('addNote', actions.addNote),
    assignToTeam: byAdmin('assignToTeam', actions.assignToTeam),
    assignToAdmin: byAdmin('assignToAdmin', actions.assignToAdmin),
    unassign: (id, by = {}, call) => byAdmin('unassign', actions.unassign)(id, by, call),
    reopen: (id, by = {}, call) => byAdmin('reopen', actions.reopen)(id, by, call),
    snooze: byAdmin('snooze', actions.snooze),
    close: (id, by = {}, call) => byAdmin('close', close)(id, by, call),
    convertToTicket,
    tags: {
      attach: byAdmin('tags.attach', tags.attach),
      detach: byAdmin('tags.detach', (id, { tagId, adminId }: { tagId: string; adminId: string }, call) =>
        tags.detach(id, tagId, { adminId }, call),
      ),
      list: async (id, call) => {
        const operation = 'messaging.conversations.tags.list';
        const entry = { ...endpoints.conversations.get, absentOn404: false };
        const found = await http.request(toOperation(operation, entry, [id]), call);
        const data = found?.tags ?? [];
        return { data, total: data.length };
      },
    },
  };
};
