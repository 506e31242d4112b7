import type { FakeApiOptions } from '../api-options.ts';

/** The behaviour of a fake account of Stripe. */
export interface FakeStripeOptions extends Pick<FakeApiOptions, 'credentials' | 'rateLimit' | 'latencyMs' | 'bodies'> {
  readonly dialect: 'stripe';
  /** The only version it speaks. A request without one is refused, though the real one takes it. @defaultValue '2026-10-28.endive' */
  readonly version?: string | undefined;
  /** Milliseconds in which the search doesn't know a new customer. @defaultValue 60000 */
  readonly searchDelayMs?: number | undefined;
  /** The connected account that holds everything: requests need it in `Stripe-Account`. @defaultValue none is needed */
  readonly account?: string | undefined;
  /** Rows of a list in one answer, whatever `limit` says. @defaultValue as many as `limit` allows */
  readonly pageSize?: number | undefined;
}
