import type { RequestMeter } from '../pipeline.ts';
import { Refused } from '../refused.ts';
import { createRequestWindow } from '../request-window.ts';

/** HubSpot's limits: of ten seconds, of a day, and of a second's searches, whose answers say nothing of them. */
export const createHubSpotMeter = (perTenSeconds: number, daily: number): RequestMeter => {
  const recent: number[] = [];
  const searches = createRequestWindow({ limit: 5, perMs: 1_000 });
  let today = 0;
  const enter = () => {
    while (recent[0] !== undefined && recent[0] <= Date.now() - 10_000) recent.shift();
  };
  const refuse = (message: string, policyName: string) =>
    new Refused(429, 'RATE_LIMITS', message, { more: { errorType: 'RATE_LIMIT', policyName } });
  return {
    count: (path) => {
      enter();
      if (today >= daily) throw refuse('You have reached your daily limit.', 'DAILY');
      if (recent.length >= perTenSeconds)
        throw refuse('You have reached your ten_secondly_rolling limit.', 'TEN_SECONDLY_ROLLING');
      if (isSearch(path) && searches.take(performance.now()) > 0)
        throw refuse('You have reached your secondly limit.', 'SECONDLY');
      today += 1;
      recent.push(Date.now());
    },
    headers: (path) => {
      if (isSearch(path)) return {};
      enter();
      return {
        'x-hubspot-ratelimit-daily': String(daily),
        'x-hubspot-ratelimit-daily-remaining': String(daily - today),
        'x-hubspot-ratelimit-interval-milliseconds': '10000',
        'x-hubspot-ratelimit-max': String(perTenSeconds),
        'x-hubspot-ratelimit-remaining': String(perTenSeconds - recent.length),
      };
    },
  };
};

const isSearch = (path: string): boolean => path.endsWith('/search');
