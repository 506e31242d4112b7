import { crmRefusals } from '../contract/crm.ts';
import { crmObjects } from '../contract/crm-objects.ts';
import type { Contract, Endpoint, EndpointCall } from '../endpoint.ts';
import type { Fields } from '../fields.ts';
import type { OperationName } from '../operations.ts';
import { Refused } from '../refused.ts';
import type { CrmObject, CrmStore, FakeCrmRecord } from '../store/crm.ts';
import { answerComposite } from './composite.ts';
import type { SalesforceRules } from './options.ts';
import { createRows } from './rows.ts';
import { searchRecords } from './search.ts';
import { objectNamed } from './soql.ts';
import { create, created, fieldsOfWrite, update, upsert } from './writes.ts';

/** A platform event that was published. */
export interface FakePlatformEvent {
  /** Its name, such as `Call_Completed__e`. */
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SalesforceContractOptions {
  readonly rules: SalesforceRules;
  readonly pageSize: number;
  readonly version: string;
  /** Whether the search index knows it yet. */
  readonly isIndexed: (record: FakeCrmRecord) => boolean;
  readonly onPlatformEvent: (event: FakePlatformEvent) => void;
}

/** The endpoints of Salesforce below `/services/data/v{version}`, and how it refuses. */
export const salesforceContract = (options: SalesforceContractOptions): Contract<CrmStore> => {
  const { version } = options;
  const rows = createRows(options);
  const objects = (Object.keys(crmObjects) as CrmObject[]).flatMap((object) => rowsOf(object, options));
  const endpoints: Endpoint<CrmStore>[] = [
    ...objects,
    {
      operation: 'crm.query',
      operationOf: ({ query }) => searchOf(/\bFROM\s+(\w+)/i.exec(query['q'] ?? '')?.[1]),
      method: 'GET',
      path: '/query',
      effect: 'read',
      query: { required: { q: 'text' } },
      answer: ({ store, query }) => rows.first(store, query['q'] ?? ''),
    },
    {
      operation: 'crm.query.next',
      method: 'GET',
      path: '/query/{cursor}',
      effect: 'read',
      answer: ({ params }) => rows.next(params['cursor'] ?? ''),
    },
    {
      operation: 'crm.search',
      operationOf: ({ body }) => {
        const [first] = Array.isArray(body['sobjects']) ? body['sobjects'] : [];
        return searchOf((first as { readonly name?: unknown } | undefined)?.name);
      },
      method: 'POST',
      path: '/parameterizedSearch',
      effect: 'read',
      body: {
        required: { q: 'text' },
        optional: { in: 'text', fields: 'list', sobjects: 'list', overallLimit: 'integer', defaultLimit: 'integer' },
      },
      answer: ({ store, body }) => searchRecords(store, body, options),
    },
    {
      operation: 'crm.composite',
      operationOf: ({ body }) => (isLeadWithTask(body) ? 'crm.leads.createWithTask' : undefined),
      method: 'POST',
      path: '/composite',
      effect: 'write',
      body: { required: { compositeRequest: 'list' }, optional: { allOrNone: 'boolean' } },
      answer: (call) => answerComposite(call, contract),
    },
    {
      operation: 'crm.platformEvents.publish',
      method: 'POST',
      path: '/sobjects/{event}/',
      effect: 'write',
      body: { others: () => true },
      answer: ({ params, body }) => publish(params['event'] ?? '', body, options),
    },
    {
      operation: 'crm.versions.list',
      isOpen: true,
      method: 'GET',
      path: '/versions',
      effect: 'read',
      answer: () => ({ status: 200, body: [{ label: 'the only one', url: `/services/data/v${version}`, version }] }),
    },
  ];
  const contract: Contract<CrmStore> = {
    endpoints,
    refusals: {
      ...crmRefusals,
      limited: [403, 'REQUEST_LIMIT_EXCEEDED'],
      'key-reused': [400, 'UNKNOWN_EXCEPTION'],
      'key-mismatch': [400, 'UNKNOWN_EXCEPTION'],
    },
    errorBody: ({ message, code, field, more }) => [
      { message, errorCode: code, ...(field === undefined ? {} : { fields: [field] }), ...more },
    ],
  };
  return contract;
};

const rowsOf = (object: CrmObject, { rules, version }: SalesforceContractOptions): Endpoint<CrmStore>[] => {
  const { resource } = crmObjects[object];
  return [
    {
      operation: `crm.${resource}.create`,
      method: 'POST',
      path: `/sobjects/${object}/`,
      effect: 'write',
      body: fieldsOfWrite(object, 'create'),
      answer: ({ store, body, headers }) => created(create(store, object, body, { headers, rules })),
    },
    {
      operation: `crm.${resource}.get`,
      method: 'GET',
      path: `/sobjects/${object}/{id}`,
      effect: 'read',
      answer: ({ store, params }) => {
        const record = recordOf(store, object, params);
        const url = `/services/data/v${version}/sobjects/${object}/${record.Id}`;
        return { status: 200, body: { attributes: { type: object, url }, ...record } };
      },
    },
    {
      operation: `crm.${resource}.update`,
      method: 'PATCH',
      path: `/sobjects/${object}/{id}`,
      effect: 'write',
      body: fieldsOfWrite(object, 'update'),
      answer: ({ store, params, body }) => {
        update(store, object, recordOf(store, object, params), body);
        return { status: 204 };
      },
    },
    {
      operation: `crm.${resource}.create`,
      method: 'PATCH',
      path: `/sobjects/${object}/{field}/{value}`,
      effect: 'write',
      body: { ...fieldsOfWrite(object, 'update'), others: () => true } satisfies Fields,
      answer: ({ store, params, body, headers }) =>
        upsert(
          store,
          object,
          { field: params['field'] ?? '', value: params['value'] ?? '', body, version },
          { headers, rules },
        ),
    },
  ];
};

const recordOf = (store: CrmStore, object: CrmObject, params: EndpointCall<CrmStore>['params']): FakeCrmRecord => {
  const record = store.records[object].get(params['id'] ?? '');
  if (!record) throw new Refused(404, 'NOT_FOUND', 'The requested resource does not exist');
  return record;
};

/** The client's own name for a search of this object. */
const searchOf = (name: unknown): OperationName | undefined =>
  typeof name === 'string' && Object.hasOwn(crmObjects, name)
    ? `crm.${crmObjects[objectNamed(name)].resource}.search`
    : undefined;

const isLeadWithTask = ({ compositeRequest }: Readonly<Record<string, unknown>>): boolean => {
  const parts = Array.isArray(compositeRequest) ? compositeRequest : [];
  const targets = parts.map((part: { readonly url?: unknown } | null) => String(part?.url));
  return (
    targets.length === 2 && /\/sobjects\/Lead\//.test(targets[0] ?? '') && /\/sobjects\/Task\//.test(targets[1] ?? '')
  );
};

const publish = (
  event: string,
  fields: Readonly<Record<string, unknown>>,
  { onPlatformEvent }: SalesforceContractOptions,
) => {
  if (!/^\w+__e$/.test(event)) throw new Refused(404, 'NOT_FOUND', 'The requested resource does not exist');
  const unknown = Object.keys(fields).find((name) => !name.endsWith('__c'));
  if (unknown !== undefined)
    throw new Refused(400, 'INVALID_FIELD', `No such column '${unknown}' on sobject of type ${event}`, {
      field: unknown,
    });
  onPlatformEvent({ event, fields });
  const taken = { statusCode: 'OPERATION_ENQUEUED', message: crypto.randomUUID(), fields: [] };
  return { status: 201, body: { id: 'e00xx000000000BAAQ', success: true, errors: [taken] } };
};
