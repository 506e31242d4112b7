import { InvalidArgumentError } from '../../errors.ts';

/** An id as Zendesk writes it: a number. Throws `InvalidArgumentError` for anything else. */
export const numericId = (operation: string, field: string, id: string): number => {
  const number = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError(field, 'must be an id of Zendesk: a number, such as 361527', { operation });
};
