import { createMethods, overrideEntries, toOperation } from '../api/entry.ts';
import { id as idSchema } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { HttpClient, RequestOptions } from '../http/operation.ts';
import type { LocalClock } from '../core/local-clock.ts';
import { checkArgument, readNothing, readOptional } from '../core/schema.ts';
import type { RecordClient } from './client.ts';
import type { FieldRules } from './declared.ts';
import type { CrmDialect } from './dialect.ts';
import { recordEndpoints } from './endpoints.ts';
import { assertDeclared } from './fields.ts';
import type { Labels } from './labels.ts';
import { type FieldsInText, type Fitted, keptInText, reporting, writeFitted } from './left-out.ts';
import { isStandard, standardObjects } from './objects.ts';
import type { AnyFields, AnyRecord, CreatedRecord } from './object-table.ts';
import { fieldsIn, writeQuery } from './query.ts';
import type { SearchWay } from './search-query.ts';
import type { Condition, Query } from './where.ts';
import { created } from './readers.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { ruleHeaders } from './write-rules.ts';

/** What the operations of one org share. */
export interface Org {
  readonly http: HttpClient;
  readonly dialect: CrmDialect;
  /** The time zone of the business. */
  readonly clock: LocalClock;
  readonly labels: Labels;
  /** What every path begins with. */
  readonly pathPrefix: string;
  /** The part of a search that the CRM takes, by object, where it has refused more. */
  readonly ways: Map<string, SearchWay>;
  /** The fields that the CRM hides from this user, by object, as far as searches found them. */
  readonly hidden: Map<string, Set<string>>;
  readonly inText: FieldsInText;
  /** What was declared of an object's fields. */
  readonly rulesOf: (object: string) => FieldRules | undefined;
}

/** Finds out whether a new record is there, when the API knows no idempotency keys. */
export type LookUp = (fields: AnyFields, call: RequestOptions) => Promise<CreatedRecord | undefined>;

/** The entries of one object, as this org's dialect has them. */
export const endpointsOf = (object: string, { dialect, rulesOf, clock }: Org) =>
  overrideEntries(recordEndpoints(object, rulesOf(object)), dialect.endpoints(object, clock));

const readMade = readOptional(created);

/** The name that operations on an object begin with: `crm.leads`, `crm.Asset__c`. */
export const operationsOf = (object: string): string =>
  `crm.${isStandard(object) ? standardObjects[object].resource : object}`;

/** Writes a query. Throws `InvalidArgumentError` for a field that wasn't declared, where fields were. */
export const writeFor = (operation: string, { rulesOf, clock }: Org, query: Query): string => {
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

/** Reading, writing and deleting the records of one object. */
export const createRecords = (object: string, org: Org, lookUp?: LookUp): Omit<AnyRecords, 'search' | 'searchAll'> => {
  const { http, dialect, labels } = org;
  const name = operationsOf(object);
  const endpoints = endpointsOf(object, org);
  const methods = createMethods(http, name, endpoints);

  const readOne: AnyRecords['get'] = async (id, { fields, ...call } = {}) => {
    if (!fields) return methods.get(id, undefined, call);
    // Programs in JavaScript may pass one name.
    if (!Array.isArray(fields))
      throw new InvalidArgumentError('fields', 'must be a list of names', { operation: `${name}.get` });
    const select = ['Id', ...fields.filter((field) => field !== 'Id')];
    const byId: Condition = { field: 'Id', operator: '=', value: id };
    const query: Query = { select, from: object, where: byId };
    const q = writeFor(`${name}.get`, org, query);
    if (!select.some((field) => field.includes('.'))) return methods.get(id, select, call);
    checkArgument(`${name}.get`, idSchema, id, 'id');
    // Fields of parents can only be asked for in a query.
    const { data } = await http.request(toOperation(`${name}.get`, endpoints.search, [{ q, query, limit: 1 }]), call);
    return data[0];
  };

  const get: AnyRecords['get'] = async (id, options = {}) => {
    if (Array.isArray(options.fields ?? [])) labels.prepare(object, options.fields);
    const row = await readOne(id, options);
    return row && (await labels.toLabels(object, [row]))[0];
  };

  /** A key belongs to one record: repeating the request, in any process, makes no second one. */
  const operationOfCreate = (fields: AnyFields, { idempotencyKey, callId, lane }: RequestOptions) => {
    const operation = `${name}.create`;
    const keyField = dialect.keyField(object);
    if (keyField !== undefined && Object.hasOwn(Object(fields), keyField)) throw writtenByClient(operation, keyField);
    if (keyField !== undefined && idempotencyKey !== undefined)
      return toOperation(operation, endpoints.upsert, [keyField, idempotencyKey, fields]);
    const reference = dialect.referenceField(object);
    if (reference !== undefined && idempotencyKey !== undefined && Object(fields)[reference] === undefined) {
      const query: Query = {
        select: ['Id'],
        from: object,
        where: { field: reference, operator: '=', value: idempotencyKey },
      };
      const q = writeFor(operation, org, query);
      const search = toOperation(operation, endpoints.search, [{ q, query, limit: 1 }]);
      const findByReference = async (time: RequestOptions) => {
        const [found] = (await http.request(search, { callId, lane, ...time })).data;
        return found && { id: found.Id };
      };
      const written = toOperation(operation, endpoints.create, [{ ...fields, [reference]: idempotencyKey }]);
      return { withoutKeys: { lookUp: findByReference }, ...written };
    }
    const request = toOperation(operation, endpoints.create, [fields]);
    const known = dialect.lookUp(object, fields);
    const find: LookUp | undefined =
      known === 'search'
        ? lookUp
        : known === 'never'
          ? undefined
          : (_fields, call) => http.request({ operation, ...known, absentOn404: true, returns: readMade }, call);
    return {
      withoutKeys: find && { lookUp: (time: RequestOptions) => find(fields, { callId, lane, ...time }) },
      ...request,
    };
  };

  const writing = (action: string) => {
    const rules = org.rulesOf(object);
    return { operation: `${name}.${action}`, object, dialect, rules, inText: org.inText };
  };

  const records: Omit<AnyRecords, 'search' | 'searchAll'> = {
    get,
    create: async (fields, { assignmentRule, duplicateRule, ...call } = {}) => {
      const headers = { ...dialect.createHeaders(object), ...ruleHeaders(object, { assignmentRule, duplicateRule }) };
      return writeFitted(writing('create'), await labels.toIds(object, fields, true), (fitted) =>
        http.request({ ...reporting(operationOfCreate(fitted.fields, call), fitted.leftOut), headers }, call),
      );
    },
    update: async (id, given, { assignmentRule, duplicateRule, ...call } = {}) => {
      const headers = ruleHeaders(object, { assignmentRule, duplicateRule });
      const operation = `${name}.update`;
      const fields = await labels.toIds(object, given, false);
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
    upsert: async (by, given, { assignmentRule, duplicateRule, ...call } = {}) => {
      const operation = `${name}.upsert`;
      const headers = { ...dialect.createHeaders(object), ...ruleHeaders(object, { assignmentRule, duplicateRule }) };
      const fields = await labels.toIds(object, given, false);
      toOperation(operation, endpoints.upsert, [by?.field, by?.value, fields]);
      assertDeclared(operation, object, by.field, org.rulesOf(object));
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
      const inText = { ...keptInText(org.inText, object, upserted.id, fields), ...own };
      if (Object.keys(inText).length > 0) await records.update(upserted.id, inText, call);
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
