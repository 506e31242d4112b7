import { invalid, isSame, objectIn, paging, tagsOf, userIn, withTags, type ZendeskEndpoint } from './call.ts';
import { addAddress, addressesOf, assertAddress } from './identities.ts';
import { findsUser, readQuery } from './search.ts';
import { type FakeZendeskUser, newUser, nowText, ownAgentId, type ZendeskStore } from './store.ts';
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

/** The endpoints of users, who are contacts and admins to the client. */
export const userEndpoints: readonly ZendeskEndpoint[] = [
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
