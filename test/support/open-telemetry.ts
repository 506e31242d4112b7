import { randomBytes } from 'node:crypto';
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { vi } from 'vitest';

/** OpenTelemetry's own SDK, registered as an application does it, and what it exports. */
export interface RegisteredSdk extends AsyncDisposable {
  /** Ended spans, in the order in which they ended. */
  readonly spans: () => readonly ReadableSpan[];
  /** The trees of these spans by their names, in the order in which they began. */
  readonly trees: () => readonly Drawn[];
  /** The values of a metric, one for each combination of its attributes. */
  readonly metric: (name: string) => Promise<readonly DataPoint<unknown>[]>;
  /** The names of all metrics that have a value. */
  readonly metricNames: () => Promise<readonly string[]>;
}

/** Registers the SDK for the whole process, until it is disposed of. */
export const registerSdk = ({ meters = true }: { readonly meters?: boolean } = {}): RegisteredSdk => {
  const exporter = new InMemorySpanExporter();
  // Starting times are too coarse to tell what began first.
  const begun: string[] = [];
  const beginnings: SpanProcessor = {
    onStart: (span) => void begun.push(span.spanContext().spanId),
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracers = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter), beginnings],
    // Its own takes `Math.random`, which some tests stub.
    idGenerator: {
      generateTraceId: () => randomBytes(16).toString('hex'),
      generateSpanId: () => randomBytes(8).toString('hex'),
    },
  });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  trace.setGlobalTracerProvider(tracers);
  if (meters) metrics.setGlobalMeterProvider(meterProvider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  const collect = async () => {
    metricExporter.reset();
    await meterProvider.forceFlush();
    return metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  };
  return {
    spans: () => exporter.getFinishedSpans(),
    trees: () => draw(exporter.getFinishedSpans(), begun),
    metric: async (name) =>
      (await collect())
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }): readonly DataPoint<unknown>[] => dataPoints),
    metricNames: async () => (await collect()).map(({ descriptor }) => descriptor.name).toSorted(),
    [Symbol.asyncDispose]: async () => {
      // What ends a batch waits on real timers.
      vi.useRealTimers();
      trace.disable();
      metrics.disable();
      context.disable();
      propagation.disable();
      await Promise.all([tracers.shutdown(), meterProvider.shutdown()]);
    },
  };
};

/** A span as a person would draw it: its name, and below it those that belong to it. */
export type Drawn = string | { readonly [name: string]: readonly Drawn[] };

const draw = (spans: readonly ReadableSpan[], begun: readonly string[]): readonly Drawn[] => {
  const inOrder = begun.flatMap((id) => spans.filter((span) => span.spanContext().spanId === id));
  const drawn = (span: ReadableSpan): Drawn => {
    const children = inOrder.filter((other) => other.parentSpanContext?.spanId === span.spanContext().spanId);
    return children.length === 0 ? span.name : { [span.name]: children.map(drawn) };
  };
  return inOrder.filter(({ parentSpanContext }) => !begun.includes(parentSpanContext?.spanId ?? '')).map(drawn);
};
