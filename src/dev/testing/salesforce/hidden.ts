import { Refused } from '../refused.ts';

/** The fields that the org hides from its integration user, by object. */
export type HiddenFields = Readonly<Record<string, readonly string[]>>;

/** Refuses a hidden field in the words for one that isn't there, as field-level security does. */
export const refuseHidden = (
  hidden: HiddenFields,
  object: string,
  names: readonly string[],
  use: 'query' | 'write',
): void => {
  const field = names.find((name) => hidden[object]?.includes(name));
  if (field === undefined) return;
  const where = use === 'query' ? `entity '${object}'` : `sobject of type ${object}`;
  throw new Refused(400, 'INVALID_FIELD', `No such column '${field}' on ${where}`);
};
