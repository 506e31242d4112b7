import type { IntegrationEvent } from '../events.ts';
import { quietly } from '../quietly.ts';
import type { Begun, Span, TraceCarrier, TraceHeaders } from '../tracer.ts';
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
import { beginningOf, endOf } from './attributes.ts';

export interface SpanOptions {
  /** The trace that somebody else sent along. */
  readonly from: TraceCarrier | undefined;
  readonly propagate: boolean;
  /** Hears the event, and what was known at the beginning. */
  readonly onEnd: (event: IntegrationEvent, beginning: Attributes) => void;
}

/** Starts the span of something that begins, below the span that is active or that somebody else sent along. */
export const beginSpan = (
  tracer: ReturnType<typeof trace.getTracer>,
  begun: Begun,
  { propagate, from, onEnd }: SpanOptions,
): Span => {
  const active = context.active();
  const { parent, links } = familyOf(begun, { active, from });
  const { name, kind, attributes } = beginningOf(begun, { isNested: trace.getSpan(active) !== undefined });
  const span = tracer.startSpan(name, { kind, attributes, links: [...links] }, parent);
  const own = trace.setSpan(parent, span);
  let isOver = false;

  return {
    run: (work) => context.with(own, work),
    send: (work) => (propagate ? context.with(own.setValue(suppressed, true), () => work(headersOf(own))) : work({})),
    headers: () => headersOf(own),
    end: (event, error) => {
      if (isOver) return;
      isOver = true;
      quietly(() => {
        if (event && span.isRecording()) {
          const { name: known, attributes: more, waits, problem } = endOf(event);
          if (known !== undefined && known !== name) span.updateName(known);
          for (const [key, value] of Object.entries(more)) if (value !== undefined) span.setAttribute(key, value);
          for (const { reason, ms } of waits)
            span.addEvent('voice_agent.wait', { 'voice_agent.wait.reason': reason, 'voice_agent.wait.ms': ms });
          if (problem !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
        }
        if (error) {
          span.setAttribute('error.type', error.code);
          if (error.code !== 'aborted') span.setStatus({ code: SpanStatusCode.ERROR, message: error.code });
        }
        span.end();
      });
      if (event) quietly(() => onEnd(event, attributes));
    },
  };
};

/**
 * What comes from a queue goes on with the trace it was stored with, whatever happened to be active when the worker was
 * started, and is linked to it as well: OpenTelemetry's conventions for messages ask for both. A webhook goes on with
 * its sender's trace, unless the application's own server has a span for it already.
 */
const familyOf = (
  begun: Begun,
  { active, from }: { readonly active: Context; readonly from: TraceCarrier | undefined },
): { readonly parent: Context; readonly links: readonly Link[] } => {
  if (begun.type !== 'delivery' && begun.type !== 'webhook-received') return { parent: active, links: [] };
  const isFromQueue = begun.type === 'delivery' || begun.method === undefined;
  const theirs = spanContextIn(from);
  const ours = isFromQueue ? undefined : trace.getSpanContext(active);
  const base = isFromQueue ? ROOT_CONTEXT : active;
  const parent = theirs && !ours ? trace.setSpanContext(base, theirs) : base;
  const isLinked = theirs && (isFromQueue || (ours && ours.traceId !== theirs.traceId));
  return { parent, links: isLinked ? [{ context: theirs }] : [] };
};

/** The trace alone: whoever sends a webhook does not choose the baggage of this process. */
const spanContextIn = (from: TraceCarrier | undefined) => {
  if (!from) return undefined;
  const found = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, from, carrierGetter));
  return found && isSpanContextValid(found) ? found : undefined;
};

const carrierGetter = {
  get: (carrier: TraceCarrier, name: string) => carrier.get(name.toLowerCase()) ?? undefined,
  keys: (carrier: TraceCarrier) => [...carrier.keys()],
};

/** Baggage is the application's own and may be about people: it goes neither to other companies nor into a queue. */
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
