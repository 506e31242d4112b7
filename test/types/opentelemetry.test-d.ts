import { expectTypeOf, test } from 'vitest';
import { createIntegration, type EventListeners, type IntegrationEvent } from 'voice-agent-integrations';
import {
  openTelemetry,
  type OpenTelemetryOptions,
  type Span,
  type TraceHeaders,
  type Tracer,
} from 'voice-agent-integrations/observability/opentelemetry';
import type { Outbox } from 'voice-agent-integrations/outbox';

test('a tracer is a listener, alone or with others', () => {
  expectTypeOf(openTelemetry()).toEqualTypeOf<Tracer>();
  expectTypeOf<Tracer>().toExtend<EventListeners>();
  expectTypeOf<Tracer['onEvent']>().parameter(0).toEqualTypeOf<IntegrationEvent>();
  expectTypeOf(createIntegration).parameter(0).toHaveProperty('onEvent');
});

test('outboxes are counted by a list or by a function', () => {
  expectTypeOf<{ outboxes: Outbox[] }>().toExtend<OpenTelemetryOptions>();
  expectTypeOf<{ outboxes: () => Outbox[] }>().toExtend<OpenTelemetryOptions>();
  expectTypeOf<{ outboxes: Outbox }>().not.toExtend<OpenTelemetryOptions>();
});

test('another tracer can be written against the types', () => {
  expectTypeOf<Span['headers']>().returns.toEqualTypeOf<TraceHeaders>();
  expectTypeOf<ReturnType<Tracer['startSpan']>>().toEqualTypeOf<Span | undefined>();
});
