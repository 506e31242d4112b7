import type { EventError, IntegrationEvent } from './events.ts';

/** Gets every event. What it throws is ignored. */
export type OnEvent = (event: IntegrationEvent) => void;

/** One listener, or several that get the same events. */
export type EventListeners = OnEvent | Tracer | readonly (OnEvent | Tracer)[];

/**
 * A listener that also follows what happens from its start, such as `openTelemetry()`. Give it as `onEvent`, alone or in
 * a list with others.
 */
export interface Tracer {
  readonly onEvent: OnEvent;
  /** Says if events reach anything. Asked each time: an SDK may be registered later. */
  readonly isOn: () => boolean;
  /** `from` is the trace that the other side sent. `undefined`: it doesn't follow this. */
  readonly startSpan: (start: SpanStart, from?: TraceCarrier) => Span | undefined;
}

/** The beginning of a span, with secrets and personal data taken out. The event of the same type says how it ended. */
export type SpanStart =
  | { readonly type: 'call'; readonly operation: string }
  | {
      readonly type: 'attempt';
      readonly operation: string;
      readonly attempt: number;
      readonly method: string;
      readonly url: string;
    }
  | { readonly type: 'tool-run'; readonly tool: string }
  | {
      readonly type: 'webhook-received';
      readonly receiver: string;
      /** Absent for an event that was acknowledged before and comes from the queue. */
      readonly method?: string;
    }
  | { readonly type: 'message-published'; readonly event: string }
  | { readonly type: 'delivery'; readonly destination: string };

/** Something in progress, as a tracer sees it. */
export interface Span {
  /** Whatever the work does, now and later, belongs to this span. */
  run<T>(work: () => T): T;
  /** The same for work that sends a request: it gets the headers that the request should carry. */
  send<T>(work: (headers: TraceHeaders) => T): T;
  /** To continue the trace elsewhere, later. */
  headers(): TraceHeaders;
  /** With its event, or with the error where there is no event. Only the first time counts. */
  end(event?: IntegrationEvent, error?: EventError): void;
}

/** The headers that continue a trace elsewhere, such as `traceparent`. Names in lower case. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** The trace that the other side sent: the headers of a request, or {@link TraceHeaders} that were stored. */
export interface TraceCarrier {
  get(name: string): string | null | undefined;
  keys(): Iterable<string>;
}

/** The trace that was stored with a message. */
export const storedTrace = (headers: TraceHeaders | undefined): TraceCarrier | undefined =>
  headers && new Map(Object.entries(headers));

/** One span for several tracers. Where they write the same header, the first one's counts. */
export const joinSpans = (spans: readonly Span[]): Span | undefined => {
  const [first, ...others] = spans;
  const rest = others.length > 0 ? joinSpans(others) : undefined;
  if (!first || !rest) return first;
  return {
    run: (work) => first.run(() => rest.run(work)),
    send: (work) => first.send((headers) => rest.send((more) => work({ ...more, ...headers }))),
    headers: () => ({ ...rest.headers(), ...first.headers() }),
    end: (event, error) => {
      first.end(event, error);
      rest.end(event, error);
    },
  };
};
