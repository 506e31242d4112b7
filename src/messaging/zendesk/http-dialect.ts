import type { ApiProblem } from '../../core/errors.ts';
import { classifyByStatus, type HttpDialect } from '../../http/dialect.ts';
import { parseJson } from '../../stores/ports/json.ts';

/**
 * How Zendesk words refusals and limits.
 * Source: developer.zendesk.com, introduction to the API: responses and rate limits.
 */
export const zendeskHttp: HttpDialect = {
  // 409: two requests met in one record, and this one was not done.
  classify: (status) => (status === 409 ? 'transient' : classifyByStatus(status)),
  problemsOf: ({ status, text }) => (status === 403 && missingScopeIn(text)) || problemsIn(text),
  provesNothingDone: ['DatabaseConflict'],
  usedUpForMs: (headers) => {
    if (headers.get('x-rate-limit-remaining') !== '0') return undefined;
    const seconds = Number(headers.get('ratelimit-reset') || Number.NaN);
    return seconds >= 0 ? Math.min(seconds, longestWindowSeconds) * 1_000 : undefined;
  },
};

/**
 * The scopes of which a token needs one. A role that isn't enough is `Forbidden`.
 * Source: answers of Zendesk in singer-io/tap-zendesk, read 2026-11-27.
 */
const missingScopeIn = (text: string): readonly ApiProblem[] | undefined => {
  const { description } = objectIn(text);
  const scopes = typeof description === 'string' && /required scopes?: *([\w: ,]{1,200})$/.exec(description)?.[1];
  if (typeof scopes !== 'string') return undefined;
  return [{ code: 'MissingScope', message: textOf(description), fields: scopes.split(/[ ,]+/) }];
};

/** The account's limit is per minute. */
const longestWindowSeconds = 60;

/**
 * `{ error, description, details: { email: [{ description, error }] } }`, or `{ error: { title, message } }`. What is
 * none, such as the plain text of a 429, names nothing.
 */
const problemsIn = (text: string): readonly ApiProblem[] => {
  const { error, description, details } = objectIn(text);
  if (typeof error === 'object' && error !== null) {
    const { title, message } = error as Fields;
    return [{ code: codeOf(title), message: textOf(message) }];
  }
  if (typeof error !== 'string') return [];
  const fields = Object.entries(Object(details) as Fields).flatMap(([field, problems]) =>
    (Array.isArray(problems) ? problems : []).map((problem: unknown): ApiProblem => {
      const own = Object(problem) as Fields;
      return { code: codeOf(own['error']), message: textOf(own['description']), fields: [field] };
    }),
  );
  return [{ code: codeOf(error), message: textOf(description) }, ...fields];
};

type Fields = Readonly<Record<string, unknown>>;

const objectIn = (text: string): Fields => {
  try {
    return Object(parseJson(text)) as Fields;
  } catch {
    return {};
  }
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What has no code of its own is invalid. */
const codeOf = (value: unknown): string => (typeof value === 'string' && /^\w+$/.test(value) ? value : 'Invalid');
