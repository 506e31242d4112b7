import { type ApiUsage, type Classify, classifyByStatus } from '../../http/dialect.ts';
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

/** `X-HubSpot-RateLimit-Daily: 250000` and `-Daily-Remaining: 249000`; private apps alone have them. */
export const usageOf = (headers: ReadonlyMap<string, string>): ApiUsage | undefined => {
  const limit = Number(headers.get('x-hubspot-ratelimit-daily') ?? Number.NaN);
  const left = Number(headers.get('x-hubspot-ratelimit-daily-remaining') ?? Number.NaN);
  return Number.isFinite(limit) && Number.isFinite(left) ? { used: limit - left, limit } : undefined;
};
