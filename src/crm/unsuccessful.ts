import type { ApiProblem } from '../core/errors.ts';
import { parseJson } from '../stores/ports/json.ts';
import type { HttpResponse } from '../http/response.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/** The CRM may refuse a record with a 2xx that says `success: false`. It then counts as a 400 with the same body. */
export const rejectUnsuccessful = (response: HttpResponse): HttpResponse =>
  response.status < 300 && saysUnsuccessful.test(response.text) && readAnswer(response)?.success === false
    ? { ...response, status: 400 }
    : response;

/** The errors that such an answer lists. */
export const unsuccessfulProblems = (response: HttpResponse): readonly ApiProblem[] => {
  const errors = readAnswer(response)?.errors;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: Readonly<Record<string, unknown>> | null) => {
    const code = error?.['statusCode'] ?? error?.['errorCode'];
    const { message, fields } = error ?? {};
    if (typeof code !== 'string') return [];
    return withoutUndefined({
      code,
      message: typeof message === 'string' ? message : undefined,
      fields: Array.isArray(fields) ? fields.filter((field) => typeof field === 'string') : undefined,
    });
  });
};

/** Checked before every answer is parsed. */
const saysUnsuccessful = /"success"\s*:\s*false/;

const readAnswer = ({ text }: HttpResponse): { readonly success?: unknown; readonly errors?: unknown } | undefined => {
  try {
    const json = parseJson(text);
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
};
