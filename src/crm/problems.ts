import type { ApiProblem } from '../core/errors.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { HttpResponse } from '../http/request.ts';
import { fieldsOf, jsonIn, type JsonObject, objectsIn } from '../stores/ports/json.ts';

/** The CRM may refuse a record with a 2xx that says `success: false`. It then counts as a 400 with the same body. */
export const rejectUnsuccessful = (response: HttpResponse): HttpResponse =>
  response.status < 300 && saysUnsuccessful.test(response.text) && fieldsOf(jsonIn(response.text))['success'] === false
    ? { ...response, status: 400 }
    : response;

/** Checked before every answer is parsed. */
const saysUnsuccessful = /"success"\s*:\s*false/;

/** No request is sent for so long once those of a day are used up; then one asks again. */
export const usedUpPauseMs = 15 * 60_000;

/** The problems of a refusal: a list, or `errors` below an answer with `success: false`. */
export const problemsIn = (json: unknown): readonly ApiProblem[] =>
  objectsIn(fieldsOf(json)['errors'] ?? json).flatMap((problem) => {
    // Items of collections spell it the second way.
    const code = problem['errorCode'] ?? problem['statusCode'];
    if (typeof code !== 'string') return [];
    const { message, fields } = problem;
    const ids = duplicateMatches(problem).map(({ id }) => id);
    return withoutUndefined({
      code,
      message: typeof message === 'string' ? message : undefined,
      fields: Array.isArray(fields) ? fields.filter((field) => typeof field === 'string') : undefined,
      ids: ids.length > 0 ? ids : undefined,
    });
  });

/** A record that a refused one duplicates, and its type where the CRM says it. */
export interface DuplicateMatch {
  readonly id: string;
  readonly type: unknown;
}

/** The records that one error of a list names as duplicates, in its fields or in its message. */
export const duplicateMatches = (problem: JsonObject): readonly DuplicateMatch[] => [
  ...inResult(problem),
  ...inMessage(problem),
];

/** Salesforce spells the field `duplicateResut` in some versions. */
const inResult = (problem: JsonObject): readonly DuplicateMatch[] => {
  const { matchResults } = fieldsOf(problem['duplicateResult'] ?? problem['duplicateResut']);
  return objectsIn(matchResults).flatMap(({ entityType, matchRecords }) =>
    objectsIn(matchRecords).flatMap((matched) => {
      const { Id: id, attributes } = fieldsOf(matched['record']);
      return typeof id === 'string' ? [{ id, type: entityType ?? fieldsOf(attributes)['type'] }] : [];
    }),
  );
};

/** `duplicate value found: Email duplicates value on record with id: 00Q…` */
const inMessage = ({ errorCode, statusCode, message }: JsonObject): readonly DuplicateMatch[] => {
  if ((errorCode ?? statusCode) !== 'DUPLICATE_VALUE' || typeof message !== 'string') return [];
  const [, id] = /\bid\s*[:=]\s*(\w+)/.exec(message) ?? [];
  return id === undefined ? [] : [{ id, type: undefined }];
};
