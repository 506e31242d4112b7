import { fieldsOf, isJsonObject, parseJson } from '../stores/ports/json.ts';
import type { HttpResponse } from './response.ts';

/**
 * Returns whether a success says in its body that nothing was done, for writes whose answer isn't read: `false`,
 * `success` or `ok` that is `false`, an `error` or `errors` that isn't empty, or a status that is an error's. A record may
 * have the status `error`, and what says `ok: true` next to an error is done.
 */
export const saysFailed = ({ status, text }: HttpResponse): boolean => {
  if (status < 200 || status >= 300 || text === '') return false;
  try {
    return isFailure(parseJson(text));
  } catch {
    return false;
  }
};

const isFailure = (json: unknown): boolean => {
  if (Array.isArray(json)) return json.some(isFailure);
  if (!isJsonObject(json)) return json === false;
  const { success = json['ok'], error, errors, status = json['statusCode'], ...others } = json;
  if (isNo(success)) return true;
  if (success !== undefined && success !== null) return false;
  if (isSaid(error) || isSaid(errors)) return true;
  const isRecord = 'id' in json || 'Id' in json;
  if (!isRecord && isErrorStatus(status)) return true;
  // An envelope: one object, perhaps next to a status.
  const inner = Object.values(others).filter(isJsonObject);
  return !isRecord && inner.length === 1 && isNo(fieldsOf(inner[0])['success'] ?? fieldsOf(inner[0])['ok']);
};

const isNo = (value: unknown): boolean => value === false || value === 'false' || value === 0;

const isSaid = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : !!value && value !== 'false';

const isErrorStatus = (status: unknown): boolean =>
  typeof status === 'number'
    ? status >= 400
    : typeof status === 'string' && /^(?:error|fail(?:ed|ure)?)$/i.test(status);
