import type { AnyFields } from './records.ts';

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

/** One write of several. A value may be the id of what an earlier part made. */
export type CompositePart =
  | { readonly create: string; readonly fields: AnyFields }
  | { readonly update: string; readonly id: string; readonly fields: AnyFields }
  | {
      readonly upsert: string;
      readonly by: { readonly field: string; readonly value: string };
      readonly fields: AnyFields;
    }
  | { readonly delete: string; readonly id: string };

/** Several writes, by a name of yours. They're done in this order. */
export type CompositeParts = Readonly<Record<string, CompositePart>>;

/** The id of each part's record. */
export type CompositeResult<Parts> = { readonly [Name in keyof Parts]: { readonly id: string } };
