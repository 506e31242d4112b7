import type { IntegrationError, Outcome } from '../errors.ts';
import type { WaitReason } from '../observability/events.ts';
import type { Span } from '../observability/tracer.ts';
import type { IssuedCredential } from './credential.ts';

/** What an attempt did to the other system. `sent` while no answer is there. */
export type AttemptOutcome = Outcome | 'sent' | 'ok';

/** A wait before a request was sent, and why. */
export interface Wait {
  readonly reason: WaitReason;
  readonly ms: number;
}

/** What is known of one attempt on its way. Two attempts of one call may be on their way at once. */
export interface Sending {
  /** Which entry of the call's attempts it is, once it was handed to the transport. */
  place: number | undefined;
  /** The time it was given. */
  timeoutMs: number | undefined;
  /** Its credential was read. */
  isSigned: boolean;
  /** All sockets that this transport may open are busy. */
  waitsForSocket: boolean;
  /** What it waited for, in order. */
  readonly waits: Wait[];
  /** What follows it, where somebody does. */
  readonly span?: Span | undefined;
}

export const startSending = (waits: readonly Wait[] = [], span?: Span): Sending => ({
  place: undefined,
  timeoutMs: undefined,
  isSigned: false,
  waitsForSocket: false,
  waits: waits.length === 0 ? [] : [...waits],
  span,
});

/** What became of this attempt, as soon as it is known. Of one that never left, nothing is told. */
const tellOutcome = (
  { progress, sending }: { readonly progress: Progress; readonly sending: Sending },
  outcome: AttemptOutcome,
): void => {
  if (sending.place !== undefined) progress.attempts[sending.place] = outcome;
};

/**
 * For a transport that knows whether a byte of this attempt may have left. Of one that does not say, it is taken to
 * have left as soon as it was handed over.
 */
export const tellWhetherSent = (
  attempt: { readonly progress: Progress; readonly sending: Sending },
  mayHaveLeft: boolean,
): void => tellOutcome(attempt, mayHaveLeft ? 'sent' : 'not_sent');

/** What has happened so far in one call. Written by the layers, read when the call ends, also from outside. */
export interface Progress {
  readonly startedAt: number;
  /** One entry per request that was handed to the transport. */
  attempts: AttemptOutcome[];
  /** The last failure of an attempt that was sent. */
  lastFailure: IntegrationError | undefined;
  /** The waits before the coming attempt, which takes them. */
  waits: Wait[];
  /** What the last attempt was signed with. */
  credential: IssuedCredential | undefined;
  /** The status of the last answer. */
  status: number | undefined;
  /** The answer is that of another call's request, for the same read. */
  isShared: boolean;
}

export const startProgress = (startedAt: number): Progress => ({
  startedAt,
  attempts: [],
  lastFailure: undefined,
  waits: [],
  credential: undefined,
  status: undefined,
  isShared: false,
});

/**
 * What is known of the whole call: `unknown` if any attempt may have had its effect, else `rejected` if any was
 * refused by the API, else `not_sent`.
 */
export const outcomeOf = ({ attempts }: Progress): Outcome => {
  if (attempts.some((outcome) => outcome === 'unknown' || outcome === 'sent' || outcome === 'ok')) return 'unknown';
  return attempts.includes('rejected') ? 'rejected' : 'not_sent';
};
