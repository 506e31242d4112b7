import { Refused } from '../refused.ts';
import { notFound, paging, type ZendeskEndpoint } from './call.ts';
import { type FakeZendeskSchedule, ownAgentId, type ZendeskStore } from './store.ts';

/**
 * Schedules, the agents of a group, and who of them is there.
 * Sources: developer.zendesk.com, Schedules, Users, and Agent Availabilities; read 2026-11-27.
 */
export const availabilityEndpoints: readonly ZendeskEndpoint[] = [
  {
    operation: 'messaging.officeHours.list',
    method: 'GET',
    path: /^business_hours\/schedules$/,
    answer: ({ store }) => {
      assertAdmin(store);
      return { schedules: [...store.schedules.values()].map(shown) };
    },
  },
  {
    operation: 'messaging.officeHours.get',
    method: 'GET',
    path: /^business_hours\/schedules\/(\d+)$/,
    answer: ({ store, id }) => {
      assertAdmin(store);
      return { schedule: shown(scheduleIn(store, id)) };
    },
  },
  {
    operation: 'messaging.officeHours.listExceptions',
    method: 'GET',
    path: /^business_hours\/schedules\/(\d+)\/holidays$/,
    answer: ({ store, id }) => {
      assertAdmin(store);
      return { holidays: scheduleIn(store, id).holidays.map((holiday, index) => ({ id: index + 1, ...holiday })) };
    },
  },
  {
    operation: 'messaging.teams.listMembers',
    method: 'GET',
    path: /^groups\/(\d+)\/users$/,
    query: paging,
    answer: ({ store, id, page }) => {
      if (!store.groups.has(id)) throw notFound();
      const members = store.members.get(id) ?? [];
      return page(
        'users',
        [...store.users.values()].filter((user) => user.active && members.includes(user.id)),
      );
    },
  },
  {
    operation: 'messaging.teams.listMembers',
    method: 'GET',
    path: /^agent_availabilities$/,
    query: ['page[size]', 'page[after]', 'filter[channel_status]', 'filter[agent_status_id]'],
    answer: ({ store, page }) => {
      assertAdmin(store);
      const agents = [...store.users.values()].filter(({ active, role }) => active && role !== 'end-user');
      return page(
        'data',
        agents.map(({ id }) => ({
          type: 'agent_availabilities',
          id: `agent_availabilities|${id}`,
          attributes: { agent_id: id, version: 1, group_ids: groupsOf(store, id), ...statusOf(store, id) },
        })),
      );
    },
  },
];

const shown = ({ holidays: _holidays, ...schedule }: FakeZendeskSchedule): object => schedule;

const scheduleIn = (store: ZendeskStore, id: number): FakeZendeskSchedule => {
  const schedule = store.schedules.get(id);
  if (!schedule) throw notFound();
  return schedule;
};

const groupsOf = (store: ZendeskStore, id: number): readonly number[] =>
  [...store.members].flatMap(([groupId, members]) => (members.includes(id) ? [groupId] : []));

/** An account without omnichannel routing says no status. */
const statusOf = (store: ZendeskStore, id: number): object => {
  const name = store.statuses.get(id);
  return name === undefined ? {} : { agent_status: { name } };
};

/** Throws `Refused` for an agent who is no administrator. */
const assertAdmin = (store: ZendeskStore): void => {
  if (store.users.get(ownAgentId)?.role === 'admin') return;
  const message =
    'You do not have access to this page. Please contact the account owner of this help desk for further help.';
  throw new Refused(403, 'Forbidden', message, {
    more: { error: { title: 'Forbidden', message }, description: undefined },
  });
};
