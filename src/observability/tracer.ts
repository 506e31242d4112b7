import type { EventError, IntegrationEvent, OnEvent } from './events.ts';

/** The headers in which a trace goes on elsewhere, such as `traceparent`. Names in lower case. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** What somebody else sent along: the headers of a request, or {@link TraceHeaders} that were stored. */
export interface TraceCarrier {
  get(name: string): string | null | undefined;
  keys(): Iterable<string>;
}

/**
 * What begins, as far as it is known by then; secrets and personal data are taken out of it as they are out of events.
 * How it ended says the event of the same type.
 */
export type Begun =
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

/** What is under way in a tracer. */
export interface Span {
  /** What happens in there, now and later, belongs to it. */
  run<T>(work: () => T): T;
  /** The same for what puts a request on the wire: it is given the headers that the request should carry. */
  send<T>(work: (headers: TraceHeaders) => T): T;
  /** For whoever goes on elsewhere, later. */
  headers(): TraceHeaders;
  /** With the event that tells of it, or the error where there is none. Only the first time counts. */
  end(event?: IntegrationEvent, error?: EventError): void;
}

/**
 * A listener that also hears when something begins, and may keep a context around it. Give it as `onEvent`, alone or in
 * a list with others.
 */
export interface Tracer extends OnEvent {
  /** Whether anything comes of what it is told. Asked each time: what it leads to may be set up later. */
  readonly isOn: () => boolean;
  /** `from` is the trace that somebody else sent along. `undefined`: it does not follow this. */
  readonly begin: (begun: Begun, from?: TraceCarrier) => Span | undefined;
}

export const isTracer = (listener: OnEvent): listener is Tracer => 'begin' in listener && 'isOn' in listener;

/** Runs the work within its span, where there is one. */
export const within = <T>(span: Span | undefined, work: () => T): T => (span ? span.run(work) : work());

/** What was stored with a message. */
export const storedTrace = (headers: TraceHeaders | undefined): TraceCarrier | undefined =>
  headers && new Map(Object.entries(headers));

/** Several tracers follow the same thing, each for itself; where they write the same header, the first one's counts. */
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
