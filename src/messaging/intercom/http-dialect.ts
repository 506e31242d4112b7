import type { ApiProblem } from '../../core/errors.ts';
import type { HttpDialect } from '../../http/dialect.ts';
import { fieldsOf, objectsIn, parseJson } from '../../stores/ports/json.ts';
import type { HttpResponse } from '../../http/response.ts';
import { serverTime } from '../../http/retry-after.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { idInWords } from '../existing-id.ts';

/** How Intercom words refusals and limits. */
export const intercomHttp: HttpDialect = {
  problemsOf: (response) => listedIn(response.text).map((problem) => toProblem(problem, response)),
  provesNothingDone: ['rate_limit_exceeded', 'too_many_requests'],
  // No Retry-After is documented: X-RateLimit-Reset says in UNIX seconds when the window of 10 seconds ends.
  retryAfterMs: ({ status, headers }, wallNow) => {
    if (status !== 429 || headers.has('retry-after')) return undefined;
    return untilReset(headers, wallNow);
  },
  usedUpForMs: (headers, wallNow) => {
    if (headers.get('x-ratelimit-remaining') !== '0') return undefined;
    return Math.min(untilReset(headers, wallNow) ?? 0, windowMs);
  },
  isOutdated: (_status, problems) => problems.some(({ code }) => code === 'intercom_version_invalid'),
};

const untilReset = (headers: ReadonlyMap<string, string>, wallNow: number): number | undefined => {
  const resetAt = Number(headers.get('x-ratelimit-reset') || Number.NaN);
  return resetAt > 0 ? Math.max(0, resetAt * 1_000 - serverTime(headers, wallNow)) : undefined;
};

/** How long one window of the limit is. A success never makes the next call wait longer. */
const windowMs = 10_000;

type Listed = Readonly<Record<string, unknown>>;

/** `{ type: 'error.list', errors: [{ code, message, field }] }`; what is none, such as a proxy's page, names nothing. */
const listedIn = (text: string): readonly Listed[] => {
  try {
    return objectsIn(fieldsOf(parseJson(text))['errors']);
  } catch {
    return [];
  }
};

const toProblem = ({ code, message, field }: Listed, { status, headers }: HttpResponse): ApiProblem => {
  const id = code === 'contact_merged' ? canonicalContact(headers) : status === 409 ? idInWords(message) : undefined;
  return withoutUndefined({
    code: String(code),
    message: typeof message === 'string' ? message : undefined,
    fields: typeof field === 'string' ? [field] : undefined,
    ids: id === undefined ? undefined : [id],
  });
};

/** `Link: </contacts/6762f0d0>; rel="canonical"` names the contact that this one was merged into. Source: RFC 8288. */
const canonicalContact = (headers: ReadonlyMap<string, string>): string | undefined =>
  /<[^>]*\/contacts\/([\w-]+)>\s*;\s*rel="?canonical"?/.exec(headers.get('link') ?? '')?.[1];
