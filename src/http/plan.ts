import type { Lane } from '../ports/rate-limiter.ts';
import type { Deadline } from './deadline.ts';
import type { HttpResponse } from './response.ts';

/** What the operation and its caller decided for one call, before anything was sent. */
export interface CallPlan {
  readonly lane: Lane;
  readonly callId?: string;
  /** The caller's own limit for one attempt. */
  readonly attemptTimeoutMs?: number;
  /** One attempt may use all the time that is left. */
  readonly wholeDeadline: boolean;
  /** The client's cap on a body, after decompression. */
  readonly maximumBodyBytes?: number;
  /** Nothing is sent with less time left than this. */
  readonly minimumBudgetMs: number;
  /** Finds out whether an unrepeatable write was done. `undefined`: it was not. */
  readonly lookUp?: (options: { readonly deadline: Deadline; readonly signal: AbortSignal }) => Promise<unknown>;
  /** Payments: once it may have been sent, a caller who gives up is released and the payment goes on to its end. */
  readonly onReleased?: (end: Promise<HttpResponse>) => void;
}
