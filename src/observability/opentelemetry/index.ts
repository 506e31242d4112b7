/**
 * Spans, metrics and trace headers, through what the application has registered with OpenTelemetry.
 * Needs `@opentelemetry/api`.
 *
 * @module
 */
export type { Span, SpanStart, TraceCarrier, TraceHeaders, Tracer } from '../listeners.ts';
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
