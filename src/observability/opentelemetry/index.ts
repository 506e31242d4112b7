/**
 * Spans, metrics and the trace that is sent along, through what the application has registered with OpenTelemetry.
 * Needs `@opentelemetry/api`.
 *
 * @module
 */
export type { EventError, IntegrationEvent, OnEvent } from '../events.ts';
export type { OutboxStatusSource } from '../metrics/create-metrics.ts';
export type { Begun, Span, TraceCarrier, TraceHeaders, Tracer } from '../tracer.ts';
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
