import type { AttemptEvent, IntegrationEvent, ToolRunEvent, WaitReason } from './events.ts';

/** The end of one use of an endpoint: of an operation, a tool, a destination, or a receiver of webhooks. */
export interface EndpointResult {
  /** `neutral` says nothing about the endpoint: the caller hung up, it wasn't due, or the sender is unknown. */
  readonly result: 'ok' | 'failed' | 'neutral';
  /** The reason of a failure, in one word. */
  readonly error: string | undefined;
}

/** Returns the result that metrics count; `undefined` for an event that ends nothing. */
export const resultOf = (event: IntegrationEvent): EndpointResult | undefined => {
  switch (event.type) {
    case 'call': {
      const { error } = event;
      const result = !error ? 'ok' : error.code === 'aborted' ? 'neutral' : 'failed';
      return { result, error: error && (error.reason === undefined ? error.code : `${error.code}/${error.reason}`) };
    }
    case 'tool-run': {
      const { status, reason = status } = event;
      if (status === 'done') return { result: 'ok', error: undefined };
      return { result: status === 'failed' || status === 'unknown' ? 'failed' : 'neutral', error: reason };
    }
    case 'delivery': {
      const { outcome, reason } = event;
      const result = outcome === 'delivered' ? 'ok' : outcome === 'postponed' ? 'neutral' : 'failed';
      return { result, error: reason };
    }
    case 'webhook-received': {
      const { outcome, status = 0, reason, error } = event;
      if (outcome !== 'refused' && outcome !== 'failed') return { result: 'ok', error: undefined };
      // Before a delivery is verified, anyone can send it.
      const isUnknown = outcome === 'refused' && [401, 403, 405].includes(status);
      return { result: isUnknown ? 'neutral' : 'failed', error: reason ?? error?.code };
    }
    default:
      return undefined;
  }
};

/** Tokens that the model didn't have to read: an estimate, since JSON has more signs and fewer words than prose. */
export const tokensSaved = ({ resultChars, fullChars = 0 }: ToolRunEvent): number =>
  Math.round(Math.max(0, fullChars - resultChars) / charsPerToken);

const charsPerToken = 3;

/** Says if the attempt reached the network; otherwise it was refused before it was sent. */
export const wasSent = ({ error }: AttemptEvent): boolean => !refusedHere.has(error?.code ?? '');

const refusedHere: ReadonlySet<string> = new Set([
  'circuit_open',
  'rate_limited',
  'quota_exceeded',
  'authentication_failed',
  'deadline_exceeded',
]);

/**
 * Returns the reason for another attempt: the wait before it, or `credential` after a 401. `undefined` for a first
 * attempt.
 */
export const whyAgain = (event: AttemptEvent): WaitReason | 'credential' | undefined => {
  if (event.attempt === 1 || !wasSent(event)) return undefined;
  return event.waits.find(({ reason }) => reason !== 'rate_limit')?.reason ?? 'credential';
};
