import { toOperation } from '../api/entry.ts';
import { UnexpectedResponseError } from '../core/errors.ts';
import type { MessagingClient } from './client.ts';
import { team } from './readers.ts';
import type { Workspace } from './workspace.ts';

/** The operations on teams. */
export const createTeams = ({ http, endpoints, methods, shareDeadline }: Workspace): MessagingClient['teams'] => ({
  ...methods.teams,
  listMembers: async (id, call) => {
    if (methods.teams.listMembers) return methods.teams.listMembers(id, call);
    const entry = { ...endpoints.teams.get, absentOn404: false, returns: team };
    const shared = shareDeadline(call);
    const [{ admin_ids }, admins] = await Promise.all([
      http.request(toOperation('messaging.teams.listMembers', entry, [id]), shared),
      methods.admins.list(shared),
    ]);
    if (!admin_ids)
      throw new UnexpectedResponseError("messaging.teams.listMembers: the answer doesn't say who is in the team", {
        operation: 'messaging.teams.listMembers',
        status: 200,
      });
    const data = admins.data.filter((admin) => admin_ids.includes(admin.id));
    return { data, total: data.length };
  },
});
