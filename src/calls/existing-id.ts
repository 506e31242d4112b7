import type { ClientError } from '../errors.ts';

/**
 * The id of the record that a conflict is about. Platforms tell it in a field of their error, or only in its words:
 * `already exists with id=63a07ddf`.
 */
export const existingId = ({ details }: ClientError): string | undefined => {
  const errors = listOf(details);
  for (const error of errors) {
    if (typeof error['existing_id'] === 'string') return error['existing_id'];
    const { message } = error;
    const [, id] = (typeof message === 'string' && /\bid\s*[=:]\s*["']?([\w-]+)/.exec(message)) || [];
    if (id) return id;
  }
  return undefined;
};

type Fields = Readonly<Record<string, unknown>>;

const listOf = (details: unknown): readonly Fields[] => {
  if (typeof details === 'string') return [{ message: details }];
  if (!isFields(details)) return [];
  const errors = details['errors'];
  return Array.isArray(errors) ? errors.filter(isFields) : [details];
};

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
