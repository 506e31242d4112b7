import { type EntryOverrides, entry } from '../../api/entry.ts';
import { readList } from '../../core/envelope.ts';
import type { RecordList } from '../../core/schema.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { type Admin, admins } from '../admins.ts';
import type { MessagingContext, MessagingEndpoints, MessagingMethods } from '../dialect.ts';
import { unlessRefused } from '../workspace.ts';
import { type Fields, one, readWholeList, several } from './answers.ts';

const toAdmin = ({ id, name, email, role, default_group_id }: Fields): object => ({
  id,
  name,
  email,
  role,
  team_ids: default_group_id ? [default_group_id] : undefined,
});

const adminAnswer = one('user', toAdmin);
const adminsAnswer = several('users', toAdmin);

/** Admins are agents and administrators. */
export const zendeskAdmins: EntryOverrides<MessagingEndpoints['admins']> = {
  get: { path: 'users/{id}.json', answer: adminAnswer },
  list: { path: 'users.json?role[]=agent&role[]=admin', answer: adminsAnswer },
  me: { path: 'users/me.json', answer: adminAnswer },
};

/** Teams are groups. */
export const zendeskTeams: EntryOverrides<MessagingEndpoints['teams']> = {
  get: { path: 'groups/{id}.json', answer: one('group', (group) => group) },
  list: { path: 'groups.json', answer: several('groups', (group) => group) },
};

/** The operations that take several requests: Zendesk returns at most 100 records at a time. */
export const teamMethods = (context: MessagingContext): MessagingMethods => ({
  admins: { list: (call) => readWholeList(context, 'messaging.admins.list', context.endpoints.admins.list, { call }) },
  teams: {
    list: (call) => readWholeList(context, 'messaging.teams.list', context.endpoints.teams.list, { call }),
    listMembers: (groupId, call) => listMembers(context, groupId, call),
  },
});

/**
 * The agents of a group, with their status. Only administrators may read that: for others, and in an account without it,
 * `away_mode_enabled` is `undefined`.
 * Sources: developer.zendesk.com, Users, and Agent Availabilities; read 2026-11-27.
 */
const listMembers = async (
  context: MessagingContext,
  groupId: string,
  call: RequestOptions | undefined,
): Promise<RecordList<Admin>> => {
  const operation = 'messaging.teams.listMembers';
  const shared = context.shareDeadline(call);
  const [members, away] = await Promise.all([
    readWholeList(context, operation, users, { ids: [groupId], call: shared }),
    unlessRefused(readWholeList(context, operation, availabilities, { call: shared }), [403, 404]),
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
