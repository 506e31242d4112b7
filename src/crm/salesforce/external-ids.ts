import { InvalidArgumentError } from '../../errors.ts';
import type { CrmObject } from '../dialect.ts';
import { isFieldName } from '../query.ts';

/** The fields in which the org keeps our keys. */
export interface ExternalIds {
  readonly fieldOf: (object: CrmObject) => string | undefined;
  /** The other fields of a record. Throws `InvalidArgumentError` when the key's is among them. */
  readonly without: (object: CrmObject, fields: object) => object;
}

/** Throws `InvalidArgumentError` for what is no custom field. */
export const createExternalIds = (
  option: string | Readonly<Partial<Record<CrmObject, string>>> | undefined,
): ExternalIds => {
  const names = typeof option === 'string' ? [option] : Object.values(option ?? {});
  for (const name of names) {
    if (typeof name !== 'string' || !isFieldName(name) || !name.endsWith('__c'))
      throw new InvalidArgumentError('externalIdField', 'must be a custom field (…__c) that is marked as external id');
  }
  const fieldOf = (object: CrmObject) => (typeof option === 'string' ? option : option?.[object]);
  return {
    fieldOf,
    without: (object, fields) => {
      const field = fieldOf(object);
      if (field !== undefined && Object.hasOwn(fields, field))
        throw new InvalidArgumentError(field, 'is written by the client itself, from the idempotency key');
      return fields;
    },
  };
};
