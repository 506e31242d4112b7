import { toOperation } from '../api/entry.ts';
import { createByAdmin } from './by-admin.ts';
import type { MessagingClient } from './client.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** The operations on conversations. Every action on one is done by an admin. */
export const createConversations = (
  workspace: Workspace,
  defaultAdminId: string | undefined,
): MessagingClient['conversations'] => {
  const { http, endpoints, methods } = workspace;
  const { get, create, reply, addNote, assignToTeam, close, convertToTicket, tags } = methods.conversations;

  const byAdmin = createByAdmin('conversations', defaultAdminId);

  return {
    get,
    create: async (started, call) =>
      followMerge(workspace, started?.contactId, call, (contactId, call) => create({ ...started, contactId }, call)),
    reply: byAdmin('reply', reply),
    addNote: byAdmin('addNote', addNote),
    assignToTeam: byAdmin('assignToTeam', assignToTeam),
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
