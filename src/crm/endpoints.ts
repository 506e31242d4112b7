import { entry } from '../api/entry.ts';
import { readList } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, readNothing, readOptional, ShapeError } from '../core/schema.ts';
import type { FieldRules } from './declared.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';

/** The operations on the records of one object. */
export type RecordEndpoints = ReturnType<typeof recordEndpoints>;

/**
 * The operations on one object, such as `Lead`: the same for each. The default API has creating and searching; reading,
 * changing and deleting by id are the real CRM's. A dialect overrides entries.
 */
export const recordEndpoints = (object: string, rules: FieldRules | undefined) => {
  const record = read.recordOf(object, rules);
  const fields = check.fieldsSchema(object, rules);

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

/** The answer of several writes, as Salesforce words it. */
export const compositeSchema = z.lazily(() =>
  z.object({
    compositeResponse: z.array(
      z.object({ referenceId: z.string(), httpStatusCode: z.int(), body: z.optional(z.unknown()) }),
    ),
  }),
);

const madeSchema = z.lazily(() => z.object({ id: z.string() }));

/** The parts of a composite that were done, by their names, with the ids that the answer gives. None has failed. */
const compositeIds: Reader<ReadonlyMap<string, string | undefined>> = (json) => {
  const answer = compositeSchema().safeParse(json);
  if (!answer.success) throw new ShapeError('compositeResponse', 'must list what became of each part');
  return new Map(
    answer.data.compositeResponse.map(({ referenceId, httpStatusCode, body }) => {
      if (httpStatusCode >= 300) throw new ShapeError(referenceId, 'must be done');
      return [referenceId, madeSchema().safeParse(body).data?.id] as const;
    }),
  );
};

/** Several writes in one request, as the real CRM does them; the default API has nothing like it. */
export const compositeEndpoint = entry({
  method: 'POST',
  path: 'composite',
  takes: z.lazily<object>(() => z.custom<object>()),
  returns: compositeIds,
});
