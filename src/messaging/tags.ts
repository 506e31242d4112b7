import { entry } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import { readList, readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { checkArgument, type Reader, readNothing, readRecord, type RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { byAdmin, type ByAdmin } from './admins.ts';
import { optionalText } from './fields.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** A word by which contacts and conversations are sorted. It's attached by its id. */
export interface Tag {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** Reads and creates tags. Paths of the real platform; the default API names the capability only. */
export interface Tags {
  list(call?: RequestOptions): Promise<RecordList<Tag>>;
  /** The tag with this name, whatever its case; `undefined` when there's none. */
  findByName(name: string, call?: RequestOptions): Promise<Tag | undefined>;
  create(tag: { readonly name: string }, call?: RequestOptions): Promise<Tag>;
}

/** Reads and changes a contact's tags. Paths of the real platform; the default API names the capability only. */
export interface ContactTags {
  attach(contactId: string, tag: { readonly tagId: string } & ByAdmin, call?: RequestOptions): Promise<Tag>;
  detach(contactId: string, tag: { readonly tagId: string }, call?: RequestOptions): Promise<void>;
  list(contactId: string, call?: RequestOptions): Promise<RecordList<Tag>>;
}

export const tagSchema = z.lazily<Tag>(() => z.looseObject({ id: z.readId(), name: optionalText() }));
export const tag: Reader<Tag> = readWithin('tag', readRecord(tagSchema, ['id']));
const tags = readList(tag, { under: ['tags'] });

export const newTag = z.lazily(() => z.object({ name: text() }));
export const tagByAdmin = z.lazily(() => z.object({ tagId: id(), adminId: id() }));
/** Without an admin where neither the call nor the client names one. */
const contactTag = z.lazily(() => z.object({ tagId: id(), adminId: z.optional(id()) }));

/** The operations on tags, as Intercom has them. */
export const tagEndpoints = {
  list: entry({ method: 'GET', path: 'tags', returns: tags }),
  create: entry({ method: 'POST', path: 'tags', takes: newTag, returns: tag }),
};

/** Makes the methods of tags. */
export const createTags = ({ methods }: Workspace<{ readonly tags: typeof tagEndpoints }>): Tags => ({
  ...methods.tags,
  findByName: async (name, call) => {
    const wanted = checkArgument('messaging.tags.findByName', newTag, { name }).name.trim().toLowerCase();
    const { data } = await methods.tags.list(call);
    return data.find((tag) => tag.name?.trim().toLowerCase() === wanted);
  },
});

const attach = { method: 'POST', withoutKeys: 'again', returns: tag } as const;

/** The operations on a contact's tags, as Intercom has them. */
export const contactTagEndpoints = {
  attach: entry({
    ...attach,
    path: 'contacts/{contactId}/tags',
    takes: contactTag,
    body: ({ tagId, adminId }) => ({ id: tagId, admin_id: adminId }),
  }),
  detach: entry({ method: 'DELETE', path: 'contacts/{contactId}/tags/{tagId}', returns: readNothing }),
  list: entry({ method: 'GET', path: 'contacts/{contactId}/tags', returns: tags }),
};

/** Makes the methods of a contact's tags. */
export const createContactTags = (
  workspace: Workspace<{ readonly contacts: { readonly tags: typeof contactTagEndpoints } }>,
): ContactTags => {
  const { tags } = workspace.methods.contacts;
  return {
    attach: (contactId, tag, call) => {
      const by = { ...tag, adminId: tag?.adminId ?? workspace.adminId };
      return followMerge(workspace, contactId, call, (id, call) => tags.attach(id, by, call));
    },
    detach: (contactId, tag, call) =>
      followMerge(workspace, contactId, call, (id, call) => tags.detach(id, tag?.tagId, call)),
    list: (contactId, call) => followMerge(workspace, contactId, call, tags.list),
  };
};

/** The operations on a conversation's tags, as Intercom has them. */
export const conversationTagEndpoints = {
  attach: entry({
    ...attach,
    path: 'conversations/{id}/tags',
    takes: tagByAdmin,
    body: ({ adminId, tagId }) => ({ id: tagId, admin_id: adminId }),
  }),
  detach: entry({
    method: 'DELETE',
    path: 'conversations/{id}/tags/{tagId}',
    takes: byAdmin,
    body: ({ adminId }) => ({ admin_id: adminId }),
    returns: readNothing,
  }),
};
