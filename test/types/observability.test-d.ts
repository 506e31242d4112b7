import { pino } from 'pino';
import { expectTypeOf, test } from 'vitest';
import {
  createIntegration,
  createMetrics,
  createRedactor,
  type EventListeners,
  type IntegrationEvent,
  type IntegrationOptions,
  logTo,
  type MetricsSnapshot,
  type OnEvent,
  type Redact,
} from 'voice-agent-integrations';
import { prometheusHandler, toPrometheus } from 'voice-agent-integrations/observability/prometheus';
import { createOutbox, type OutboxOptions } from 'voice-agent-integrations/outbox';
import type { createToolbox } from 'voice-agent-integrations/tools';
import type { WebhookReceiverOptions } from 'voice-agent-integrations/webhooks';

test('everything that emits takes one listener or a list, and the same redact', () => {
  expectTypeOf<IntegrationOptions['onEvent']>().toEqualTypeOf<EventListeners | undefined>();
  expectTypeOf<OutboxOptions['onEvent']>().toEqualTypeOf<EventListeners | undefined>();
  expectTypeOf<Parameters<typeof createToolbox>[0]['onEvent']>().toEqualTypeOf<EventListeners | undefined>();
  expectTypeOf<WebhookReceiverOptions<Record<string, never>>['onEvent']>().toEqualTypeOf<EventListeners | undefined>();
  expectTypeOf<IntegrationOptions['redact']>().toEqualTypeOf<Redact | undefined>();
  expectTypeOf(createRedactor({ keys: ['iban'] })).toExtend<Redact>();
  expectTypeOf(createOutbox).parameter(0).toHaveProperty('redact');
  expectTypeOf(createIntegration).toBeFunction();
});

test('a listener knows the fields of an event by its type', () => {
  const listen: OnEvent = (event) => {
    if (event.type === 'call') expectTypeOf(event.durationMs).toEqualTypeOf<number>();
    if (event.type === 'delivery') expectTypeOf(event.destination).toEqualTypeOf<string>();
    // @ts-expect-error: only some events have it
    expectTypeOf(event.durationMs);
  };
  expectTypeOf(listen).parameter(0).toEqualTypeOf<IntegrationEvent>();
  expectTypeOf<IntegrationEvent<'delivery'>['destination']>().toEqualTypeOf<string>();
});

test('loggers of the shape of pino fit, and others do not', () => {
  expectTypeOf(logTo(pino())).toEqualTypeOf<OnEvent>();
  logTo(console);
  // @ts-expect-error: it has no levels
  logTo({ log: () => {} });
  // @ts-expect-error: no such type of event
  logTo(pino(), { levels: { calls: 'info' } });
});

test('metrics are plain data', () => {
  const metrics = createMetrics();
  expectTypeOf(metrics.snapshot).returns.resolves.toEqualTypeOf<MetricsSnapshot>();
  expectTypeOf(toPrometheus).parameter(0).toEqualTypeOf<MetricsSnapshot>();
  expectTypeOf(prometheusHandler(metrics)).returns.resolves.toEqualTypeOf<Response>();
});
