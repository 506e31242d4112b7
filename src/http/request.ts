import type { Deadline } from './deadline.ts';
import type { CallPlan } from './plan.ts';
import type { Progress, Sending } from './progress.ts';
import type { HttpResponse } from './response.ts';

/** What repeating the request may do: nothing, nothing more than once, or anything. */
export type Effect = 'read' | 'keyed-write' | 'unsafe-write';

/** One request on its way down the stack. Middleware passes a changed copy on; it never changes this one. */
export interface HttpRequest {
  /** Such as `billing.payments.create`. */
  readonly operation: string;
  readonly effect: Effect;
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of the whole call, its other attempts included. */
  readonly deadline: Deadline;
  /** Aborts when the caller gives up or the deadline passes. */
  readonly signal: AbortSignal;
  /** 1 for the first. */
  readonly attempt: number;
  /** Of a write; the same for each attempt. */
  readonly idempotencyKey?: string;
  /** What the operation and its caller decided for this call. */
  readonly plan: CallPlan;
  /** What has happened so far in this call; the stack's own bookkeeping. */
  readonly progress: Progress;
  /** The same of this attempt. */
  readonly sending: Sending;
}

/**
 * Stands around a whole call or around each attempt: hands the request on with `next`, as it is or as a changed copy,
 * and gives back the answer. What it throws ends the call.
 */
export type Middleware = (
  request: HttpRequest,
  next: (request: HttpRequest) => Promise<HttpResponse>,
) => Promise<HttpResponse>;

/**
 * Puts one request on the wire and reads the whole answer.
 * Throws `AttemptFailedError` when there is no answer (what else it throws is taken for one whose outcome is unknown),
 * `UnexpectedResponseError` when it is too large, and the signal's reason when it aborts. Never follows a redirect.
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;
