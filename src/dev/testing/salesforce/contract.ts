import { crmRefusals } from '../contract/crm.ts';
import { crmObjects } from '../contract/crm-objects.ts';
import type { Contract, Endpoint, EndpointAnswer, EndpointCall } from '../endpoint.ts';
import type { Fields } from '../fields.ts';
import type { OperationName } from '../operations.ts';
import { Refused } from '../refused.ts';
import type { CrmObject, CrmStore, FakeCrmRecord } from '../store/crm.ts';
import { answerComposite } from './composite.ts';
import type { SalesforceRules } from './options.ts';
import { isObject, isQueryablePath, notFound, readable, recordOf, resourceOf, shapeOf } from './objects.ts';
import { createRows, matching, toRow } from './rows.ts';
import { refuseHidden } from './hidden.ts';
import { create, created, fieldsOfWrite, update, upsert } from './writes.ts';
import type { SoqlCondition } from '../soql/parse.ts';
import { objectNamed, readCondition } from './soql.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

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
  /** Returns true once the search index knows it. */
  readonly isIndexed: (record: FakeCrmRecord) => boolean;
  readonly onPlatformEvent: (event: FakePlatformEvent) => void;
}

/** The endpoints of Salesforce below `/services/data/v{version}`, and how it refuses. */
export const salesforceContract = (options: SalesforceContractOptions): Contract<CrmStore> => {
  const { version } = options;
  const rows = createRows(options);
  const standard = (Object.keys(crmObjects) as CrmObject[]).flatMap((object) => rowsOf(object, options));
  const endpoints: Endpoint<CrmStore>[] = [
    ...standard,
    {
      operation: 'crm.cases.addNote',
      method: 'POST',
      path: '/sobjects/CaseComment/',
      effect: 'write',
      body: fieldsOfWrite('CaseComment', 'create'),
      answer: ({ store, body, headers }) =>
        created(create(store, 'CaseComment', body, { headers, rules: options.rules })),
    },
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
      operation: 'crm.versions.list',
      isOpen: true,
      method: 'GET',
      path: '/versions',
      effect: 'read',
      answer: () => ({ status: 200, body: [{ label: 'the only one', url: `/services/data/v${version}`, version }] }),
    },
    ...rowsOf(undefined, options),
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
      { message, errorCode: code, fields: field === undefined ? undefined : [field], ...more },
    ],
  };
  return contract;
};

/** The operations on the records of one object, or of any other: `{object}`. */
const rowsOf = (object: CrmObject | undefined, options: SalesforceContractOptions): Endpoint<CrmStore>[] => {
  const { rules, version, onPlatformEvent } = options;
  const row = (action: 'get' | 'create' | 'update' | 'delete', effect: 'read' | 'write') => ({
    operation: object ? (`crm.${crmObjects[object].resource}.${action}` as const) : (`crm.any__c.${action}` as const),
    operationOf: ({ params }: Pick<EndpointCall<CrmStore>, 'params'>): OperationName | undefined => {
      const { object: name = '' } = params;
      if (name.endsWith('__e')) return 'crm.platformEvents.publish';
      return object || !isObject(name) ? undefined : `crm.${resourceOf(name)}.${action}`;
    },
    effect,
  });
  const path = `/sobjects/${object ?? '{object}'}/` as const;
  const meant = ({ params }: Pick<EndpointCall<CrmStore>, 'params'>): string => {
    const name = object ?? params['object'] ?? '';
    if (!isObject(name)) throw notFound();
    return name;
  };
  const fields = (method: 'create' | 'update'): Fields =>
    object ? fieldsOfWrite(object, method) : { optional: shapeOf('').fields, others: (name) => name.endsWith('__c') };

  return [
    {
      ...row('create', 'write'),
      method: 'POST',
      path,
      body: fields('create'),
      answer: ({ store, body, headers, params }) => {
        const { object: name = '' } = params;
        if (name.endsWith('__e')) return publish(name, body, onPlatformEvent);
        refuseHidden(rules.hiddenFields, meant({ params }), Object.keys(body), 'write');
        return created(create(store, meant({ params }), body, { headers, rules }));
      },
    },
    {
      ...row('get', 'read'),
      method: 'GET',
      path: `${path}{id}`,
      query: { optional: { fields: 'text' } },
      answer: ({ store, params, query }) => {
        const name = meant({ params });
        const record = recordOf(store, name, params['id'] ?? '');
        const url = `/services/data/v${version}/sobjects/${name}/${record.Id}`;
        const whole = readable(name, record);
        const wanted = query['fields']?.split(',') ?? Object.keys(whole);
        // Unlike a query, this resource knows nothing of parents.
        const unknown = wanted.find(
          (field) => field.includes('.') || !(field in whole || isQueryablePath(name, field)),
        );
        if (unknown !== undefined)
          throw new Refused(400, 'INVALID_FIELD', `No such column '${unknown}' on sobject of type ${name}`);
        const values = wanted.map((field) => [field, whole[field] ?? null]);
        return { status: 200, body: { attributes: { type: name, url }, ...Object.fromEntries(values) } };
      },
    },
    {
      ...row('update', 'write'),
      method: 'PATCH',
      path: `${path}{id}`,
      body: fields('update'),
      answer: ({ store, params, body }) => {
        const name = meant({ params });
        refuseHidden(rules.hiddenFields, name, Object.keys(body), 'write');
        update(store, name, recordOf(store, name, params['id'] ?? ''), body);
        return { status: 204 };
      },
    },
    {
      ...row('delete', 'write'),
      method: 'DELETE',
      path: `${path}{id}`,
      answer: ({ store, params }) => {
        const name = meant({ params });
        store.remove(name, recordOf(store, name, params['id'] ?? '').Id);
        return { status: 204 };
      },
    },
    {
      ...row('create', 'write'),
      method: 'PATCH',
      path: `${path}{field}/{value}`,
      body: { ...fields('update'), others: () => true } satisfies Fields,
      answer: ({ store, params, body, headers }) => {
        const { field = '', value = '' } = params;
        refuseHidden(rules.hiddenFields, meant({ params }), Object.keys(body), 'write');
        return upsert(store, meant({ params }), { field, value, body, version }, { headers, rules });
      },
    },
  ];
};

/** The client's own name for a search of this object. */
const searchOf = (name: unknown): OperationName | undefined =>
  typeof name === 'string' && isObject(name) ? `crm.${resourceOf(name)}.search` : undefined;

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
  onPlatformEvent: SalesforceContractOptions['onPlatformEvent'],
) => {
  const unknown = Object.keys(fields).find((name) => !name.endsWith('__c'));
  if (unknown !== undefined)
    throw new Refused(400, 'INVALID_FIELD', `No such column '${unknown}' on sobject of type ${event}`, {
      field: unknown,
    });
  onPlatformEvent({ event, fields });
  const taken = { statusCode: 'OPERATION_ENQUEUED', message: crypto.randomUUID(), fields: [] };
  return { status: 201, body: { id: 'e00xx000000000BAAQ', success: true, errors: [taken] } };
};

const scopes = ['ALL', 'EMAIL', 'NAME', 'PHONE', 'SIDEBAR'];

/** Answers `parameterizedSearch`. */
const searchRecords = (
  store: CrmStore,
  body: Readonly<Record<string, unknown>>,
  {
    version,
    isIndexed,
    rules,
  }: {
    readonly version: string;
    readonly isIndexed: (record: FakeCrmRecord) => boolean;
    readonly rules: SalesforceRules;
  },
): EndpointAnswer => {
  const { q, in: scope = 'ALL', fields = [], sobjects = [], overallLimit } = body;
  if (typeof q !== 'string' || q.trim().length < 2)
    throw new Refused(400, 'MALFORMED_SEARCH', 'search term must be longer than one character');
  if (!scopes.includes(String(scope)))
    throw new Refused(400, 'INVALID_SEARCH_SCOPE', `invalid scope: ${String(scope)}`);
  const records = listOf(sobjects).flatMap((each) => {
    const object = objectNamed(String(each['name']));
    const wanted = listOfTexts(each['fields'] ?? fields);
    const unknown = wanted.find((name) => !isQueryablePath(object, name));
    if (unknown !== undefined)
      throw new Refused(400, 'INVALID_FIELD', `No such column '${unknown}' on entity '${object}'`, { field: unknown });
    refuseHidden(rules.hiddenFields, object, wanted, 'query');
    const where =
      typeof each['where'] === 'string' ? readCondition(object, each['where'], rules.hiddenFields) : undefined;
    return indexed(store, object, q, String(scope), where)
      .filter(isIndexed)
      .slice(0, numberOr(each['limit'], Infinity))
      .map((row) => toRow(store, object, wanted, row, version));
  });
  return { status: 200, body: { searchRecords: records.slice(0, numberOr(overallLimit, Infinity)), metadata: {} } };
};

const indexed = (
  store: CrmStore,
  object: string,
  q: string,
  scope: string,
  where: SoqlCondition | undefined,
): FakeCrmRecord[] => {
  const query = withoutUndefined({ fields: ['Id'], from: object, orderBy: [], where });
  return matching(store, object, query).filter((row) => matches(row, q, scope));
};

const matches = (row: FakeCrmRecord, q: string, scope: string): boolean =>
  Object.entries(row).some(([name, value]) => {
    if (typeof value !== 'string') return false;
    if (scope === 'PHONE') return name.endsWith('Phone') && samePhone(value, q);
    if (scope === 'EMAIL') return name.endsWith('Email') && value.toLowerCase() === q.toLowerCase();
    return (scope === 'ALL' || name.endsWith('Name')) && value.toLowerCase().includes(q.toLowerCase());
  });

/** With any text between the digits, and with or without a country code. */
const samePhone = (one: string, other: string): boolean => {
  const [a, b] = [one.replace(/\D/g, ''), other.replace(/\D/g, '')];
  return a !== '' && b !== '' && (a.endsWith(b) || b.endsWith(a));
};

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];
const listOfTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const numberOr = (value: unknown, other: number): number => (typeof value === 'number' ? value : other);
