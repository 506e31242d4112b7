import { toOperation } from '../api/entry.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { ByAdmin, MessagingClient } from './client.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** The operations on conversations. Every action on one is done by an admin. */
export const createConversations = (
  workspace: Workspace,
  defaultAdminId: string | undefined,
): MessagingClient['conversations'] => {
  const { http, endpoints, methods } = workspace;
  const { get, create, reply, addNote, assignToTeam, close, tags } = methods.conversations;

  /** An action with the admin who does it. */
  const byAdmin =
    <Given extends { readonly adminId: string }, Result>(
      name: string,
      act: (id: string, given: Given, call?: RequestOptions) => Promise<Result>,
    ) =>
    async (id: string, given: Omit<Given, 'adminId'> & ByAdmin, call?: RequestOptions): Promise<Result> => {
      const adminId = given?.adminId === undefined ? defaultAdminId : given.adminId;
      if (adminId === undefined)
        throw new InvalidArgumentError('adminId', 'must be given, here or in the options of the client', {
          operation: `messaging.conversations.${name}`,
        });
      // The rest of what is given, and who does it.
      return act(id, { ...given, adminId } as unknown as Given, call);
    };

  return {
    get,
    create: async (started, call) =>
      followMerge(workspace, started?.contactId, call, (contactId, call) => create({ ...started, contactId }, call)),
    reply: byAdmin('reply', reply),
    addNote: byAdmin('addNote', addNote),
    assignToTeam: byAdmin('assignToTeam', assignToTeam),
    close: (id, by = {}, call) => byAdmin('close', close)(id, by, call),
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
