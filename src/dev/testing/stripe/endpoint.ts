import type { OperationName } from '../operations.ts';
import type { BillingStore } from '../store/billing.ts';
import type { FormValue } from './form.ts';

/** A request of Stripe's API that is known to have only parameters that are taken. */
export interface StripeCall {
  readonly store: BillingStore;
  readonly id: string;
  /** Those of the address for a GET, those of the form for a POST. */
  readonly params: Readonly<Record<string, FormValue>>;
  readonly idempotencyKey: string;
}

/** One endpoint of Stripe's API. */
export interface StripeEndpoint {
  readonly operation: OperationName;
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** The names of the parameters that it takes. */
  readonly takes: readonly string[];
  /** What `expand` may name. It stays an id. */
  readonly expands: readonly string[];
  readonly required?: string;
  /** Throws `Refused`. */
  readonly answer: (call: StripeCall) => object;
}
