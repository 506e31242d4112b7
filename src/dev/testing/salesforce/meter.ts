import { Refused } from '../refused.ts';

/** The org's requests of the last 24 hours, which never pass in a test. */
export const createMeter = (limit: number) => {
  let used = 0;
  const header = () => ({ 'sforce-limit-info': `api-usage=${Math.min(used, limit)}/${limit}` });
  return {
    count: (): void => {
      used += 1;
      if (used > limit) throw new Refused(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.');
    },
    headers: header,
    usage: () => ({ used: Math.min(used, limit), limit }),
    useUp: (): void => {
      used = limit;
    },
    startAnew: (): void => {
      used = 0;
    },
  };
};
