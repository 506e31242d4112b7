import { entry, toOperation } from '../api/entry.ts';
import { readList, readWithin } from '../core/envelope.ts';
import { UnexpectedResponseError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import { type Reader, readOptional, readRecord, type RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { Admin, adminEndpoints } from './admins.ts';
import { optionalText } from './fields.ts';
import type { Workspace } from './workspace.ts';

/** A group of admins that a conversation can be assigned to. */
export interface Team {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** Its members. */
  readonly admin_ids?: readonly string[] | null | undefined;
  readonly [field: string]: unknown;
}

/** Reads teams. Paths of the real platform; the default API names the capability only. */
export interface Teams {
  /** With `admin_ids`. `undefined` when there's none with this id. */
  get(id: string, call?: RequestOptions): Promise<Team | undefined>;
  list(call?: RequestOptions): Promise<RecordList<Team>>;
  /**
   * The admins of a team, with `away_mode_enabled` of each: reads the team and the admins at once.
   * Throws `ClientError` with status 404 when there's no such team, and `UnexpectedResponseError` when the API doesn't
   * say who is in it.
   */
  listMembers(id: string, call?: RequestOptions): Promise<RecordList<Admin>>;
}

/** Reads who is in a team, where a team's record doesn't say it. */
export interface MembersOfTeams {
  readonly listMembers: (id: string, call?: RequestOptions) => Promise<RecordList<Admin>>;
}

const teamSchema = z.lazily<Team>(() =>
  z.object({ id: z.readId(), name: optionalText(), admin_ids: z.nullish(z.array(z.readId())) }),
);
const team: Reader<Team> = readWithin('team', readRecord(teamSchema, ['id']));

/** The operations on teams, as Intercom has them. */
export const teamEndpoints = {
  get: entry({ method: 'GET', path: 'teams/{id}', absentOn404: true, returns: readOptional(team) }),
  list: entry({ method: 'GET', path: 'teams', returns: readList(team, { under: ['teams'] }) }),
};

type TeamsWorkspace = Workspace<{ readonly teams: typeof teamEndpoints; readonly admins: typeof adminEndpoints }> & {
  readonly methods: { readonly teams: Partial<MembersOfTeams> };
};

/** Makes the methods of teams. */
export const createTeams = ({ http, endpoints, methods, shareDeadline }: TeamsWorkspace): Teams => ({
  ...methods.teams,
  listMembers: async (id, call) => {
    if (methods.teams.listMembers) return methods.teams.listMembers(id, call);
    const operation = 'messaging.teams.listMembers';
    const shared = shareDeadline(call);
    const [{ admin_ids }, admins] = await Promise.all([
      http.request(toOperation(operation, { ...endpoints.teams.get, absentOn404: false, returns: team }, [id]), shared),
      methods.admins.list(shared),
    ]);
    if (!admin_ids)
      throw new UnexpectedResponseError(`${operation}: the answer doesn't say who is in the team`, {
        operation,
        status: 200,
      });
    const data = admins.data.filter((admin) => admin_ids.includes(admin.id));
    return { data, total: data.length };
  },
});
