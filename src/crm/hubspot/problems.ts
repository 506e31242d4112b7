import type { ApiProblem } from '../../core/errors.ts';
import { fieldsOf, type JsonObject, objectsIn, parseJson } from '../../stores/ports/json.ts';
import type { HttpResponse } from '../../http/response.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

/** What HubSpot says was wrong: single properties first, then the category of the whole. */
export const problemsOf = ({ text }: HttpResponse): readonly ApiProblem[] => {
  const body = fieldsOf(jsonOf(text));
  const message = textOf(body['message']);
  const code = textOf(body['category']) ?? textOf(body['policyName']) ?? textOf(body['errorType']);
  const ids = [...(message ?? '').matchAll(/\bExisting ID:\s*(\d+)/g)].map(([, id = '']) => id);
  const properties = [...objectsIn(body['errors']), ...inMessage(message ?? '')].flatMap((problem) => {
    const own = textOf(problem['code']) ?? textOf(problem['error']);
    if (own === undefined) return [];
    const names = listed(fieldsOf(problem['context'])['propertyName']) ?? listed([problem['name']]) ?? [];
    return [withDetails(own, textOf(problem['message']), names, [])];
  });
  return code === undefined ? properties : [...properties, withDetails(code, message, [], ids)];
};

/** By which HubSpot says what became of one record of a batch. */
export const traceId = 'objectWriteTraceId';

const withDetails = (
  code: string,
  message: string | undefined,
  fields: readonly string[],
  ids: readonly string[],
): ApiProblem =>
  withoutUndefined({
    code,
    message,
    fields: fields.length > 0 ? fields : undefined,
    ids: ids.length > 0 ? ids : undefined,
  });

/** `Property values were not valid: [{"error":"PROPERTY_DOESNT_EXIST","name":"x"}]` */
const inMessage = (message: string): readonly JsonObject[] => {
  const at = message.indexOf('[{');
  return at === -1 ? [] : objectsIn(jsonOf(message.slice(at)));
};

/**
 * An upsert and an association of one record are batches too: an answer with `errors` and no result is a refusal,
 * whatever its status. Descriptions of 2026-09 list no 207 any more (HubSpot/HubSpot-public-api-spec-collection,
 * 2026-08-21), so the body alone says it. Of a batch of the user's, each record has a result of its own.
 */
export const rejectRefused = (response: HttpResponse): HttpResponse => {
  if (response.status < 200 || response.status > 299 || !response.text.includes('"errors"')) return response;
  const body = fieldsOf(jsonOf(response.text));
  const [first, ...others] = objectsIn(body['errors']);
  const context = fieldsOf(first?.['context']);
  const isOfBatch = (first?.['category'] === 'OBJECT_NOT_FOUND' && 'ids' in context) || traceId in context;
  if (!first || others.length > 0 || isOfBatch || objectsIn(body['results']).length > 0) return response;
  return { ...response, status: first['category'] === 'CONFLICT' ? 409 : 400, text: JSON.stringify(first) };
};

const jsonOf = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const listed = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && typeof value[0] === 'string' ? value.filter((each) => typeof each === 'string') : undefined;
