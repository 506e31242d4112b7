import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';

/** OpenTelemetry's SDK as an application registers it, each span sampled and collected; what it exports goes nowhere. */
export const registerOpenTelemetry = (): AsyncDisposable => {
  const nowhere: SpanExporter = { export: (_spans, done) => done({ code: 0 }), shutdown: async () => {} };
  const tracers = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(nowhere)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    [Symbol.asyncDispose]: async () => {
      for (const api of [trace, metrics, context, propagation]) api.disable();
      await Promise.all([tracers.shutdown(), meters.shutdown()]);
    },
  };
};
