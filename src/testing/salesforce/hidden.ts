import { Refused } from '../refused.ts';

/** The fields that the org hides from its integration user, by object. */
export type HiddenFields = Readonly<Record<string, readonly string[]>>;

/** Refuses a hidden field in the words for one that isn't there, as field-level security does. */
export const refuseHidden = (hidden: HiddenFields, object: string, names: readonly string[], entity: string): void => {
  const field = names.find((name) => hidden[object]?.includes(name));
  if (field !== undefined)
    throw new Refused(400, 'INVALID_FIELD', `No such column '${field}' on ${entity} '${object}'`);
};
