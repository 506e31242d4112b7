/** The door to `@opentelemetry/api`, an optional peer. */
export {
  context,
  createContextKey,
  createNoopMeter,
  isSpanContextValid,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
export type { Attributes, Context, Link, Meter, MeterProvider } from '@opentelemetry/api';
