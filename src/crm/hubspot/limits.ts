import { type ApiUsage, type Classify, classifyByStatus, type HttpDialect } from '../../http/dialect.ts';
import type { HttpResponse } from '../../http/response.ts';
import { problemsOf } from './problems.ts';

/** A locked record (423) and a busy migration (477) pass. */
export const classify: Classify = (status, text) =>
  status === 423 || status === 477 ? 'transient' : classifyByStatus(status, text);

/** Nothing is sent for so long once the requests of a day are used up; then one asks again. */
const usedUpPauseMs = 15 * 60_000;

/** HubSpot says which limit it was: that of a day, of ten seconds, or of one second. */
export const retryAfterMs = (response: HttpResponse): number | undefined => {
  if (response.status !== 429) return undefined;
  if (response.headers.has('retry-after')) return undefined;
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
export const searchLimit: NonNullable<HttpDialect['searchLimit']> = {
  limit: 5,
  perMs: 1_200,
  isSearch: ({ method, url }) => method === 'POST' && url.endsWith('/search'),
};

/**
 * With `X-HubSpot-RateLimit-Remaining: 0`, a tenth of its ten rolling seconds is waited: the time in which some requests
 * are free again. See https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines.
 */
export const usedUpForMs = (headers: ReadonlyMap<string, string>): number | undefined =>
  headers.get('x-hubspot-ratelimit-remaining') === '0'
    ? Number(headers.get('x-hubspot-ratelimit-interval-milliseconds') ?? 10_000) / 10
    : undefined;

/** `X-HubSpot-RateLimit-Daily: 250000` and `-Daily-Remaining: 249000`; private apps alone have them. */
export const usageOf = (headers: ReadonlyMap<string, string>): ApiUsage | undefined => {
  const limit = Number(headers.get('x-hubspot-ratelimit-daily') ?? Number.NaN);
  const left = Number(headers.get('x-hubspot-ratelimit-daily-remaining') ?? Number.NaN);
  return Number.isFinite(limit) && Number.isFinite(left) ? { used: limit - left, limit } : undefined;
};
