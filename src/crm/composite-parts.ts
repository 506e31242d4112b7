import type { CrmSchemas, FieldsFor } from './declared.ts';
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
