import type { Contract, Endpoint } from '../endpoint.ts';
import { Refused } from '../refused.ts';
import { evaluateSoql, fieldsOf } from '../soql/evaluate.ts';
import { parseSoql, type SoqlQuery } from '../soql/parse.ts';
import { MalformedQueryError } from '../soql/tokenize.ts';
import type { CrmObject, CrmStore, FakeCrmRecord } from '../store/crm.ts';
import { bodyFields, crmObjects, isQueryable, type ObjectShape } from './crm-objects.ts';
import { type Envelope, listAnswer } from './envelope.ts';

/** The status and code of each refusal. */
export const crmRefusals: Contract<CrmStore>['refusals'] = {
  unauthorized: [401, 'INVALID_SESSION_ID'],
  version: [404, 'NOT_FOUND'],
  path: [404, 'NOT_FOUND'],
  method: [405, 'METHOD_NOT_ALLOWED'],
  media: [415, 'UNSUPPORTED_MEDIA_TYPE'],
  json: [400, 'JSON_PARSER_ERROR'],
  missing: [400, 'REQUIRED_FIELD_MISSING'],
  type: [400, 'JSON_PARSER_ERROR'],
  unknown: [400, 'INVALID_FIELD'],
  limited: [429, 'REQUEST_LIMIT_EXCEEDED'],
  'key-reused': [422, 'IDEMPOTENCY_KEY_REUSED'],
  'key-mismatch': [400, 'INVALID_FIELD'],
  fault: [500, 'UNKNOWN_EXCEPTION'],
};

/** The endpoints of the CRM, below `/services/data/v{version}`, and how it refuses. */
export const crmContract = ({ envelope }: { envelope: Envelope }): Contract<CrmStore> => ({
  endpoints: (Object.keys(crmObjects) as CrmObject[]).flatMap((object) => endpointsOf(object, envelope)),
  refusals: crmRefusals,
  errorBody: ({ message, code, field }) => [
    { message, errorCode: code, fields: field === undefined ? undefined : [field] },
  ],
});

const endpointsOf = (object: CrmObject, envelope: Envelope): Endpoint<CrmStore>[] => {
  const shape = crmObjects[object];
  return [
    {
      operation: `crm.${shape.resource}.create`,
      method: 'POST',
      path: `/sobjects/${object}/`,
      effect: 'write',
      body: bodyFields(shape, 'create'),
      answer: ({ store, body }) => {
        refuseInvalid(store, shape, body);
        return { status: 201, body: { id: store.add(object, body).Id, success: true, errors: [] } };
      },
    },
    {
      operation: `crm.${shape.resource}.search`,
      method: 'POST',
      path: `/sobjects/${object}/search`,
      effect: 'read',
      body: { required: { q: 'text' }, optional: { limit: 'integer' } },
      answer: ({ store, body }) => {
        const query = readQuery(object, shape, String(body['q']));
        const limit = body['limit'];
        if (typeof limit === 'number' && limit < 1) {
          throw new Refused(400, 'INVALID_FIELD', 'limit must be at least 1', { field: 'limit' });
        }
        const rows = [...store.records[object].values()];
        const found = evaluateSoql(query, rows, typeof limit === 'number' ? limit : Infinity);
        return listAnswer(
          envelope,
          found.map((row) => selected(object, query, row)),
        );
      },
    },
    {
      operation: `crm.${shape.resource}.get`,
      method: 'GET',
      path: `/sobjects/${object}/{id}`,
      effect: 'read',
      query: { optional: { fields: 'text' } },
      answer: ({ store, params, query }) => {
        const record = recordOf(store, object, params['id']);
        const names = query['fields']?.split(',') ?? Object.keys(record);
        const values = Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
        return { status: 200, body: { attributes: { type: object }, ...values } };
      },
    },
    {
      operation: `crm.${shape.resource}.delete`,
      method: 'DELETE',
      path: `/sobjects/${object}/{id}`,
      effect: 'write',
      answer: ({ store, params }) => {
        store.remove(object, recordOf(store, object, params['id']).Id);
        return { status: 204 };
      },
    },
    {
      operation: `crm.${shape.resource}.update`,
      method: 'PATCH',
      path: `/sobjects/${object}/{id}`,
      effect: 'write',
      body: bodyFields(shape, 'update'),
      answer: ({ store, params, body }) => {
        const record = recordOf(store, object, params['id']);
        if (record['IsConverted'] === true) {
          throw new Refused(400, 'CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead');
        }
        const emptied = shape.required.find((name) => body[name] === null || body[name] === '');
        if (emptied) throw new Refused(400, 'REQUIRED_FIELD_MISSING', `${emptied} is required`, { field: emptied });
        refuseInvalid(store, shape, body);
        store.update(record, body);
        return { status: 204 };
      },
    },
  ];
};

const recordOf = (store: CrmStore, object: CrmObject, id: unknown): FakeCrmRecord => {
  const record = store.records[object].get(String(id));
  if (!record) throw new Refused(404, 'NOT_FOUND', 'The requested resource does not exist');
  return record;
};

/** The lengths at which the real CRM cuts or refuses; it refuses. */
const maximumLength = (field: string) => (field === 'Description' ? 32_000 : 255);

const refuseInvalid = (store: CrmStore, shape: ObjectShape, body: Readonly<Record<string, unknown>>) => {
  for (const [field, value] of Object.entries(body)) {
    if (typeof value !== 'string') continue;
    if (value.length > maximumLength(field)) {
      throw new Refused(400, 'STRING_TOO_LONG', `${field}: data value too large (max length=${maximumLength(field)})`, {
        field,
      });
    }
    const words = shape.picklists?.[field];
    if (words && !words.includes(value)) {
      throw new Refused(400, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', `${field}: bad value for restricted picklist`, {
        field,
      });
    }
    const objects = shape.references[field];
    if (objects && !objects.some((object) => store.records[object].has(value))) {
      throw new Refused(400, 'INVALID_CROSS_REFERENCE_KEY', `${field}: invalid cross reference id`, { field });
    }
  }
};

const readQuery = (object: CrmObject, shape: ObjectShape, text: string): SoqlQuery => {
  const query = parsed(text);
  if (query.from !== object) throw new Refused(400, 'INVALID_TYPE', `the query is not about ${object}`);
  const unknown = fieldsOf(query).find((name) => !isQueryable(shape, name));
  if (unknown) {
    throw new Refused(400, 'INVALID_FIELD', `No such column '${unknown}' on entity '${object}'`, { field: unknown });
  }
  return query;
};

const parsed = (text: string): SoqlQuery => {
  try {
    return parseSoql(text);
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error;
    throw new Refused(400, 'MALFORMED_QUERY', error.message, { field: 'q' });
  }
};

const selected = (object: CrmObject, { fields }: SoqlQuery, row: FakeCrmRecord) => ({
  attributes: { type: object },
  ...Object.fromEntries(fields.map((name) => [name, row[name] ?? null])),
});
