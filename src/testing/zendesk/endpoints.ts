import { Refused } from '../refused.ts';
import { invalid, notFound, objectIn, tagsOf, userIn, type ZendeskEndpoint } from './call.ts';
import { findsUser, readQuery } from './search.ts';
import { type FakeZendeskUser, newUser, nowText, ownAgentId, type ZendeskStore } from './store.ts';
import { ticketEndpoints } from './ticket-endpoints.ts';

const activeUsers = (store: ZendeskStore) => [...store.users.values()].filter(({ active }) => active);

/** A user's fields as they're given. Throws `Refused` for an address or an external id of another one. */
const assertUser = (store: ZendeskStore, given: Readonly<Record<string, unknown>>, own?: FakeZendeskUser) => {
  for (const field of ['email', 'external_id'] as const) {
    const value = given[field];
    if (typeof value !== 'string') continue;
    const other = activeUsers(store).find((user) => user !== own && user[field]?.toLowerCase() === value.toLowerCase());
    if (other) throw invalid(field, `${field}: ${value} is already being used by another user`, 'DuplicateValue');
  }
  const { email } = given;
  if (email && !(typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email)))
    throw invalid('email', `Email: ${JSON.stringify(email)} is not properly formatted`, 'InvalidFormat');
};

const userEndpoints: readonly ZendeskEndpoint[] = [
  {
    operation: 'messaging.contacts.search',
    method: 'GET',
    path: /^users\/search$/,
    answer: ({ store, query, isIndexed, page }) => {
      const externalId = query.get('external_id');
      const known = activeUsers(store);
      if (externalId !== null)
        return page(
          'users',
          known.filter(({ external_id }) => external_id === externalId),
        );
      const finds = findsUser(readQuery(query.get('query') ?? ''));
      return page(
        'users',
        known.filter((user) => isIndexed(user.created_at) && finds(user)),
      );
    },
  },
  {
    operation: 'messaging.admins.me',
    method: 'GET',
    path: /^users\/me$/,
    answer: ({ store }) => ({ user: store.users.get(ownAgentId) }),
  },
  {
    operation: 'messaging.admins.list',
    method: 'GET',
    path: /^users$/,
    answer: ({ store, query, page }) => {
      const roles = [...query.getAll('role[]'), ...query.getAll('role')];
      return page(
        'users',
        activeUsers(store).filter(({ role }) => roles.length === 0 || roles.includes(role)),
      );
    },
  },
  {
    operation: 'messaging.contacts.create',
    method: 'POST',
    path: /^users$/,
    answer: ({ store, body }) => {
      const { skip_verify_email: _, ...given } = objectIn(body, 'user');
      if (typeof given['name'] !== 'string' || given['name'] === '')
        throw invalid('name', 'Name: is too short (minimum one character)', 'ValueTooShort');
      assertUser(store, given);
      const user = newUser(store.nextId(), given);
      store.users.set(user.id, user);
      return { user };
    },
  },
  {
    operation: 'messaging.contacts.get',
    method: 'GET',
    path: /^users\/(\d+)$/,
    answer: ({ store, id }) => ({ user: userIn(store, id) }),
  },
  {
    operation: 'messaging.contacts.update',
    method: 'PUT',
    path: /^users\/(\d+)$/,
    answer: ({ store, id, body }) => {
      const user = userIn(store, id);
      const given = objectIn(body, 'user');
      assertUser(store, given, user);
      const user_fields = { ...user.user_fields, ...Object(given['user_fields']) };
      Object.assign(user, given, { id, user_fields, updated_at: nowText() });
      return { user };
    },
  },
  {
    operation: 'messaging.contacts.delete',
    method: 'DELETE',
    path: /^users\/(\d+)$/,
    answer: ({ store, id }) => {
      const user = userIn(store, id);
      user.active = false;
      return { user };
    },
  },
  {
    operation: 'messaging.contacts.tags.list',
    method: 'GET',
    path: /^users\/(\d+)\/tags$/,
    answer: ({ store, id }) => ({ tags: userIn(store, id).tags }),
  },
  {
    operation: 'messaging.contacts.tags.attach',
    method: 'PUT',
    path: /^users\/(\d+)\/tags$/,
    answer: ({ store, id, body }) => {
      const user = userIn(store, id);
      user.tags = [...new Set([...user.tags, ...tagsOf(body)])];
      return { tags: user.tags };
    },
  },
  {
    operation: 'messaging.contacts.tags.detach',
    method: 'DELETE',
    path: /^users\/(\d+)\/tags$/,
    answer: ({ store, id, body }) => {
      const user = userIn(store, id);
      user.tags = user.tags.filter((tag) => !tagsOf(body).includes(tag));
      return { tags: user.tags };
    },
  },
];

const otherEndpoints: readonly ZendeskEndpoint[] = [
  {
    operation: 'messaging.teams.list',
    method: 'GET',
    path: /^groups$/,
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
    operation: 'messaging.companies.get',
    method: 'GET',
    path: /^organizations\/(\d+)$/,
    answer: ({ store, id }) => {
      const organization = store.organizations.get(id);
      if (!organization) throw notFound();
      return { organization };
    },
  },
  {
    operation: 'messaging.companies.listForContact',
    method: 'GET',
    path: /^users\/(\d+)\/organizations$/,
    answer: ({ store, id, page }) => {
      const { organization_id } = userIn(store, id);
      return page(
        'organizations',
        [...store.organizations.values()].filter((one) => one.id === organization_id),
      );
    },
  },
  {
    operation: 'messaging.tags.list',
    method: 'GET',
    path: /^tags$/,
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
export const zendeskEndpoints: readonly ZendeskEndpoint[] = [...userEndpoints, ...ticketEndpoints, ...otherEndpoints];
