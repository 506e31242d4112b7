import type { ApiProblem } from '../../core/errors.ts';
import { type ApiUsage, type Classify, classifyByStatus, type HttpDialect } from '../../http/dialect.ts';
import type { HttpResponse } from '../../http/request.ts';
import { jsonIn } from '../../stores/ports/json.ts';
import { compositeSchema } from '../endpoints.ts';
import { problemsIn, rejectUnsuccessful, usedUpPauseMs } from '../problems.ts';

/** The refusals and limits of Salesforce. */
export const salesforceHttp = (options: { readonly retryLockedRows: boolean }) =>
  ({
    unwrap: (response) => rejectUnsuccessful(unwrapComposite(response)),
    classify: createClassify(options),
    problemsOf,
    provesNothingDone: ['UNABLE_TO_LOCK_ROW'],
    retryAfterMs,
    usageOf,
    isOutdated: (status) => status === 410,
  }) satisfies HttpDialect;

/** A composite answers 200 also when it did nothing: what it answers then is what its failed part did. */
const unwrapComposite = (response: HttpResponse): HttpResponse => {
  if (response.status !== 200 || !isComposite.test(response.text)) return response;
  const parts = compositeSchema().safeParse(jsonIn(response.text)).data?.compositeResponse ?? [];
  const failed = parts.filter(({ httpStatusCode }) => httpStatusCode >= 300);
  // The others say only that they were halted because of it.
  const cause = failed.find(({ body }) => !JSON.stringify(body ?? '').includes('PROCESSING_HALTED')) ?? failed[0];
  return cause ? { ...response, status: cause.httpStatusCode, text: JSON.stringify(cause.body ?? null) } : response;
};

/** Checked before every 200 is parsed. */
const isComposite = /^\s*\{\s*"compositeResponse"/;

/**
 * A 403 may mean too many requests, and a 400 that another writer holds the record: with `retryLockedRows` that is
 * worth repeating.
 */
const createClassify =
  ({ retryLockedRows }: { readonly retryLockedRows: boolean }): Classify =>
  (status, text) => {
    const usual = classifyByStatus(status);
    if (usual !== 'client') return usual;
    if (has(text, status, 'REQUEST_LIMIT_EXCEEDED')) return 'limited';
    return retryLockedRows && has(text, status, 'UNABLE_TO_LOCK_ROW') ? 'transient' : 'client';
  };

/**
 * The wait after a refusal for too many requests. It's long if those of 24 hours are used up. It's `undefined`, the usual
 * second, if too many ran at the same time.
 */
const retryAfterMs = ({ status, text, headers }: HttpResponse): number | undefined => {
  const refusal = problemsOf({ status, text, headers }).find(({ code }) => code === 'REQUEST_LIMIT_EXCEEDED');
  if (!refusal) return undefined;
  const usage = usageOf(headers);
  // The numbers may be missing, or some requests old.
  const isUsedUp = (usage && usage.used >= usage.limit) || /TotalRequests/i.test(refusal.message ?? '');
  return isUsedUp ? usedUpPauseMs : undefined;
};

/** `Sforce-Limit-Info: api-usage=25/15000`, over 24 hours that roll on, by all applications of the org. */
const usageOf = (headers: ReadonlyMap<string, string>): ApiUsage | undefined => {
  const [, used, limit] = /\bapi-usage=(\d+)\/(\d+)/.exec(headers.get('sforce-limit-info') ?? '') ?? [];
  return used === undefined || limit === undefined ? undefined : { used: Number(used), limit: Number(limit) };
};

const has = (text: string, status: number, wanted: string): boolean =>
  // Most refusals are recognised from their text, without being parsed.
  text.includes(wanted) && problemsOf({ status, text, headers: new Map() }).some(({ code }) => code === wanted);

/** The codes, messages and fields of an answer, and the records it names: of an error list, or of a doubled external id. */
const problemsOf = ({ status, text }: HttpResponse): readonly ApiProblem[] => {
  const json = jsonIn(text);
  return status === 300 && Array.isArray(json) ? severalMatch(json) : problemsIn(json);
};

/** A bare list of addresses: `/services/data/v60.0/sobjects/Lead/00Q…`. */
const severalMatch = (addresses: readonly unknown[]): readonly ApiProblem[] => [
  {
    code: 'DUPLICATE_EXTERNAL_ID',
    message: 'several records have this external id',
    ids: addresses.flatMap((address) => /\/(\w{15,18})$/.exec(String(address))?.[1] ?? []),
  },
];
