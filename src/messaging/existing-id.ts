import type { ClientError } from '../errors.ts';

/**
 * The id of the record that a refusal is about. The dialect reads it where it can; else platforms give it in a field of
 * their error, or only in its words: `already exists with id=63a07ddf`.
 */
export const existingId = ({ problems, details }: ClientError): string | undefined =>
  problems.flatMap(({ ids = [] }) => ids)[0] ?? idInDetails(details);

const idInDetails = (details: unknown): string | undefined => {
  for (const error of listOf(details)) {
    if (typeof error['existing_id'] === 'string') return error['existing_id'];
    const id = idInWords(error['message']);
    if (id) return id;
  }
  return undefined;
};

/** An id as a message of the platform writes it: at its end, after what it may repeat of the caller's own words. */
export const idInWords = (message: unknown): string | undefined =>
  typeof message === 'string' ? [...message.matchAll(/\bid\s*[=:]\s*["']?([\w-]+)/g)].at(-1)?.[1] : undefined;

type Fields = Readonly<Record<string, unknown>>;

const listOf = (details: unknown): readonly Fields[] => {
  if (typeof details === 'string') return [{ message: details }];
  if (!isFields(details)) return [];
  const errors = details['errors'];
  return Array.isArray(errors) ? errors.filter(isFields) : [details];
};

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
