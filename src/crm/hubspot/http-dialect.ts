import type { ApiProblem } from '../../core/errors.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { type ApiUsage, type Classify, classifyByStatus, type HttpDialect } from '../../http/dialect.ts';
import type { HttpResponse } from '../../http/request.ts';
import { fieldsOf, jsonIn, type JsonObject, objectsIn } from '../../stores/ports/json.ts';
import { usedUpPauseMs } from '../problems.ts';

/** The refusals and limits of HubSpot. */
export const hubspotHttp = (): HttpDialect => ({
  unwrap: rejectRefused,
  classify,
  problemsOf,
  retryAfterMs,
  searchLimit,
  usageOf,
  usedUpForMs,
});

/** A locked record (423) and a busy migration (477) pass. */
const classify: Classify = (status) => (status === 423 || status === 477 ? 'transient' : classifyByStatus(status));

/** HubSpot says which limit it was: that of a day, of ten seconds, or of one second. */
const retryAfterMs = (response: HttpResponse): number | undefined => {
  if (classifyByStatus(response.status) !== 'limited' || response.headers.has('retry-after')) return undefined;
  const text = `${response.text} ${problemsOf(response)
    .map(({ code }) => code)
    .join(' ')}`;
  if (/"DAILY"|daily limit/i.test(text)) return usedUpPauseMs;
  return /TEN_SECONDLY|ten_secondly/.test(text)
    ? Number(response.headers.get('x-hubspot-ratelimit-interval-milliseconds') ?? 10_000)
    : 1_000;
};

/**
 * Five a second for all apps of an account: https://developers.hubspot.com/docs/api-reference/search/guide#limitations.
 * Their answers have no headers of limits. HubSpot counts when they arrive, which bunches them.
 */
const searchLimit: NonNullable<HttpDialect['searchLimit']> = {
  limit: 5,
  perMs: 1_200,
  isSearch: ({ method, url }) => method === 'POST' && url.endsWith('/search'),
};

/**
 * Waits a tenth of HubSpot's ten rolling seconds after `X-HubSpot-RateLimit-Remaining: 0`: some requests are free again by
 * then. See https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines.
 */
const usedUpForMs = (headers: ReadonlyMap<string, string>): number | undefined =>
  headers.get('x-hubspot-ratelimit-remaining') === '0'
    ? Number(headers.get('x-hubspot-ratelimit-interval-milliseconds') ?? 10_000) / 10
    : undefined;

/** `X-HubSpot-RateLimit-Daily: 250000` and `-Daily-Remaining: 249000`; private apps alone have them. */
const usageOf = (headers: ReadonlyMap<string, string>): ApiUsage | undefined => {
  const limit = Number(headers.get('x-hubspot-ratelimit-daily') ?? Number.NaN);
  const left = Number(headers.get('x-hubspot-ratelimit-daily-remaining') ?? Number.NaN);
  return Number.isFinite(limit) && Number.isFinite(left) ? { used: limit - left, limit } : undefined;
};

/** The problems of a refusal: single properties first, then the category of the whole. */
export const problemsOf = ({ text }: HttpResponse): readonly ApiProblem[] => {
  const body = fieldsOf(jsonIn(text));
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

/** The name of a write's number in a batch, which results and errors repeat. */
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
  return at === -1 ? [] : objectsIn(jsonIn(message.slice(at)));
};

/**
 * An upsert and an association of one record are batches too: an answer with `errors` and no result is a refusal,
 * whatever its status. Descriptions of 2026-09 list no 207 any more (HubSpot/HubSpot-public-api-spec-collection,
 * 2026-08-21), so the body alone says it. Of a batch of the user's, each record has a result of its own.
 */
const rejectRefused = (response: HttpResponse): HttpResponse => {
  if (response.status < 200 || response.status > 299 || !response.text.includes('"errors"')) return response;
  const body = fieldsOf(jsonIn(response.text));
  const [first, ...others] = objectsIn(body['errors']);
  const context = fieldsOf(first?.['context']);
  const isOfBatch = (first?.['category'] === 'OBJECT_NOT_FOUND' && 'ids' in context) || traceId in context;
  if (!first || others.length > 0 || isOfBatch || objectsIn(body['results']).length > 0) return response;
  return { ...response, status: first['category'] === 'CONFLICT' ? 409 : 400, text: JSON.stringify(first) };
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const listed = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && typeof value[0] === 'string' ? value.filter((each) => typeof each === 'string') : undefined;
