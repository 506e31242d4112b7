import type { IntegrationError, Outcome } from '../errors.ts';
import type { WaitReason } from '../observability/events.ts';
import type { IssuedCredential } from './credential.ts';

/** What an attempt did to the other system. `sent` while no answer is there. */
export type AttemptOutcome = Outcome | 'sent' | 'ok';

/** What has happened so far in one call. Written by the layers, read when the call ends, also from outside. */
export interface Progress {
  readonly startedAt: number;
  /** One entry per request that was handed to the transport. */
  readonly attempts: AttemptOutcome[];
  /** The last failure of an attempt that was sent. */
  lastFailure: IntegrationError | undefined;
  /** The waits before the coming attempt; its event takes them. */
  waits: { reason: WaitReason; ms: number }[];
  /** What the last attempt was signed with. */
  credential: IssuedCredential | undefined;
  /** The status of the last answer. */
  status: number | undefined;
}

export const startProgress = (startedAt: number): Progress => ({
  startedAt,
  attempts: [],
  lastFailure: undefined,
  waits: [],
  credential: undefined,
  status: undefined,
});

/**
 * What is known of the whole call: `unknown` if any attempt may have had its effect, else `rejected` if any was
 * refused by the API, else `not_sent`.
 */
export const outcomeOf = ({ attempts }: Progress): Outcome => {
  if (attempts.some((outcome) => outcome === 'unknown' || outcome === 'sent' || outcome === 'ok')) return 'unknown';
  return attempts.includes('rejected') ? 'rejected' : 'not_sent';
};
