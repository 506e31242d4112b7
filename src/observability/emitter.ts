import { channel } from 'node:diagnostics_channel';
import type { EventInput, IntegrationEvent } from './events.ts';
import { ignoreErrors } from './ignore-errors.ts';
import {
  type EventListeners,
  joinSpans,
  type OnEvent,
  type Span,
  type SpanStart,
  type TraceCarrier,
  type Tracer,
} from './listeners.ts';
import { createRedactor, type Redact } from './redaction/redactor.ts';

/** Sends events to the application's listeners, and to those that listen to the whole process. */
export interface Emitter {
  /** Adds time, API and tenant, drops what is `undefined`, takes out secrets and personal data, and ends the span. */
  readonly emit: (event: EventInput, span?: Span, contents?: ToolContents) => void;
  /** Ask this before you build an event that costs something. */
  readonly hasListeners: () => boolean;
  /** Starts a span in every tracer among the listeners; `from` is the trace that the other side sent. */
  readonly startSpan: (start: SpanStart, from?: TraceCarrier) => Span | undefined;
  /** Ends a span with an event that no listener gets: for a part of something that has an event of its own. */
  readonly endSpan: (event: EventInput, span: Span | undefined) => void;
  /** Masks these in every event from now on. */
  readonly hide: (secrets: readonly string[]) => void;
  /** The same listeners, for events of another tenant. */
  readonly forTenant: (tenant: string | undefined) => Emitter;
}

export interface EmitterOptions {
  readonly api: string;
  readonly tenant?: string | undefined;
  readonly redact?: Redact | undefined;
}

export const createEmitter = (onEvent: EventListeners = [], { api, tenant, redact }: EmitterOptions): Emitter => {
  const listeners = [onEvent].flat().map(toListener);
  const redactor = redact && 'hide' in redact ? redact : createRedactor(redact);
  const hasListeners = () => processEvents.hasSubscribers || listeners.some(({ isOn }) => isOn());

  const emitterFor = (ofTenant: string | undefined): Emitter => {
    const complete = (input: EventInput): IntegrationEvent =>
      // With these three fields an input is an event.
      deepFreeze(redactor.redact({ ...input, api, tenant: ofTenant, at: Date.now() } as IntegrationEvent));
    return {
      emit: (input, span, contents) => {
        if (!span && !hasListeners()) return;
        const event = complete(input);
        if (contents && processContents.hasSubscribers) processContents.publish({ event, contents });
        if (span) ignoreErrors(() => span.end(event));
        for (const { isOn, onEvent: listener } of listeners) if (isOn()) ignoreErrors(() => listener(event));
        processEvents.publish(event);
      },
      hasListeners,
      startSpan: (start, from) => {
        const tracers = listeners.filter(({ startSpan, isOn }) => startSpan && isOn());
        if (tracers.length === 0) return undefined;
        const redacted = redactor.redact(start);
        return joinSpans(tracers.flatMap((tracer) => startedBy(tracer, redacted, from)));
      },
      endSpan: (input, span) => {
        if (span) ignoreErrors(() => span.end(complete(input)));
      },
      hide: redactor.hide,
      forTenant: emitterFor,
    };
  };
  return emitterFor(tenant);
};

type Listener = Pick<Tracer, 'onEvent' | 'isOn'> & Partial<Tracer>;

const toListener = (listener: OnEvent | Tracer): Listener =>
  typeof listener === 'function' ? { onEvent: listener, isOn: () => true } : listener;

const startedBy = ({ startSpan }: Listener, start: SpanStart, from: TraceCarrier | undefined): Span[] => {
  try {
    const span = startSpan?.(start, from);
    return span ? [span] : [];
  } catch {
    return [];
  }
};

/** So that one listener can't change what the next one gets. */
const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
};

/** Node keeps one channel of a name for the whole process, for software that gets no options from the application. */
const processEvents = channel('voice-agent-integrations');

/**
 * Subscribes to every event of this process, of all clients, toolboxes, receivers and outboxes. The returned function
 * ends it. What the listener throws reaches the process as an uncaught exception, as with every `node:diagnostics_channel`.
 *
 * @example
 * const stop = subscribeToEvents((event) => ring.push(event));
 */
export const subscribeToEvents = (onEvent: OnEvent): (() => void) => {
  // Only this package publishes there.
  const listener = (event: unknown) => onEvent(event as IntegrationEvent);
  processEvents.subscribe(listener);
  return () => {
    processEvents.unsubscribe(listener);
  };
};

/** The arguments that a model gave a tool, and the text that it read. It's the customer's data, so it's in no event. */
export interface ToolContents {
  readonly asked: unknown;
  readonly answered: string;
}

const processContents = channel('voice-agent-integrations:contents');

/** Gets the contents of each tool call, just before its event. The returned function ends it. */
export const subscribeToContents = (
  onContents: (event: IntegrationEvent, contents: ToolContents) => void,
): (() => void) => {
  const listener = (message: unknown) => {
    // Only this module publishes there.
    const { event, contents } = message as { event: IntegrationEvent; contents: ToolContents };
    onContents(event, contents);
  };
  processContents.subscribe(listener);
  return () => {
    processContents.unsubscribe(listener);
  };
};

/** Runs the work within its span, where there is one. */
export const within = <T>(span: Span | undefined, work: () => T): T => (span ? span.run(work) : work());
