import type { FakePlatformEvent } from './contract.ts';
import { Refused } from '../refused.ts';

/** A fake org of Salesforce, its records aside. */
export interface FakeSalesforce {
  /** The platform events that were published, the oldest first. */
  readonly platformEvents: readonly FakePlatformEvent[];
  /** The requests of the last 24 hours, from any client. */
  readonly usage: { readonly used: number; readonly limit: number };
  /** Uses up the limit: from now on every request is one too many. */
  useUpRequests(): void;
  /** Ends the 24 hours: the count begins at 0 again. */
  resetUsage(): void;
  /** Every token that was issued ends; the next request with one is refused with 401 `INVALID_SESSION_ID`. */
  endSessions(): void;
}

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
    resetUsage: (): void => {
      used = 0;
    },
  };
};
