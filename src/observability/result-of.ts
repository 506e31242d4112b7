import type { IntegrationEvent } from './events.ts';

/** How one use of an endpoint went: a call of an operation, a delivery to a destination, or a webhook of a receiver. */
export interface EndpointResult {
  readonly kind: 'call' | 'delivery' | 'webhook';
  /** The operation, the destination or the receiver. */
  readonly endpoint: string;
  /** The name of the event, of deliveries and webhooks. */
  readonly event: string | undefined;
  /** `neutral` says nothing about the endpoint: somebody hung up, or it was not its turn, or it came from nobody known. */
  readonly result: 'ok' | 'failed' | 'neutral';
  /** Why it failed, in one word. */
  readonly error: string | undefined;
  readonly durationMs: number;
}

/** What metrics and alerts count; `undefined` of an event that is no end of something. */
export const resultOf = (event: IntegrationEvent): EndpointResult | undefined => {
  switch (event.type) {
    case 'call': {
      const { operation, error, durationMs } = event;
      const result = !error ? 'ok' : error.code === 'aborted' ? 'neutral' : 'failed';
      return { kind: 'call', endpoint: operation, event: undefined, result, error: wordFor(error), durationMs };
    }
    case 'delivery': {
      const { destination, outcome, reason, durationMs } = event;
      const result = outcome === 'delivered' ? 'ok' : outcome === 'postponed' ? 'neutral' : 'failed';
      return { kind: 'delivery', endpoint: destination, event: event.event, result, error: reason, durationMs };
    }
    case 'webhook-received': {
      const { receiver, outcome, status, reason, error, durationMs } = event;
      const isOver = outcome !== 'refused' && outcome !== 'failed';
      // Anybody can send what is refused before it is believed.
      const isUnknown = outcome === 'refused' && [401, 403, 405].includes(status ?? 0);
      const result = isOver ? 'ok' : isUnknown ? 'neutral' : 'failed';
      const word = isOver ? undefined : (reason ?? error?.code);
      return { kind: 'webhook', endpoint: receiver, event: event.event, result, error: word, durationMs };
    }
    default:
      return undefined;
  }
};

const wordFor = (error: { readonly code: string; readonly reason?: string } | undefined): string | undefined =>
  error && (error.reason === undefined ? error.code : `${error.code}/${error.reason}`);
