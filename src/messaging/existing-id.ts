import type { ClientError } from '../core/errors.ts';
import { fieldsOf, type JsonObject, objectsIn } from '../stores/ports/json.ts';

/**
 * Returns the id of the record that a refusal is about. The dialect reads it where it can. Otherwise it's in a field of
 * the error, or only in its words: `already exists with id=63a07ddf`.
 */
export const existingId = ({ problems, details }: ClientError): string | undefined =>
  problems.flatMap(({ ids = [] }) => ids)[0] ?? idInDetails(details);

const idInDetails = (details: unknown): string | undefined => {
  for (const error of errorsIn(details)) {
    if (typeof error['existing_id'] === 'string') return error['existing_id'];
    const id = idInWords(error['message']);
    if (id) return id;
  }
  return undefined;
};

/** An id as a message of the platform writes it: at its end, after what it may repeat of the caller's own words. */
export const idInWords = (message: unknown): string | undefined =>
  typeof message === 'string' ? [...message.matchAll(/\bid\s*[=:]\s*["']?([\w-]+)/g)].at(-1)?.[1] : undefined;

const errorsIn = (details: unknown): readonly JsonObject[] => {
  if (typeof details === 'string') return [{ message: details }];
  const { errors } = fieldsOf(details);
  return Array.isArray(errors) ? objectsIn(errors) : [fieldsOf(details)];
};
