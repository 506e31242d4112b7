import { fillPath, toOperation } from '../api/entry.ts';
import { id as idSchema } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { checkArgument, ShapeError } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { CrmSchemas, FieldsFor } from './declared.ts';
import { compositeEndpoint } from './endpoints.ts';
import { assertDeclared, assertObject, fieldsSchema } from './fields.ts';
import type { AnyFields } from './object-table.ts';
import { endpointsOf, headersOf, type Org } from './records.ts';
import type { ExternalId } from './where.ts';
import type { WriteRules } from './write-rules.ts';

/** The id of what another part of the same composite made. */
export interface PartId {
  readonly idOf: string;
}

/**
 * The id of what an earlier part makes, as the value of a field.
 *
 * @example
 * contact: { create: 'Contact', fields: { LastName: 'Okafor', AccountId: idOf('account') } },
 */
export const idOf = (part: string): PartId => ({ idOf: part });

/** The fields that a part writes. */
type PartFields<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | PartId };

/** One write of several, to one object. A value may be the id of what an earlier part made. */
export type CompositePart<Schemas = CrmSchemas, Object extends string = string> =
  | ({ readonly create: Object; readonly fields: PartFields<FieldsFor<Schemas, Object>> } & WriteRules)
  | ({
      readonly update: Object;
      readonly id: string;
      readonly fields: PartFields<FieldsFor<Schemas, Object>>;
    } & WriteRules)
  | ({
      readonly upsert: Object;
      readonly by: ExternalId<FieldsFor<Schemas, Object>>;
      readonly fields: PartFields<FieldsFor<Schemas, Object>>;
    } & WriteRules)
  | { readonly delete: Object; readonly id: string };

/** Several writes, by a name of yours, each to its object. They're done in this order. */
export type CompositeParts<Schemas = CrmSchemas, Objects = Readonly<Record<string, string>>> = {
  readonly [Name in keyof Objects]: CompositePart<Schemas, Objects[Name] & string>;
};

/** The id of each part's record. */
export type CompositeResult<Parts> = { readonly [Name in keyof Parts]: { readonly id: string } };

/** Does several writes in one request, all of them or none. */
export const sendComposite = async <const Parts extends CompositeParts>(
  org: Org,
  operation: string,
  parts: Parts,
  call?: RequestOptions,
): Promise<CompositeResult<Parts>> => {
  if (org.dialect.refusesComposite !== undefined)
    throw new InvalidArgumentError('parts', org.dialect.refusesComposite, { operation });
  const named = Object.entries(parts);
  if (named.length === 0 || named.length > mostParts)
    throw new InvalidArgumentError('parts', `must be 1 to ${mostParts} writes`, { operation });
  const requests = named.map(([name, part], index) => {
    const before = named.slice(0, index).map(([earlier]) => earlier);
    return requestOf(org, operation, name, part, before);
  });
  const made = await send(org, operation, requests, named, call);
  // Each part has become the id of its record.
  return Object.fromEntries(
    named.map(([name, part]) => [name, { id: 'id' in part ? part.id : made.get(name) }]),
  ) as CompositeResult<Parts>;
};

/** Salesforce's most in one request. */
const mostParts = 25;

const send = (
  { http, dialect }: Org,
  operation: string,
  compositeRequest: readonly object[],
  named: readonly (readonly [string, CompositePart])[],
  call: RequestOptions | undefined,
) => {
  const isSameAgain = named.every(([, part]) => 'upsert' in part || 'update' in part);
  const request = toOperation(operation, { ...compositeEndpoint, ...dialect.composite }, [
    { allOrNone: true, compositeRequest },
  ]);
  return http.request(
    {
      ...request,
      returns: (json, context) => {
        const made = request.returns(json, context);
        for (const [name, part] of named) {
          if (!made.has(name)) throw new ShapeError(name, 'must be done');
          if (!('id' in part) && !made.get(name)) throw new ShapeError(`${name}.id`, 'must be the id of the record');
        }
        return made;
      },
      // An upsert or update says itself which record it writes. Anything else could be done twice.
      withoutKeys: isSameAgain ? 'key' : 'never',
    },
    call,
  );
};

const requestOf = (org: Org, operation: string, name: string, part: CompositePart, before: readonly string[]) => {
  if (!/^[A-Za-z]\w*$/.test(name)) throw new InvalidArgumentError(name, 'must be a plain name', { operation });
  const [action, object] = actionOf(part);
  if (!action) throw new InvalidArgumentError(name, 'must create, update, upsert or delete', { operation });
  assertObject(operation, object);
  const check = (value: string, field: string) => checkArgument(operation, idSchema, value, `${name}.${field}`);
  const declared = (field: string) => {
    assertDeclared(operation, object, field, org.rulesOf(object));
    return field;
  };
  const ids = {
    id: 'id' in part ? check(part.id, 'id') : '',
    field: 'upsert' in part ? declared(check(part.by?.field, 'by.field')) : '',
    value: 'upsert' in part ? check(part.by?.value, 'by.value') : '',
  };
  const { method, path } = endpointsOf(object, org)[action];
  const rules: WriteRules = 'delete' in part ? {} : part;
  const headers = headersOf(org, object, rules, { isNew: action !== 'update' });
  return {
    method,
    url: `/${org.pathPrefix}${fillPath(path, ids)}`,
    referenceId: name,
    body: 'fields' in part ? writtenFields(org, operation, { name, object, fields: part.fields, before }) : undefined,
    httpHeaders: action === 'delete' || Object.keys(headers).length === 0 ? undefined : headers,
  };
};

const actionOf = (part: CompositePart) => {
  if (typeof part !== 'object' || part === null) return [];
  if ('create' in part) return ['create', part.create] as const;
  if ('update' in part) return ['update', part.update] as const;
  if ('upsert' in part) return ['upsert', part.upsert] as const;
  return 'delete' in part ? (['delete', part.delete] as const) : [];
};

const writtenFields = (
  { rulesOf }: Org,
  operation: string,
  { name, object, fields, before }: { name: string; object: string; fields: AnyFields; before: readonly string[] },
): object => {
  const entries = Object.entries(Object(fields) as AnyFields);
  // An id that isn't known yet is checked as any id would be.
  const plain = entries.map(([field, value]) => [field, isPartId(value) ? 'id' : value]);
  const checked = checkArgument(operation, fieldsSchema(object, rulesOf(object)), Object.fromEntries(plain), name);
  return Object.fromEntries(
    Object.entries(checked).map(([field, value]) => {
      const original = fields[field];
      if (!isPartId(original)) return [field, typeof value === 'string' ? withoutReferences(value) : value];
      if (before.includes(original.idOf)) return [field, `@{${original.idOf}.id}`];
      throw new InvalidArgumentError(`${name}.${field}`, 'must be the id of an earlier part', { operation });
    }),
  );
};

const isPartId = (value: unknown): value is PartId =>
  typeof value === 'object' && value !== null && 'idOf' in value && typeof value.idOf === 'string';

/** `@{…}` refers to what another part answered, and there's no escape for it: what a caller said must not be read as one. */
const withoutReferences = (value: string): string => value.replaceAll('@{', '@ {');
