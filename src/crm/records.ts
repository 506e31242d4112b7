import { createMethods, overrideEntries, toOperation } from '../api/entry.ts';
import { id as idSchema } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { LocalClock } from '../core/local-clock.ts';
import { checkArgument, readNothing, readOptional, type RecordList } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { HttpClient, RequestOptions } from '../http/operation.ts';
import type { FieldRules } from './declared.ts';
import type { CrmDialect } from './dialect.ts';
import { recordEndpoints } from './endpoints.ts';
import { assertDeclared } from './fields.ts';
import type { RecordLabels } from './labels.ts';
import { type FieldsInText, type Fitted, keptInText, reporting, writeFitted } from './left-out.ts';
import type { AnyFields, AnyRecord, CreatedRecord } from './object-table.ts';
import { tableOf } from './objects.ts';
import { fieldsIn, writeQuery } from './query.ts';
import { created, type UpsertedRecord } from './readers.ts';
import type { SearchOptions, SearchWay } from './search-query.ts';
import type { ExternalId, FieldPath, RowQuery } from './where.ts';
import { ruleHeaders, type WriteRules } from './write-rules.ts';

/** Options of reading one record. */
export interface GetOptions<Path extends string = string> extends RequestOptions {
  /** The fields to read, also of parents: `Owner.Name`. Each must exist in the org. @defaultValue all of the record's own */
  readonly fields?: readonly Path[] | undefined;
}

/** Options of writing one record, with the org's rules for it. */
export interface WriteOptions extends RequestOptions, WriteRules {}

/** The operations on the records of one object. */
export interface RecordClient<Fields, Row, By = unknown> {
  /** The record with this id, `undefined` when there is none. */
  get(id: string, options?: GetOptions<FieldPath<Row>>): Promise<Row | undefined>;
  /** The API gives the id of the new record and no more. The org's assignment rules may change its owner. */
  create(fields: Fields, call?: WriteOptions): Promise<CreatedRecord>;
  /** Needs at least one field; what is left out stays as it is, and `null` empties a field. */
  update(id: string, fields: Fields, call?: WriteOptions): Promise<{ readonly id: string }>;
  /**
   * Changes the record that has this value in an external id field of yours, and else creates it. Repeating it makes no
   * second one. `fields` don't have that field. Path of Salesforce.
   */
  upsert(by: ExternalId<Fields>, fields: Fields, call?: WriteOptions): Promise<UpsertedRecord>;
  /** Throws a `ClientError` with status 404 when there is none with this id. */
  delete(id: string, call?: RequestOptions): Promise<void>;
  /** The records that match everything given, but of an e-mail, a phone and a name one is enough. */
  search(by: By & SearchOptions<Row>, call?: RequestOptions): Promise<RecordList<Row>>;
  /**
   * The same without a limit, page after page; what `call` says holds for each page. Where the API has no pages, it
   * gives as many as one answer may hold.
   */
  searchAll(by: By & Omit<SearchOptions<Row>, 'limit'>, call?: RequestOptions): AsyncIterable<Row>;
}

/** The parts that the operations of one org share. */
export interface Org {
  readonly http: HttpClient;
  readonly dialect: CrmDialect;
  /** The time zone of the business. */
  readonly clock: LocalClock;
  readonly labels: RecordLabels;
  /** The beginning of every path. */
  readonly pathPrefix: string;
  /** The part of a search that the CRM takes, by object, where it has refused more. */
  readonly ways: Map<string, SearchWay>;
  /** The fields that the CRM hides from this user, by object, as far as searches found them. */
  readonly hidden: Map<string, Set<string>>;
  readonly inText: FieldsInText;
  /** Returns the declaration of an object's fields. */
  readonly rulesOf: (object: string) => FieldRules | undefined;
}

/** Finds out whether a new record is there, when the API knows no idempotency keys. */
export type FindCreated = (fields: AnyFields, call: RequestOptions) => Promise<CreatedRecord | undefined>;

/** The entries of one object, as this org's dialect has them. */
export const endpointsOf = (object: string, { dialect, rulesOf, clock }: Org) =>
  overrideEntries(recordEndpoints(object, rulesOf(object)), dialect.endpoints(object, clock));

const readMade = readOptional(created);

/** The name that operations on an object begin with: `crm.leads`, `crm.Asset__c`. */
export const operationsOf = (object: string): string => `crm.${tableOf(object).resource}`;

/** Writes a query. Throws `InvalidArgumentError` for a field that wasn't declared, where fields were. */
export const writeFor = (operation: string, { rulesOf, clock }: Org, query: RowQuery): string => {
  try {
    const written = writeQuery(query, clock);
    for (const path of fieldsIn(query)) assertDeclared(operation, query.from, path, rulesOf(query.from));
    return written;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(error.field, error.problem, { operation });
  }
};

/** The refusal of a field that isn't the caller's to write. */
export const writtenByClient = (operation: string, field: string): InvalidArgumentError =>
  new InvalidArgumentError(field, 'is written by the client itself, from the idempotency key', { operation });

/** The operations on one object, of which nothing is declared. */
type AnyRecords = RecordClient<AnyFields, AnyRecord>;

/** The headers of a write: the client's rules for a new record, and those of the call. */
export const headersOf = (
  { dialect }: Org,
  object: string,
  rules: WriteRules,
  { isNew }: { readonly isNew: boolean },
) => {
  const ofClient = isNew ? dialect.createHeaders(object) : {};
  return { ...ofClient, ...ruleHeaders(object, rules) };
};

/** Reading, writing and deleting the records of one object. */
export const createRecords = (
  object: string,
  org: Org,
  lookUp?: FindCreated,
): Omit<AnyRecords, 'search' | 'searchAll'> => {
  const { http, dialect, labels, inText } = org;
  const name = operationsOf(object);
  const endpoints = endpointsOf(object, org);
  const get = createGet(object, org, endpoints);
  const rules = org.rulesOf(object);
  const writing = (action: string) => ({ operation: `${name}.${action}`, object, dialect, rules, inText });

  const records: Omit<AnyRecords, 'search' | 'searchAll'> = {
    get,
    create: async (fields, { assignmentRule, duplicateRule, ...call } = {}) => {
      const headers = headersOf(org, object, { assignmentRule, duplicateRule }, { isNew: true });
      return writeFitted(writing('create'), await labels.toIds(object, fields, true), (fitted) => {
        const operation = createOperation({ object, org, endpoints, lookUp }, fitted.fields, call);
        return http.request({ ...reporting(operation, fitted.leftOut), headers }, call);
      });
    },
    update: async (id, asked, { assignmentRule, duplicateRule, ...call } = {}) => {
      const headers = headersOf(org, object, { assignmentRule, duplicateRule }, { isNew: false });
      const operation = `${name}.update`;
      const fields = await labels.toIds(object, asked, false);
      const request = toOperation(operation, endpoints.update, [id, fields]);
      const textOf = async () => (await get(id, { ...call, fields: ['Description'] }))?.['Description'];
      const send = async ({ fields: own, leftOut }: Fitted) => {
        if (!dialect.hasOwnFields(object, own)) return { id };
        const isChanged = leftOut.length > 0 || own['Description'] !== fields['Description'];
        const fitted = isChanged ? toOperation(operation, endpoints.update, [id, own]) : request;
        await http.request({ ...reporting(fitted, leftOut), headers }, call);
        return { id };
      };
      await writeFitted({ ...writing('update'), id }, fields, send, textOf);
      for (const link of dialect.links(object, id, fields)) {
        await http.request({ operation, ...link, withoutKeys: 'again', returns: readNothing }, call);
      }
      return { id };
    },
    upsert: async (by, asked, { assignmentRule, duplicateRule, ...call } = {}) => {
      const operation = `${name}.upsert`;
      const headers = headersOf(org, object, { assignmentRule, duplicateRule }, { isNew: true });
      const fields = await labels.toIds(object, asked, false);
      toOperation(operation, endpoints.upsert, [by?.field, by?.value, fields]);
      assertDeclared(operation, object, by.field, rules);
      let left: readonly string[] = [];
      const upserted = await writeFitted(writing('upsert'), fields, ({ fields: fitted, leftOut }) => {
        left = leftOut;
        // The description of a record that's there already isn't known here.
        const rest = withoutUndefined(leftOut.length > 0 ? { ...fitted, Description: fields['Description'] } : fitted);
        // Salesforce refuses its key among the fields, and a record without any field can't be sent.
        const own = Object.keys(rest).length > 0 ? rest : { [by.field]: by.value };
        const request = toOperation(operation, endpoints.upsert, [by.field, by.value, own]);
        return http.request({ ...request, ...dialect.upsert(object, by, own, org.clock), headers }, call);
      });
      const own = Object.fromEntries(left.map((field) => [field, fields[field]]));
      const kept = { ...keptInText(inText, object, upserted.id, fields), ...own };
      if (Object.keys(kept).length > 0) await records.update(upserted.id, kept, call);
      return upserted;
    },
    delete: async (id, call = {}) => {
      const { callId, lane } = call;
      const isGone = async (time: RequestOptions) => ((await get(id, { callId, lane, ...time })) ? undefined : { id });
      await http.request(
        { ...toOperation(`${name}.delete`, endpoints.delete, [id]), withoutKeys: { lookUp: isGone } },
        call,
      );
    },
  };
  return records;
};

type Endpoints = ReturnType<typeof endpointsOf>;

const createGet = (object: string, org: Org, endpoints: Endpoints): AnyRecords['get'] => {
  const { http, labels } = org;
  const operation = `${operationsOf(object)}.get`;
  const methods = createMethods(http, operationsOf(object), { get: endpoints.get });

  const readOne: AnyRecords['get'] = async (id, { fields, ...call } = {}) => {
    if (!fields) return methods.get(id, undefined, call);
    // Programs in JavaScript may pass one name.
    if (!Array.isArray(fields)) throw new InvalidArgumentError('fields', 'must be a list of names', { operation });
    const select = ['Id', ...fields.filter((field) => field !== 'Id')];
    const request = findBy(operation, { object, org, endpoints }, { select, field: 'Id', value: id });
    if (!select.some((field) => field.includes('.'))) return methods.get(id, select, call);
    checkArgument(operation, idSchema, id, 'id');
    // Fields of parents can only be asked for in a query.
    const { data } = await http.request(request, call);
    return data[0];
  };

  return async (id, options = {}) => {
    if (Array.isArray(options.fields ?? [])) labels.prepare(object, options.fields);
    const row = await readOne(id, options);
    return row && (await labels.toLabels(object, [row]))[0];
  };
};

interface Place {
  readonly object: string;
  readonly org: Org;
  readonly endpoints: Endpoints;
}

/** The search of one record by the value of a field. */
const findBy = (
  operation: string,
  { object, org, endpoints }: Place,
  { select, field, value }: { readonly select: readonly string[]; readonly field: string; readonly value: string },
) => {
  const query: RowQuery = { select, from: object, where: { field, operator: '=', value } };
  const q = writeFor(operation, org, query);
  return toOperation(operation, endpoints.search, [{ q, query, limit: 1 }]);
};

/** A key belongs to one record: repeating the request, in any process, makes no second one. */
const createOperation = (
  { lookUp, ...place }: Place & { readonly lookUp: FindCreated | undefined },
  fields: AnyFields,
  { idempotencyKey, callId, lane }: RequestOptions,
) => {
  const { object, org, endpoints } = place;
  const { http, dialect } = org;
  const operation = `${operationsOf(object)}.create`;
  const keyField = dialect.keyField(object);
  if (keyField !== undefined && Object.hasOwn(Object(fields), keyField)) throw writtenByClient(operation, keyField);
  if (keyField !== undefined && idempotencyKey !== undefined)
    return toOperation(operation, endpoints.upsert, [keyField, idempotencyKey, fields]);
  const reference = dialect.referenceField(object);
  if (reference !== undefined && idempotencyKey !== undefined && Object(fields)[reference] === undefined) {
    const search = findBy(operation, place, { select: ['Id'], field: reference, value: idempotencyKey });
    const findByReference = async (time: RequestOptions) => {
      const [found] = (await http.request(search, { callId, lane, ...time })).data;
      return found && { id: found.Id };
    };
    const written = toOperation(operation, endpoints.create, [{ ...fields, [reference]: idempotencyKey }]);
    return { withoutKeys: { lookUp: findByReference }, ...written };
  }
  const request = toOperation(operation, endpoints.create, [fields]);
  const known = dialect.lookUp(object, fields);
  if (known === 'never' || (known === 'search' && !lookUp)) return request;
  const find = (call: RequestOptions) =>
    known === 'search'
      ? lookUp?.(fields, call)
      : http.request({ operation, ...known, absentOn404: true, returns: readMade }, call);
  return {
    withoutKeys: { lookUp: async (time: RequestOptions) => find({ callId, lane, ...time }) },
    ...request,
  };
};
