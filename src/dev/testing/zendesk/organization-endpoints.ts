import { Refused } from '../refused.ts';
import { invalid, isSame, notFound, objectIn, paging, userIn, withTags, type ZendeskEndpoint } from './call.ts';
import type { FakeZendeskNamed, ZendeskStore } from './store.ts';
import { assertIds, assertOwnFields, assertWritable } from './writable.ts';

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

/** The endpoints of organizations, which are companies to the client. */
export const organizationEndpoints: readonly ZendeskEndpoint[] = [
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
];
