import { withoutUndefined } from '../../core/without-undefined.ts';
import type { IntegrationEvent } from '../events.ts';
import { ignoreErrors } from '../ignore-errors.ts';
import type { Span, SpanStart, TraceCarrier, TraceHeaders } from '../listeners.ts';
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from './api.ts';
import { spanEndOf, startOf } from './attributes.ts';

export interface SpanOptions {
  /** The trace that the other side sent. */
  readonly from: TraceCarrier | undefined;
  readonly propagate: boolean;
  /** Gets the event, and the attributes that the span started with. */
  readonly onEnd: (event: IntegrationEvent, attributes: Attributes) => void;
}

/** Starts a span below the one that is active, or below the one that the other side sent. */
export const startSpan = (
  tracer: ReturnType<typeof trace.getTracer>,
  start: SpanStart,
  { propagate, from, onEnd }: SpanOptions,
): Span => {
  const active = context.active();
  const { parent, links } = familyOf(start, { active, from });
  const { name, kind, attributes } = startOf(start, { isNested: trace.getSpan(active) !== undefined });
  const span = tracer.startSpan(name, { kind, attributes, links: [...links] }, parent);
  const own = trace.setSpan(parent, span);
  let isOver = false;

  const setEnd = (event: IntegrationEvent) => {
    const { name: knownNow = name, attributes: more, waits, problem } = spanEndOf(event);
    if (knownNow !== name) span.updateName(knownNow);
    span.setAttributes(withoutUndefined(more));
    for (const { reason, ms } of waits)
      span.addEvent('voice_agent.wait', { 'voice_agent.wait.reason': reason, 'voice_agent.wait.ms': ms });
    if (problem !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
  };

  return {
    run: (work) => context.with(own, work),
    send: (work) => (propagate ? context.with(own.setValue(suppressed, true), () => work(headersOf(own))) : work({})),
    headers: () => headersOf(own),
    end: (event, error) => {
      if (isOver) return;
      isOver = true;
      ignoreErrors(() => {
        if (event && span.isRecording()) setEnd(event);
        if (error) {
          span.setAttribute('error.type', error.code);
          if (error.code !== 'aborted') span.setStatus({ code: SpanStatusCode.ERROR, message: error.code });
        }
        span.end();
      });
      if (event) ignoreErrors(() => onEnd(event, attributes));
    },
  };
};

/**
 * A message from a queue continues the trace that was stored with it, and links to it. OpenTelemetry's conventions for
 * messages ask for both. What was active when the worker started doesn't count. A webhook continues its sender's trace, unless the
 * application's own server already has a span for it.
 */
const familyOf = (
  start: SpanStart,
  { active, from }: { readonly active: Context; readonly from: TraceCarrier | undefined },
): { readonly parent: Context; readonly links: readonly Link[] } => {
  if (start.type !== 'delivery' && start.type !== 'webhook-received') return { parent: active, links: [] };
  const isFromQueue = start.type === 'delivery' || start.method === undefined;
  const theirs = spanContextIn(from);
  const ours = isFromQueue ? undefined : trace.getSpanContext(active);
  const base = isFromQueue ? ROOT_CONTEXT : active;
  const parent = theirs && !ours ? trace.setSpanContext(base, theirs) : base;
  const isLinked = theirs && (isFromQueue || (ours && ours.traceId !== theirs.traceId));
  return { parent, links: isLinked ? [{ context: theirs }] : [] };
};

/** The trace alone: the sender of a webhook doesn't choose the baggage of this process. */
const spanContextIn = (from: TraceCarrier | undefined) => {
  if (!from) return undefined;
  const found = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, from, carrierGetter));
  return found && isSpanContextValid(found) ? found : undefined;
};

const carrierGetter = {
  get: (carrier: TraceCarrier, name: string) => carrier.get(name.toLowerCase()) ?? undefined,
  keys: (carrier: TraceCarrier) => [...carrier.keys()],
};

/** Baggage belongs to the application and may be about people: it goes neither to other companies nor into a queue. */
const headersOf = (own: Context): TraceHeaders => {
  const headers: Record<string, string> = {};
  propagation.inject(propagation.deleteBaggage(own), headers, carrierSetter);
  return headers;
};

const carrierSetter = {
  set: (headers: Record<string, string>, name: string, value: string) => {
    headers[name.toLowerCase()] = value;
  },
};

/** The key that OpenTelemetry's instrumentations of `fetch` and `node:http` look at: `suppressTracing` of its core. */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
