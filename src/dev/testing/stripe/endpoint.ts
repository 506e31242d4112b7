import type { OperationName } from '../operations.ts';
import type { BillingStore } from '../store/billing.ts';
import type { FormValue } from './form.ts';

/** A request of Stripe's API that is known to have only parameters that are taken. */
export interface StripeCall {
  readonly store: BillingStore;
  readonly id: string;
  /** The parameters of the address for a GET, of the form for a POST. */
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
  /** The parts that `expand` may name. They stay ids. */
  readonly expands: readonly string[];
  readonly required?: string;
  /** Throws `Refused`. */
  readonly answer: (call: StripeCall) => object;
}
