import { bodyFields, type ObjectShape } from '../contract/crm-objects.ts';
import type { EndpointAnswer } from '../endpoint.ts';
import type { Fields } from '../fields.ts';
import { Refused } from '../refused.ts';
import type { CrmObject, CrmStore, FakeCrmRecord } from '../store/crm.ts';
import { refuseDuplicate } from './duplicates.ts';
import { resourceOf, shapeOf, timeOf } from './objects.ts';
import type { SalesforceRules } from './options.ts';
import { isRecordId } from './soql.ts';

type Body = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** The fields of a write's body. Addresses are checked as values, since they are refused under a code of their own. */
export const fieldsOfWrite = (object: string, method: 'create' | 'update'): Fields => {
  const { required = {}, ...rest } = bodyFields(asText(shapeOf(object)), method);
  return method === 'create' ? { required, ...rest } : { ...rest, optional: { ...required, ...rest.optional } };
};

const asText = (shape: ObjectShape): ObjectShape => ({
  ...shape,
  fields: Object.fromEntries(
    Object.entries(shape.fields).map(([name, type]) => [name, type === 'email' ? 'text' : type]),
  ),
});

/** A new record; refused as the real org refuses it. */
export const create = (
  store: CrmStore,
  object: string,
  body: Body,
  { headers, rules }: { readonly headers: Headers; readonly rules: SalesforceRules },
): FakeCrmRecord => {
  refuseValues(store, object, body);
  refuseDuplicate(store, object, body, { headers, rules });
  const isAssigned = ['Lead', 'Case'].includes(object) && headers['sforce-auto-assign']?.toUpperCase() !== 'FALSE';
  const ownerId = isAssigned ? rules.assignTo : undefined;
  return store.add(object, ownerId === undefined ? body : { ...body, OwnerId: ownerId });
};

export const created = (record: FakeCrmRecord): EndpointAnswer => ({
  status: 201,
  body: { id: record.Id, success: true, errors: [] },
});

export const update = (store: CrmStore, object: string, record: FakeCrmRecord, body: Body): void => {
  if (record['IsConverted'] === true) throw convertedLead();
  const emptied = shapeOf(object).required.find((name) => body[name] === null || body[name] === '');
  if (emptied !== undefined) throw missing([emptied]);
  refuseValues(store, object, {
    ...pick(record, ['WhoId', 'WhatId', 'EndDateTime', 'DurationInMinutes', 'IsAllDayEvent']),
    ...body,
  });
  store.update(record, body);
};

/** Creates or updates by the value of a field with another system's ids, or answers that several records have it. */
export const upsert = (
  store: CrmStore,
  object: string,
  { field, value, body, version }: { field: string; value: string; body: Body; version: string },
  context: { readonly headers: Headers; readonly rules: SalesforceRules },
): EndpointAnswer => {
  const { required } = shapeOf(object);
  const resource = resourceOf(object);
  if (!context.rules.externalIdFields.includes(field))
    throw new Refused(404, 'NOT_FOUND', 'Provided external ID field does not exist or is not accessible: ' + field);
  for (const name of ['Id', field]) {
    if (name in body)
      throw new Refused(400, 'INVALID_FIELD', `The ${name} field should not be specified in the sobject data.`, {
        field: name,
      });
  }
  if (value.length > 255) throw tooLong(field, 255);
  const matching = [...store.recordsOf(object).values()].filter((record) => record[field] === value);
  const [match, second] = matching;
  if (second) {
    const addresses = matching.map(({ Id }) => `/services/data/v${version}/sobjects/${object}/${Id}`);
    return { status: 300, body: addresses, effects: [] };
  }
  if (match) {
    update(store, object, match, body);
    const effects = [`crm.${resource}.update` as const];
    return { status: 200, body: { id: match.Id, success: true, errors: [], created: false }, effects };
  }
  const absent = required.filter((name) => body[name] === undefined || body[name] === null || body[name] === '');
  if (absent.length > 0) throw missing(absent);
  const record = create(store, object, { ...body, [field]: value }, context);
  const effects = [`crm.${resource}.create` as const];
  return { status: 201, body: { id: record.Id, success: true, errors: [], created: true }, effects };
};

const refuseValues = (store: CrmStore, object: string, body: Body): void => {
  const shape = shapeOf(object);
  for (const [field, value] of Object.entries(body)) {
    if (typeof value !== 'string') continue;
    const longest = field === 'Description' ? 32_000 : field === 'CommentBody' ? 4_000 : 255;
    const length = field === 'CommentBody' ? Buffer.byteLength(value) : value.length;
    if (length > longest) throw tooLong(field, longest);
    if (shape.fields[field] === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value))
      throw new Refused(400, 'INVALID_EMAIL_ADDRESS', `${field}: invalid email address: ${value}`, { field });
    const words = shape.picklists?.[field];
    if (words && !words.includes(value))
      throw new Refused(
        400,
        'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
        `${field}: bad value for restricted picklist field: ${value}`,
        { field },
      );
    const objects = shape.references[field];
    if (objects) refuseReference(store, field, value, objects);
  }
  if (object === 'Task' || object === 'Event') refuseRelations(store, body);
  if (object === 'Event') refuseTimes(body);
};

/** An event has an end or a duration, and doesn't end before it starts. */
const refuseTimes = ({ StartDateTime, EndDateTime, DurationInMinutes, IsAllDayEvent }: Body): void => {
  if (StartDateTime === undefined || IsAllDayEvent === true) return;
  if (EndDateTime === undefined && DurationInMinutes === undefined) throw missing(['DurationInMinutes']);
  if (timeOf(EndDateTime) < timeOf(StartDateTime))
    throw new Refused(400, 'FIELD_INTEGRITY_EXCEPTION', 'The event ends before it starts', { field: 'EndDateTime' });
};

const refuseReference = (store: CrmStore, field: string, value: string, objects: readonly CrmObject[]): void => {
  if (!isRecordId(value))
    throw new Refused(400, 'MALFORMED_ID', `${field}: id value of incorrect type: ${value}`, { field });
  const record = objects.map((object) => store.records[object].get(value)).find(Boolean);
  if (!record) throw new Refused(400, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', { field });
  if (record['IsConverted'] === true) throw convertedLead();
};

/** A Task about a lead is about nothing else. */
const refuseRelations = (store: CrmStore, { WhoId, WhatId }: Body): void => {
  if (typeof WhatId === 'string' && typeof WhoId === 'string' && store.records.Lead.has(WhoId))
    throw new Refused(400, 'FIELD_INTEGRITY_EXCEPTION', 'If WhoId is a lead, WhatId must be empty', {
      field: 'WhatId',
    });
};

const convertedLead = () => new Refused(400, 'CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead');

const missing = (fields: readonly string[]) =>
  new Refused(400, 'REQUIRED_FIELD_MISSING', `Required fields are missing: [${fields.join(', ')}]`, {
    more: { fields },
  });

const tooLong = (field: string, longest: number) =>
  new Refused(400, 'STRING_TOO_LONG', `${field}: data value too large (max length=${longest})`, { field });

const pick = (record: FakeCrmRecord, names: readonly string[]): Body =>
  Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]));
