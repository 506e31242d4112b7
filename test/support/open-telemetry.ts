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
} from '@opentelemetry/sdk-trace-base';

/** OpenTelemetry's own SDK, registered as an application does it, and what it exports. */
export interface RegisteredSdk extends AsyncDisposable {
  /** Ended spans, in the order in which they ended. */
  readonly spans: () => readonly ReadableSpan[];
  /** The values of a metric, one for each combination of its attributes. */
  readonly metric: (name: string) => Promise<readonly DataPoint<unknown>[]>;
  /** The names of all metrics that have a value. */
  readonly metricNames: () => Promise<readonly string[]>;
}

/** Registers the SDK for the whole process, until it is disposed of. */
export const registerSdk = ({ meters = true }: { readonly meters?: boolean } = {}): RegisteredSdk => {
  const exporter = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
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
    metric: async (name) =>
      (await collect())
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }): readonly DataPoint<unknown>[] => dataPoints),
    metricNames: async () => (await collect()).map(({ descriptor }) => descriptor.name).toSorted(),
    [Symbol.asyncDispose]: async () => {
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

/** The trees of spans by their names. Children stand in the order in which they began. */
export const draw = (spans: readonly ReadableSpan[]): readonly Drawn[] => {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const byStart = spans.toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  const drawn = (span: ReadableSpan): Drawn => {
    const children = byStart.filter((other) => other.parentSpanContext?.spanId === span.spanContext().spanId);
    return children.length === 0 ? span.name : { [span.name]: children.map(drawn) };
  };
  return byStart.filter(({ parentSpanContext }) => !ids.has(parentSpanContext?.spanId ?? '')).map(drawn);
};
