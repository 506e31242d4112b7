import type { Contract, Endpoint, EndpointAnswer, EndpointCall } from '../endpoint.ts';
import type { OperationName } from '../operations.ts';
import { Refused } from '../refused.ts';
import { newestVersion } from '../../../crm/hubspot/versions.ts';
import type { CrmStore } from '../store/crm.ts';
import { associationTypes, properties } from './objects.ts';
import { searchRecords, valueOf } from './search.ts';
import type { HubSpotRecord, HubSpotStore } from './store.ts';
import { batch } from './batch.ts';
import { pipelinesAnswer } from './pipelines.ts';
import { asAssociations, create, update, written } from './writes.ts';

export interface HubSpotContractOptions {
  readonly store: HubSpotStore;
  readonly isIndexed: (record: HubSpotRecord) => boolean;
  /** Scopes that the app wasn't granted, such as `crm.objects.contacts.write`. */
  readonly missingScopes: readonly string[];
}

type Action = 'get' | 'create' | 'update' | 'delete' | 'search';

/** The endpoints of HubSpot that the package uses, and how it refuses. */
export const hubspotContract = ({ store, isIndexed, missingScopes }: HubSpotContractOptions): Contract<CrmStore> => {
  const typeOf = ({ params }: Pick<EndpointCall<CrmStore>, 'params'>, action: 'read' | 'write'): string => {
    const { type = '' } = params;
    if (!Object.hasOwn(properties, type))
      throw new Refused(400, 'VALIDATION_ERROR', `Unable to infer object type from: ${type}`);
    assertScope(type === 'tickets' ? 'tickets' : `crm.objects.${type}.${action}`);
    return type;
  };
  const assertScope = (scope: string): void => {
    if (missingScopes.includes(scope))
      throw new Refused(403, 'MISSING_SCOPES', 'This app hasn’t been granted all required scopes to make this call.', {
        more: {
          errors: [
            {
              message: 'One or more of the following scopes are required.',
              context: { requiredGranularScopes: [scope] },
            },
          ],
        },
      });
  };
  const shown = (record: HubSpotRecord, names: readonly string[]) => view(record, names);
  const records = `/crm/objects/${newestVersion}/{type}`;
  const owners = `/crm/owners/${newestVersion}`;

  return {
    endpoints: [
      {
        ...row('create', 'write'),
        method: 'POST',
        path: records,
        body: { required: { properties: 'object' }, optional: { associations: 'list' } },
        answer: (call) => {
          const type = typeOf(call, 'write');
          const record = create(store, type, call.body['properties'], asAssociations(call.body['associations']));
          return { status: 201, body: view(record, Object.keys(record.properties)) };
        },
      },
      {
        ...row('search', 'read'),
        method: 'POST',
        path: `${records}/search`,
        body: {
          optional: {
            filterGroups: 'list',
            sorts: 'list',
            properties: 'list',
            limit: 'integer',
            after: 'scalar',
            query: 'text',
          },
        },
        answer: (call) => searchRecords(store, typeOf(call, 'read'), call.body, isIndexed, shown),
      },
      {
        operation: 'crm.batch',
        method: 'POST',
        path: `${records}/batch/{action}`,
        effect: 'write',
        operationOf: ({ params }) =>
          params['action'] === 'upsert' ? operationOf(params['type'] ?? '', 'update') : undefined,
        body: {
          required: { inputs: 'list' },
          optional: { properties: 'list', propertiesWithHistory: 'list', idProperty: 'text' },
        },
        answer: (call) => batch(store, typeOf(call, call.params['action'] === 'read' ? 'read' : 'write'), call, view),
      },
      {
        ...row('get', 'read'),
        method: 'GET',
        path: `${records}/{id}`,
        query: { optional: { properties: 'text', associations: 'text', archived: 'text', idProperty: 'text' } },
        answer: (call) => {
          const { id = '' } = call.params;
          const record = store.get(typeOf(call, 'read'), id, call.query['idProperty']);
          const names = call.query['properties']?.split(',') ?? [];
          const wanted = call.query['associations']?.split(',') ?? [];
          return { status: 200, body: { ...view(record, names), ...linksOf(record, wanted) } };
        },
      },
      {
        ...row('update', 'write'),
        method: 'PATCH',
        path: `${records}/{id}`,
        query: { optional: { idProperty: 'text' } },
        body: { required: { properties: 'object' } },
        answer: (call) => {
          const type = typeOf(call, 'write');
          const record = store.get(type, call.params['id'] ?? '', call.query['idProperty']);
          update(store, type, record, call.body['properties']);
          return { status: 200, body: view(record, Object.keys(written(type, call.body['properties']))) };
        },
      },
      {
        ...row('delete', 'write'),
        method: 'DELETE',
        path: `${records}/{id}`,
        answer: (call) => {
          store.recordsOf(typeOf(call, 'write')).delete(call.params['id'] ?? '');
          return { status: 204 };
        },
      },
      {
        operation: 'crm.associations.create',
        method: 'PUT',
        path: `${records}/{id}/associations/default/{toType}/{toId}`,
        effect: 'write',
        answer: (call) => associate(store, typeOf(call, 'write'), call),
      },
      {
        operation: 'crm.pipelines.list',
        method: 'GET',
        path: `/crm/pipelines/${newestVersion}/{type}`,
        effect: 'read',
        answer: (call) => ({ status: 200, body: pipelinesAnswer(store.pipelines, typeOf(call, 'read')) }),
      },
      {
        operation: 'crm.owners.list',
        method: 'GET',
        path: owners,
        effect: 'read',
        query: { optional: { email: 'text', after: 'text', limit: 'text', archived: 'text' } },
        answer: ({ query }) => {
          assertScope('crm.objects.owners.read');
          return ownersPage(store, query);
        },
      },
      {
        operation: 'crm.owners.get',
        method: 'GET',
        path: `${owners}/{id}`,
        effect: 'read',
        query: { optional: { idProperty: 'text', archived: 'text' } },
        answer: ({ params: { id = '' } }) => {
          assertScope('crm.objects.owners.read');
          return { status: 200, body: ownerOf(store.get('owners', id)) };
        },
      },
    ],
    refusals: {
      unauthorized: [401, 'INVALID_AUTHENTICATION'],
      version: [404, 'OBJECT_NOT_FOUND'],
      path: [404, 'OBJECT_NOT_FOUND'],
      method: [405, 'METHOD_NOT_ALLOWED'],
      media: [415, 'UNSUPPORTED_MEDIA_TYPE'],
      json: [400, 'VALIDATION_ERROR'],
      missing: [400, 'VALIDATION_ERROR'],
      type: [400, 'VALIDATION_ERROR'],
      unknown: [400, 'VALIDATION_ERROR'],
      limited: [429, 'RATE_LIMITS'],
      'key-reused': [400, 'VALIDATION_ERROR'],
      'key-mismatch': [400, 'VALIDATION_ERROR'],
      fault: [500, 'INTERNAL_ERROR'],
    },
    errorBody: ({ message, code, more }, requestId) => ({
      status: 'error',
      message,
      correlationId: requestId,
      category: code,
      ...more,
    }),
  };
};

/** The client's own name for what is done with an object of HubSpot. */
const operationOf = (type: string, action: Action): OperationName => {
  const resource = resources[type];
  return resource ? (`crm.${resource}.${action}` as OperationName) : `crm.${type}__c.${action}`;
};

const resources: Readonly<Record<string, string>> = {
  contacts: 'contacts',
  companies: 'accounts',
  deals: 'opportunities',
  tickets: 'cases',
  tasks: 'tasks',
  meetings: 'events',
};

/** People are leads where the request says so: by the stage that they get, or are searched by. */
const isAboutLeads = (body: Readonly<Record<string, unknown>>): boolean => {
  const { lifecyclestage: stage } = (body['properties'] ?? {}) as { readonly lifecyclestage?: unknown };
  if (typeof stage === 'string') return !['opportunity', 'customer', 'evangelist', 'other'].includes(stage);
  return /"propertyName":"lifecyclestage","operator":"(?:NOT_)?IN"/.test(JSON.stringify(body['filterGroups'] ?? ''));
};

const isOnTicket = (body: Readonly<Record<string, unknown>>): boolean =>
  /"associationTypeId":228\b/.test(JSON.stringify(body['associations'] ?? ''));

const row = (action: Action, effect: 'read' | 'write') =>
  ({
    operation: `crm.contacts.${action}`,
    operationOf: ({ params, body }) => {
      const { type = '' } = params;
      if (type === 'notes' && action === 'create' && isOnTicket(body)) return 'crm.cases.addNote';
      return type === 'contacts' && isAboutLeads(body) ? `crm.leads.${action}` : operationOf(type, action);
    },
    effect,
  }) satisfies Partial<Endpoint<CrmStore>>;

const knownProperties = new Set(Object.values(properties).flatMap((own) => Object.keys(own)));

const view = (record: HubSpotRecord, names: readonly string[]) => {
  // A property that the account doesn't have isn't shown.
  const known = names.filter((name) => knownProperties.has(name) || name in record.properties);
  const shownNames = ['createdate', 'lastmodifieddate', 'hs_object_id', ...known];
  return {
    id: record.id,
    properties: Object.fromEntries(shownNames.map((name) => [name, valueOf(record, name)])),
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    archived: false,
  };
};

const linksOf = ({ associations }: HubSpotRecord, wanted: readonly string[]) => {
  const found = wanted.flatMap((type) => {
    const ids = [...(associations.get(type) ?? [])];
    return ids.length > 0 ? [[type, { results: ids.map((id) => ({ id, type: `to_${type}` })) }]] : [];
  });
  return found.length > 0 ? { associations: Object.fromEntries(found) } : {};
};

const associate = (store: HubSpotStore, type: string, { params }: EndpointCall<CrmStore>): EndpointAnswer => {
  const { id = '', toType = '', toId = '' } = params;
  const types = associationTypes[type]?.[toType];
  if (!types) throw new Refused(400, 'VALIDATION_ERROR', `No association from ${type} to ${toType}`);
  store.get(type, id);
  store.get(toType, toId);
  store.associate({ type, id }, { type: toType, id: toId });
  const associationSpec = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: types.at(-1) };
  const at = new Date().toISOString();
  const results = [{ from: { id }, to: { id: toId }, associationSpec }];
  return { status: 200, body: { status: 'COMPLETE', startedAt: at, completedAt: at, results } };
};

const ownersPage = (store: HubSpotStore, query: Readonly<Record<string, string>>): EndpointAnswer => {
  const { email, limit = '100', after = '0' } = query;
  if (!(Number(limit) >= 1 && Number(limit) <= 500))
    throw new Refused(400, 'VALIDATION_ERROR', 'limit must be 1 to 500');
  const found = [...store.recordsOf('owners').values()].map(ownerOf).filter((one) => !email || one.email === email);
  const next = Number(after) + Number(limit);
  const results = found.slice(Number(after), next);
  const paging = next < found.length ? { paging: { next: { after: String(next), link: '' } } } : {};
  return { status: 200, body: { results, ...paging } };
};

const ownerOf = ({ id, properties: { email, firstname, lastname }, createdAt, updatedAt }: HubSpotRecord) => ({
  id,
  email,
  type: 'PERSON',
  firstName: firstname,
  lastName: lastname,
  userId: Number(id),
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(updatedAt).toISOString(),
  archived: false,
});
