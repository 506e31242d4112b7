import type { ApiProblem } from '../../errors.ts';
import { parseJson } from '../../http/json.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { AnyFields } from '../records.ts';

/** What HubSpot says was wrong: single properties first, then the category of the whole. */
export const problemsOf = ({ text }: HttpResponse): readonly ApiProblem[] => {
  const body = fieldsOf(jsonOf(text));
  const message = textOf(body['message']);
  const code = textOf(body['category']) ?? textOf(body['policyName']) ?? textOf(body['errorType']);
  const ids = [...(message ?? '').matchAll(/\bExisting ID:\s*(\d+)/g)].map(([, id = '']) => id);
  const properties = [...listOf(body['errors']), ...inMessage(message ?? '')].flatMap((problem) => {
    const own = textOf(problem['code']) ?? textOf(problem['error']);
    if (own === undefined) return [];
    const names = listed(fieldsOf(problem['context'])['propertyName']) ?? listed([problem['name']]) ?? [];
    return [withDetails(own, textOf(problem['message']), names, [])];
  });
  return code === undefined ? properties : [...properties, withDetails(code, message, [], ids)];
};

const withDetails = (
  code: string,
  message: string | undefined,
  fields: readonly string[],
  ids: readonly string[],
): ApiProblem => ({
  code,
  ...(message === undefined ? {} : { message }),
  ...(fields.length > 0 ? { fields } : {}),
  ...(ids.length > 0 ? { ids } : {}),
});

/** `Property values were not valid: [{"error":"PROPERTY_DOESNT_EXIST","name":"x"}]` */
const inMessage = (message: string): readonly AnyFields[] => {
  const at = message.indexOf('[{');
  return at === -1 ? [] : listOf(jsonOf(message.slice(at)));
};

/** A batch of which nothing was done answers 207 with the reasons: that is a refusal. */
export const unwrapBatch = (response: HttpResponse): HttpResponse => {
  if (response.status !== 207) return response;
  const body = fieldsOf(jsonOf(response.text));
  const [first] = listOf(body['errors']);
  if (!first || listOf(body['results']).length > 0) return response;
  return { ...response, status: first['category'] === 'CONFLICT' ? 409 : 400, text: JSON.stringify(first) };
};

const jsonOf = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

const isFields = (value: unknown): value is AnyFields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): AnyFields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly AnyFields[] => (Array.isArray(value) ? value.filter(isFields) : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const listed = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && typeof value[0] === 'string' ? value.filter((each) => typeof each === 'string') : undefined;
