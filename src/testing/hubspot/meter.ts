import type { RequestMeter } from '../handle.ts';
import { Refused } from '../refused.ts';

/** HubSpot's two limits: of ten seconds and of a day. The answers of searches say nothing of them; here all others do. */
export const createHubSpotMeter = (perTenSeconds: number, daily: number): RequestMeter => {
  const recent: number[] = [];
  let today = 0;
  const enter = () => {
    while (recent[0] !== undefined && recent[0] <= Date.now() - 10_000) recent.shift();
  };
  const refuse = (message: string, policyName: string) =>
    new Refused(429, 'RATE_LIMITS', message, { more: { errorType: 'RATE_LIMIT', policyName } });
  return {
    count: () => {
      enter();
      if (today >= daily) throw refuse('You have reached your daily limit.', 'DAILY');
      if (recent.length >= perTenSeconds)
        throw refuse('You have reached your ten_secondly_rolling limit.', 'TEN_SECONDLY_ROLLING');
      today += 1;
      recent.push(Date.now());
    },
    headers: () => {
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
