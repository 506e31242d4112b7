import { sanitizeBody } from '../observability/sanitize-body.ts';

/** What was sent, sanitised: a body is JSON, or the query of a GET. */
export const bodyForPeople = (body: string): unknown => {
  try {
    return sanitizeBody(JSON.parse(body));
  } catch {
    return sanitizeBody(Object.fromEntries(new URLSearchParams(body)));
  }
};
