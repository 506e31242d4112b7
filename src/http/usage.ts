import type { Clock } from '../clock.ts';
import type { ApiUsage } from './dialect.ts';

/** What the API last said of its own budget. */
export interface UsageLedger {
  heard(usage: ApiUsage): void;
  last(): ApiUsage | undefined;
  /** The API refused since its budget is used up: nothing is sent for `ms`. */
  holdBack(ms: number): void;
  /** How long nothing is sent yet; 0 when requests may go out. */
  heldBackForMs(): number;
}

/** A number alone holds nobody back, since an API may well go on above its own limit: only its refusal does. */
export const createUsageLedger = ({ clock }: { readonly clock: Clock }): UsageLedger => {
  let last: ApiUsage | undefined;
  let until = Number.NEGATIVE_INFINITY;
  return {
    heard: (usage) => {
      last = usage;
    },
    last: () => last,
    holdBack: (ms) => {
      until = Math.max(until, clock.now() + ms);
    },
    heldBackForMs: () => Math.max(0, Math.ceil(until - clock.now())),
  };
};
