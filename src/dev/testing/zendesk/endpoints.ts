import { Refused } from '../refused.ts';
import { notFound, paging, type ZendeskEndpoint } from './call.ts';
import { identityEndpoints } from './identities.ts';
import { ticketEndpoints } from './ticket-endpoints.ts';
import { userEndpoints } from './user-endpoints.ts';
import { organizationEndpoints } from './organization-endpoints.ts';
import { type FakeZendeskSchedule, ownAgentId, type ZendeskStore } from './store.ts';

/**
 * Schedules, the agents of a group, and who of them is there.
 * Sources: developer.zendesk.com, Schedules, Users, and Agent Availabilities; read 2026-11-27.
 */
const availabilityEndpoints: readonly ZendeskEndpoint[] = [
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

const otherEndpoints: readonly ZendeskEndpoint[] = [
  {
    operation: 'messaging.teams.list',
    method: 'GET',
    path: /^groups$/,
    query: paging,
    answer: ({ store, page }) => page('groups', [...store.groups.values()]),
  },
  {
    operation: 'messaging.teams.get',
    method: 'GET',
    path: /^groups\/(\d+)$/,
    answer: ({ store, id }) => {
      const group = store.groups.get(id);
      if (!group) throw notFound();
      return { group };
    },
  },
  {
    operation: 'messaging.tags.list',
    method: 'GET',
    path: /^tags$/,
    query: paging,
    answer: ({ store, page }) => {
      const tags = [...store.tickets.values()].flatMap((ticket) => ticket.tags);
      return page(
        'tags',
        [...new Set(tags)].map((name) => ({ name, count: tags.filter((tag) => tag === name).length })),
      );
    },
  },
  {
    operation: 'messaging.articles.search',
    method: 'GET',
    path: /^help_center\/articles\/search$/,
    query: ['query', 'brand_id', 'locale', 'page', 'per_page'],
    answer: ({ store, query, page }) => {
      const words = (query.get('query') ?? '').toLowerCase();
      if (words === '') throw new Refused(400, 'InvalidQuery', 'query is required');
      return page(
        'results',
        [...store.articles.values()].filter(
          ({ title, body, draft }) => !draft && `${title} ${body}`.toLowerCase().includes(words),
        ),
      );
    },
  },
  {
    operation: 'messaging.articles.get',
    method: 'GET',
    path: /^help_center\/articles\/(\d+)$/,
    answer: ({ store, id }) => {
      const article = store.articles.get(id);
      if (!article) throw notFound();
      return { article };
    },
  },
];

/** The endpoints that the fake account has. Source: developer.zendesk.com, Ticketing API and Help Center API. */
export const zendeskEndpoints: readonly ZendeskEndpoint[] = [
  ...userEndpoints,
  ...organizationEndpoints,
  ...identityEndpoints,
  ...ticketEndpoints,
  ...availabilityEndpoints,
  ...otherEndpoints,
];
