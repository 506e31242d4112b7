import type { EndpointAnswer, EndpointCall } from '../endpoint.ts';
import { Refused } from '../refused.ts';
import type { CrmStore } from '../store/crm.ts';
import type { HubSpotRecord, HubSpotStore } from './store.ts';
import { asAssociations, create, prepare, update } from './writes.ts';

type Input = Readonly<Record<string, unknown>>;
type View = (record: HubSpotRecord, names: readonly string[]) => object;

/**
 * Several records in one request. What can't be done is listed in `errors`, and named by its `objectWriteTraceId`; new
 * records that have none are made all or not at all. The records of the answer have no such id, as in HubSpot's example.
 * The status is that of a success: the descriptions of 2026-09 have no 207 (HubSpot-public-api-spec-collection,
 * 2026-08-21), though https://developers.hubspot.com/docs/api-reference/latest/error-handling still speaks of it.
 */
export const batch = (
  store: HubSpotStore,
  type: string,
  { params, body }: Pick<EndpointCall<CrmStore>, 'params' | 'body'>,
  view: View,
): EndpointAnswer => {
  const { action = '' } = params;
  const inputs = body['inputs'] as readonly Input[];
  const known = Object.hasOwn(fields, action) ? fields[action] : undefined;
  if (!known) throw new Refused(404, 'OBJECT_NOT_FOUND', 'resource not found');
  if (inputs.length === 0 || inputs.length > 100) throw refused('inputs must be 1 to 100');
  const strange = inputs.flatMap((input) => Object.keys(input)).find((name) => !known.includes(name));
  if (strange !== undefined) throw refused(`${strange} is not a field of an input`);
  const traces = inputs.flatMap(({ objectWriteTraceId: trace }) => (typeof trace === 'string' ? [trace] : []));
  if (new Set(traces).size < traces.length) throw refused('objectWriteTraceId must be unique');

  if (action === 'create' && traces.length < inputs.length) {
    const emails = inputs.flatMap(({ properties }) => textOf(Object(properties).email)?.toLowerCase() ?? []);
    if (new Set(emails).size < emails.length) throw new Refused(409, 'CONFLICT', 'Contact already exists');
    const made = inputs.map((input) =>
      prepare(store, type, input['properties'], asAssociations(input['associations'])),
    );
    return { status: 201, body: complete(made.map((make) => viewWhole(make(), view))) };
  }
  const results: object[] = [];
  const errors: object[] = [];
  for (const input of inputs) {
    try {
      results.push(one(store, type, { action, input, body, view }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      errors.push(errorOf(error, input));
    }
  }
  const partly = errors.length > 0 ? { numErrors: errors.length, errors } : {};
  return { status: action === 'create' ? 201 : 200, body: { ...complete(results), ...partly } };
};

/** The fields of an input, by action. */
const fields: Readonly<Record<string, readonly string[]>> = {
  read: ['id'],
  create: ['properties', 'associations', 'objectWriteTraceId'],
  update: ['id', 'idProperty', 'properties', 'objectWriteTraceId'],
  upsert: ['id', 'idProperty', 'properties', 'objectWriteTraceId'],
};

interface One {
  readonly action: string;
  readonly input: Input;
  readonly body: Input;
  readonly view: View;
}

const one = (store: HubSpotStore, type: string, { action, input, body, view }: One): object => {
  const { id, properties: given } = input;
  const key = textOf(input['idProperty']);
  if (action === 'create') return viewWhole(create(store, type, given, asAssociations(input['associations'])), view);
  if (action === 'read')
    return view(
      store.get(type, String(id), textOf(body['idProperty'])),
      (body['properties'] ?? []) as readonly string[],
    );
  if (action === 'upsert') {
    if (type !== 'contacts' || key !== 'email') throw refused(`${key} is not a unique property`);
    const known = [...store.recordsOf(type).values()].find(({ properties }) => properties[key] === normal(id));
    if (known) update(store, type, known, given);
    return { ...viewWhole(known ?? create(store, type, given, []), view), new: known === undefined };
  }
  const record = store.get(type, String(id), key);
  update(store, type, record, given);
  return viewWhole(record, view);
};

const viewWhole = (record: HubSpotRecord, view: View): object => view(record, Object.keys(record.properties));

const complete = (results: readonly object[]) => {
  const at = new Date().toISOString();
  return { status: 'COMPLETE', results, startedAt: at, completedAt: at };
};

const errorOf = ({ code, message, more }: Refused, { id, objectWriteTraceId: trace }: Input): object => ({
  status: 'error',
  category: code,
  message,
  ...more,
  context: trace === undefined ? { ids: [id] } : { objectWriteTraceId: [trace] },
});

const refused = (message: string) => new Refused(400, 'VALIDATION_ERROR', message);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const normal = (value: unknown): string => String(value).toLowerCase();
