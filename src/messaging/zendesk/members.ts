import { entry } from '../../api/entry.ts';
import { ClientError } from '../../core/errors.ts';
import type { HttpClient, RequestOptions } from '../../http/operation.ts';
import type { RecordList } from '../../core/schema.ts';
import { readList } from '../../core/envelope.ts';
import { type Admin, admins } from '../admins.ts';
import { readWholeList } from './pages.ts';
import { adminsAnswer, type Fields } from './records.ts';

/**
 * The agents of a group, with their status. Only administrators may read that: for others, and in an account without it,
 * `away_mode_enabled` is `undefined`.
 * Sources: developer.zendesk.com, Users, and Agent Availabilities; read 2026-11-27.
 */
export const listMembers = async (
  http: HttpClient,
  groupId: string,
  call: RequestOptions,
): Promise<RecordList<Admin>> => {
  const operation = 'messaging.teams.listMembers';
  const [members, away] = await Promise.all([
    readWholeList(http, operation, users, { ids: [groupId], call }),
    readWholeList(http, operation, availabilities, { call }).catch(nothingIfRefused),
  ]);
  const isAway = new Map(away?.data.map(({ agentId, status }) => [agentId, awayBy.get(status)]));
  return { ...members, data: members.data.map((admin) => ({ ...admin, away_mode_enabled: isAway.get(admin.id) })) };
};

const users = entry({
  method: 'GET',
  path: 'groups/{id}/users.json',
  answer: adminsAnswer,
  returns: admins,
});

interface Availability {
  readonly agentId: string;
  readonly status: string;
}

const availabilities = entry({
  method: 'GET',
  path: 'agent_availabilities',
  returns: readList((json): Availability => {
    const { agent_id, agent_status } = Object(Object(json).attributes) as Fields;
    const name: unknown = Object(agent_status).name;
    return { agentId: String(agent_id), status: String(name).toLowerCase().replaceAll(/\W/g, '_') };
  }),
});

/** An account's own statuses say nothing here, and neither does an agent without one. */
const awayBy: ReadonlyMap<string, boolean> = new Map([
  ['online', false],
  ['transfers_only', false],
  ['offline', true],
  ['away', true],
]);

const nothingIfRefused = (error: unknown): undefined => {
  if (error instanceof ClientError && (error.status === 403 || error.status === 404)) return undefined;
  throw error;
};
