import { type Context, context, propagation, type Span as OtelSpan, trace } from '@opentelemetry/api';
import type { Span, Telemetry } from 'bullmq';
import { expect, test } from 'vitest';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { registerSdk } from '../../support/open-telemetry.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import { eventually } from '../../support/until.ts';
import { consuming, message } from './many-processes.ts';

describeWithRedis("BullMQ's telemetry", () => {
  test('gets a span where a message is enqueued and one where it is handled, in one trace', async () => {
    await using server = await startRedisServer();
    await using sdk = registerSdk();
    const queue = bullmq({ connection: server.url, telemetry: openTelemetry });
    let handling: OtelSpan | undefined;
    await queue.enqueue([message('a')]);
    queue.consume(consuming, async () => {
      handling = trace.getActiveSpan();
      return { type: 'done' };
    });
    await eventually(async () => (await queue.admin.get('a')) === undefined);
    await queue.close(0);

    const spanOf = (name: string) => sdk.spans().find((span) => span.name === name);
    const [enqueued, handled] = [spanOf('add voice-agent.group.g.message'), spanOf('process voice-agent.group.g')];
    expect(handled?.spanContext().traceId).toBe(enqueued?.spanContext().traceId);
    expect(handled?.parentSpanContext?.spanId).toBe(enqueued?.spanContext().spanId);
    expect(handled?.attributes).toMatchObject({ 'bullmq.job.id': 'm.a' });
    expect(handling?.spanContext()).toEqual(handled?.spanContext());
  });
});

/** What the package `bullmq-otel` does. */
const openTelemetry: Telemetry<Context> = {
  contextManager: {
    with: (active, work) => context.with(active, work),
    active: () => context.active(),
    getMetadata: (active: Context) => {
      const carrier = {};
      propagation.inject(active, carrier);
      return JSON.stringify(carrier);
    },
    fromMetadata: (active: Context, metadata) => propagation.extract(active, JSON.parse(metadata)),
  },
  tracer: {
    startSpan: (name, _options, active) => {
      const span = trace.getTracer('bullmq').startSpan(name, {}, active);
      const wrapped: Span<Context> = {
        setSpanOnContext: (on) => trace.setSpan(on, span),
        setAttribute: (key, value) => void span.setAttribute(key, value),
        setAttributes: (attributes) => void span.setAttributes(attributes),
        addEvent: (event, attributes) => void span.addEvent(event, attributes),
        recordException: () => {},
        end: () => span.end(),
      };
      return wrapped;
    },
  },
};
