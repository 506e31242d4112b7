import { InvalidArgumentError } from '../../errors.ts';
import { path } from '../../http/path.ts';
import type { HttpResponse } from '../../http/response.ts';
import * as z from '../../schema.ts';
import { ShapeError } from '../../schema.ts';
import type { LeadWithTaskOperation } from '../dialect.ts';
import type { CreatedRecord } from '../records.ts';
import { jsonOf } from './json-of.ts';

/**
 * A lead and the Task about it by the composite resource: two upserts in one request, both done or neither, so that
 * repeating it makes no second record.
 */
export const createLeadWithTask = (
  keyField: (object: string) => string | undefined,
  headers: Readonly<Record<string, string>>,
): LeadWithTaskOperation => ({
  endpoint: ({ lead, task, keys, version }) => {
    const write = (object: 'Lead' | 'Task', referenceId: string, key: string, fields: object) => ({
      method: 'PATCH',
      url: `/services/data/v${version}/${path`sobjects/${object}/${keyField(object) ?? ''}/${key}`}`,
      referenceId,
      body: fields,
      ...(Object.keys(headers).length > 0 && { httpHeaders: headers }),
    });
    return {
      method: 'POST',
      path: 'composite',
      withoutKeys: 'key',
      body: {
        allOrNone: true,
        compositeRequest: [
          write('Lead', 'lead', keys.lead, withoutReferences(without(keyField('Lead'), lead))),
          write('Task', 'task', keys.task, {
            ...withoutReferences(without(keyField('Task'), task)),
            WhoId: '@{lead.id}',
          }),
        ],
      },
    };
  },
  returns: (json) => {
    const parts = compositeSchema().safeParse(json).data?.compositeResponse ?? [];
    const created = (referenceId: string): CreatedRecord => {
      const part = parts.find((each) => each.referenceId === referenceId);
      const id = part && bodySchema().safeParse(part.body).data?.id;
      if (id === undefined) throw new ShapeError(`${referenceId}.id`, 'must be the id of what was made');
      return { id };
    };
    return { lead: created('lead'), task: created('task') };
  },
});

const without = (field: string | undefined, fields: object): object => {
  if (field === undefined || !Object.hasOwn(fields, field)) return fields;
  throw new InvalidArgumentError(field, 'is written by the client itself, from the idempotency key');
};

/**
 * Everywhere within a part, `@{…}` refers to what another part answered, and there is no escape for it: what a caller
 * said must not be read as one.
 */
const withoutReferences = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('@{', '@ {') : value,
    ]),
  );

/** A composite answers 200 also when it did nothing: what it answers then is what its failed part did. */
export const unwrapComposite = (response: HttpResponse): HttpResponse => {
  if (response.status !== 200 || !isComposite.test(response.text)) return response;
  const parts = compositeSchema().safeParse(jsonOf(response.text)).data?.compositeResponse ?? [];
  const failed = parts.filter(({ httpStatusCode }) => httpStatusCode >= 300);
  // The others say only that they were halted because of it.
  const cause = failed.find(({ body }) => !JSON.stringify(body ?? '').includes('PROCESSING_HALTED')) ?? failed[0];
  return cause ? { ...response, status: cause.httpStatusCode, text: JSON.stringify(cause.body ?? null) } : response;
};

/** Checked before every 200 is parsed. */
const isComposite = /^\s*\{\s*"compositeResponse"/;

const bodySchema = z.lazily(() => z.object({ id: z.string() }));

const compositeSchema = z.lazily(() =>
  z.object({
    compositeResponse: z.array(
      z.object({ referenceId: z.string(), httpStatusCode: z.int(), body: z.optional(z.unknown()) }),
    ),
  }),
);
