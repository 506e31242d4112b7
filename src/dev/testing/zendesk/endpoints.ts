import { Refused } from '../refused.ts';
import { availabilityEndpoints } from './availability-endpoints.ts';
import { invalid, notFound, objectIn, paging, tagsOf, userIn, withTags, type ZendeskEndpoint } from './call.ts';
import { addAddress, addressesOf, assertAddress, identityEndpoints } from './identities.ts';
import { findsUser, readQuery } from './search.ts';
import {
  type FakeZendeskNamed,
  type FakeZendeskUser,
  newUser,
  nowText,
  ownAgentId,
  type ZendeskStore,
} from './store.ts';
import { ticketEndpoints } from './ticket-endpoints.ts';
import { assertIds, assertOwnFields, assertWritable } from './writable.ts';

const activeUsers = (store: ZendeskStore) => [...store.users.values()].filter(({ active }) => active);

/** Throws `Refused` for a field that can't be written, and for an address or an external id of another user. */
const assertUser = (store: ZendeskStore, given: Readonly<Record<string, unknown>>, own?: FakeZendeskUser) => {
  assertWritable('user', given);
  assertIds(given, { organization_id: store.organizations, default_group_id: store.groups });
  assertOwnFields(store, 'users', 'user_fields', given['user_fields']);
  const { role = 'end-user' } = given;
  if (!roles.includes(String(role))) throw invalid('role', `Role: ${JSON.stringify(role)} is invalid`, 'InvalidValue');
  const { email, external_id: externalId } = given;
  const isTaken = activeUsers(store).some((user) => user !== own && isSame(user.external_id, externalId));
  if (isTaken) throw invalid('external_id', 'External: is already being used by another user', 'DuplicateValue');
  if (typeof email === 'string') assertAddress(store, email, own);
  if (email && !(typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email)))
    throw invalid('email', `Email: ${JSON.stringify(email)} is not properly formatted`, 'InvalidFormat');
};

const roles = ['end-user', 'agent', 'admin'];

/** External ids and names don't know capitals. */
const isSame = (own: unknown, wanted: unknown): boolean =>
  typeof own === 'string' && typeof wanted === 'string' && own.toLowerCase() === wanted.toLowerCase();

const assertOrganization = (store: ZendeskStore, given: Readonly<Record<string, unknown>>, own?: FakeZendeskNamed) => {
  assertWritable('organization', given);
  assertIds(given, { group_id: store.groups });
  assertOwnFields(store, 'organizations', 'organization_fields', given['organization_fields']);
  for (const field of ['name', 'external_id'] as const) {
    const isTaken = [...store.organizations.values()].some((one) => one !== own && isSame(one[field], given[field]));
    if (isTaken) throw invalid(field, `${field}: ${String(given[field])} has already been taken`, 'DuplicateValue');
  }
};

const addOrganization = (store: ZendeskStore, given: Readonly<Record<string, unknown>>): FakeZendeskNamed => {
  const { name } = given;
  if (typeof name !== 'string' || name === '') throw invalid('name', 'Name: cannot be blank', 'BlankValue');
  assertOrganization(store, given);
  const organization = { ...given, id: store.nextId(), name };
  store.organizations.set(organization.id, organization);
  return organization;
};

const changeOrganization = (
  store: ZendeskStore,
  own: FakeZendeskNamed,
  given: Readonly<Record<string, unknown>>,
): FakeZendeskNamed => {
  assertOrganization(store, given, own);
  const organization_fields = { ...Object(own['organization_fields']), ...Object(given['organization_fields']) };
  return Object.assign(own, given, { id: own.id, organization_fields });
};

const addUser = (store: ZendeskStore, all: Readonly<Record<string, unknown>>): FakeZendeskUser => {
  const { skip_verify_email: _, ...given } = all;
  if (typeof given['name'] !== 'string' || given['name'] === '')
    throw invalid('name', 'Name: is too short (minimum one character)', 'ValueTooShort');
  assertUser(store, given);
  const user = newUser(store.nextId(), given);
  store.users.set(user.id, user);
  return user;
};

const changeUser = (
  store: ZendeskStore,
  user: FakeZendeskUser,
  all: Readonly<Record<string, unknown>>,
): FakeZendeskUser => {
  const { skip_verify_email: _, ...given } = all;
  assertUser(store, given, user);
  const user_fields = { ...user.user_fields, ...Object(given['user_fields']) };
  const { email, ...others } = given;
  // It only adds an address.
  if (typeof email === 'string') addAddress(store, user, email);
  return Object.assign(user, others, { id: user.id, user_fields, updated_at: nowText() });
};

const userEndpoints: readonly ZendeskEndpoint[] = [
  {
    operation: 'messaging.contacts.search',
    method: 'GET',
    path: /^users\/search$/,
    query: ['query', 'external_id', 'page', 'per_page'],
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
        known.filter((user) => isIndexed(user.created_at) && finds(user, addressesOf(store, user))),
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
    query: ['role', 'role[]', ...paging],
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
    body: ['user'],
    answer: ({ store, body }) => ({ user: addUser(store, withTags(objectIn(body, 'user'))) }),
  },
  {
    operation: 'messaging.contacts.create',
    method: 'POST',
    path: /^users\/create_or_update$/,
    body: ['user'],
    answer: ({ store, body }) => {
      const given = withTags(objectIn(body, 'user'));
      const own = activeUsers(store).find(
        (user) =>
          isSame(user.external_id, given['external_id']) ||
          addressesOf(store, user).some((address) => isSame(address, given['email'])),
      );
      return { user: own ? changeUser(store, own, given) : addUser(store, given) };
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
    body: ['user'],
    answer: ({ store, id, body }) => ({ user: changeUser(store, userIn(store, id), withTags(objectIn(body, 'user'))) }),
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
    body: ['tags'],
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
    body: ['tags'],
    answer: ({ store, id, body }) => {
      const user = userIn(store, id);
      const removed = tagsOf(body);
      user.tags = user.tags.filter((tag) => !removed.includes(tag));
      return { tags: user.tags };
    },
  },
];

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
    operation: 'messaging.companies.create',
    method: 'POST',
    path: /^organizations$/,
    body: ['organization'],
    answer: ({ store, body }) => ({ organization: addOrganization(store, withTags(objectIn(body, 'organization'))) }),
  },
  {
    operation: 'messaging.companies.create',
    method: 'POST',
    path: /^organizations\/create_or_update$/,
    body: ['organization'],
    answer: ({ store, body }) => {
      const given = withTags(objectIn(body, 'organization'));
      const own = [...store.organizations.values()].find(({ external_id }) =>
        isSame(external_id, given['external_id']),
      );
      return { organization: own ? changeOrganization(store, own, given) : addOrganization(store, given) };
    },
  },
  {
    operation: 'messaging.companies.update',
    method: 'PUT',
    path: /^organizations\/(\d+)$/,
    body: ['organization'],
    answer: ({ store, id, body }) => {
      const own = store.organizations.get(id);
      if (!own) throw notFound();
      return { organization: changeOrganization(store, own, withTags(objectIn(body, 'organization'))) };
    },
  },
  {
    operation: 'messaging.companies.find',
    method: 'GET',
    path: /^organizations\/search$/,
    query: ['name', 'external_id', ...paging],
    answer: ({ store, query, page }) => {
      const [name, externalId] = [query.get('name'), query.get('external_id')];
      if ((name === null) === (externalId === null))
        throw new Refused(400, 'BadRequest', 'Either name or external_id is required');
      const found = (one: FakeZendeskNamed) =>
        name === null ? isSame(one['external_id'], externalId) : isSame(one.name, name);
      return page('organizations', [...store.organizations.values()].filter(found));
    },
  },
  {
    operation: 'messaging.companies.list',
    method: 'GET',
    path: /^organizations$/,
    query: paging,
    answer: ({ store, page }) => page('organizations', [...store.organizations.values()]),
  },
  {
    operation: 'messaging.companies.listForContact',
    method: 'GET',
    path: /^users\/(\d+)\/organizations$/,
    query: paging,
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
  ...identityEndpoints,
  ...ticketEndpoints,
  ...availabilityEndpoints,
  ...otherEndpoints,
];
