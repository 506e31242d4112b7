import { toOperation } from '../api/entry.ts';
import { createByAdmin } from './by-admin.ts';
import type { MessagingClient } from './client.ts';
import { listForContact } from './list-for-contact.ts';
import { searchPages } from './search-pages.ts';
import { checkQuery } from './search-query.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** The operations on conversations. Every action on one is done by an admin. */
export const createConversations = (
  workspace: Workspace,
  defaultAdminId: string | undefined,
): MessagingClient['conversations'] => {
  const { http, endpoints, methods } = workspace;
  const { get, create, update, search, close, convertToTicket, tags, ...actions } = methods.conversations;

  const byAdmin = createByAdmin('conversations', defaultAdminId);

  return {
    get,
    create: async (started, call) =>
      followMerge(workspace, started?.contactId, call, (contactId, call) => create({ ...started, contactId }, call)),
    update,
    search: async (query, call) => search({ query: checkQuery('messaging.conversations.search', query) }, call),
    searchAll: searchPages(workspace, 'messaging.conversations.searchAll', endpoints.conversations.search),
    listForContact: listForContact(workspace, 'messaging.conversations.listForContact', endpoints.conversations.search),
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
