import { InvalidArgumentError } from '../core/errors.ts';

/**
 * Makes a path in which every value is one encoded segment: an id can change neither the route nor the query.
 * Throws `InvalidArgumentError` for an empty id and for `.` and `..`, which URLs resolve away.
 *
 * @example
 * path: path`conversations/${conversationId}/parts`,
 */
export const path = (strings: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  strings.reduce((before, text, index) => `${before}${segment(values[index - 1])}${text}`);

const segment = (value: string | number | undefined): string => {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof text !== 'string' || text === '') throw new InvalidArgumentError('id', 'must be a text that is not empty');
  if (text === '.' || text === '..') throw new InvalidArgumentError('id', 'must not be "." or ".."');
  if (!text.isWellFormed()) throw new InvalidArgumentError('id', 'must be well-formed Unicode');
  return encodeURIComponent(text);
};
