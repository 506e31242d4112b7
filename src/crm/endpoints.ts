import { entry } from '../api/entry.ts';
import { readList } from '../core/envelope.ts';
import { readNothing, readOptional } from '../core/schema.ts';
import type { FieldRules } from './declared.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';

/** The operations on the records of one object. */
export type RecordEndpoints = ReturnType<typeof recordEndpoints>;

/**
 * The operations on one object, such as `Lead`: the same for each. Creating and searching are as the default API
 * writes them; reading, changing and deleting by id, which it only names or doesn't have, as the real CRM does. A dialect
 * overrides entries.
 */
export const recordEndpoints = (object: string, rules: FieldRules | undefined) => {
  const record = read.recordOf(object, rules);
  const fields = check.fieldsOf(object, rules);

  return {
    get: entry({
      method: 'GET',
      path: `sobjects/${object}/{id}`,
      takes: check.selection,
      query: (fields) => ({ fields: fields?.join(',') }),
      absentOn404: true,
      returns: readOptional(record),
    }),
    create: entry({ method: 'POST', path: `sobjects/${object}/`, takes: fields, returns: read.createdOf(object) }),
    update: entry({
      method: 'PATCH',
      path: `sobjects/${object}/{id}`,
      takes: fields,
      withoutKeys: 'again',
      returns: readNothing,
    }),
    upsert: entry({
      method: 'PATCH',
      path: `sobjects/${object}/{field}/{value}`,
      takes: fields,
      // The path says which record it is.
      withoutKeys: 'key',
      returns: read.upserted,
    }),
    delete: entry({ method: 'DELETE', path: `sobjects/${object}/{id}`, returns: readNothing }),
    search: entry({
      method: 'POST',
      path: `sobjects/${object}/search`,
      takes: check.writtenQuery,
      body: ({ q, limit }) => ({ q, limit }),
      effect: 'read',
      returns: readList(record, { under: [...read.namesOf(object), 'searchRecords'] }),
    }),
  };
};

/** Several writes in one request, as the real CRM does them; the default API has nothing like it. */
export const compositeEndpoint = entry({
  method: 'POST',
  path: 'composite',
  takes: check.writtenComposite,
  returns: read.compositeIds,
});
