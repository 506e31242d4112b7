import type { ApiProblem } from '../../core/errors.ts';
import type { HttpResponse } from '../../http/response.ts';
import { fieldsOf, isJsonObject } from '../../stores/ports/json.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { duplicateMatches } from '../duplicate-matches.ts';
import { jsonOf } from './json-of.ts';

/** The codes, messages and fields of an answer, and the records it names: of an error list, or of a doubled external id. */
export const problemsOf = ({ status, text }: HttpResponse): readonly ApiProblem[] => {
  const json = jsonOf(text);
  // What was refused with `success: false` lists its errors below it.
  const answer = listOf(fieldsOf(json)['errors'] ?? json);
  if (status === 300) return severalMatch(answer);
  return answer.filter(isJsonObject).flatMap((problem) => {
    // Items of collections spell it the second way.
    const code = problem['errorCode'] ?? problem['statusCode'];
    if (typeof code !== 'string') return [];
    const { message, fields } = problem;
    const ids = duplicateMatches(problem).map(({ id }) => id);
    return withoutUndefined({
      code,
      message: typeof message === 'string' ? message : undefined,
      fields: Array.isArray(fields) ? fields.filter(isText) : undefined,
      ids: ids.length > 0 ? ids : undefined,
    });
  });
};

/** A bare list of addresses: `/services/data/v60.0/sobjects/Lead/00Q…`. */
const severalMatch = (addresses: readonly unknown[]): readonly ApiProblem[] => [
  {
    code: 'DUPLICATE_EXTERNAL_ID',
    message: 'several records have this external id',
    ids: addresses.filter(isText).flatMap((address) => /\/(\w{15,18})$/.exec(address)?.[1] ?? []),
  },
];

const isText = (value: unknown): value is string => typeof value === 'string';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
