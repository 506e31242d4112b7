import { InvalidArgumentError } from '../../errors.ts';
import type { CrmObject } from '../objects.ts';
import { isFieldName } from '../query.ts';

/** The field in which an object keeps our keys. Throws `InvalidArgumentError` for what is no custom field. */
export const externalIdFields = (
  option: string | Readonly<Partial<Record<CrmObject, string>>> | undefined,
): ((object: string) => string | undefined) => {
  const names = typeof option === 'string' ? [option] : Object.values(option ?? {});
  for (const name of names) {
    if (typeof name !== 'string' || !isFieldName(name) || !name.endsWith('__c'))
      throw new InvalidArgumentError('externalIdField', 'must be a custom field (…__c) that is marked as external id');
  }
  return (object) => (typeof option === 'string' ? option : option?.[object as CrmObject]);
};
