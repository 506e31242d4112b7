import { assertKnown, flag } from '../../core/option-checks.ts';
import { version } from '../../core/version.ts';
import type { Tracer } from '../listeners.ts';
import type { OutboxStatusSource } from '../measurements.ts';
import { createNoopMeter, type MeterProvider, metrics, trace } from './api.ts';
import { createInstruments, type Instruments } from './instruments.ts';
import { startSpan } from './spans.ts';

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /**
   * Sends the trace with every request and delivery, in the headers of the registered propagator (usually `traceparent`
   * and `tracestate`); never the baggage. Instrumentations of `fetch` and `node:http` then leave these requests alone,
   * because a second header would make both useless. `false` leaves the headers to them.
   * @defaultValue true
   */
  readonly propagate?: boolean | undefined;
  /**
   * Outboxes whose waiting messages and dead letters are counted when the metrics are read. Use a function if the outbox
   * itself gets the tracer, and so is created after it.
   */
  readonly outboxes?: readonly OutboxStatusSource[] | (() => readonly OutboxStatusSource[]) | undefined;
}

/**
 * Reports to OpenTelemetry: spans, metrics, and the trace that continues in requests and through the outbox. It uses the
 * providers, the context manager and the propagator that the application registered, even if it registers them later,
 * and does nothing without them. Give it as `onEvent` to everything that it should follow.
 * Nothing that it reports is personal or secret.
 *
 * @example
 * createIntegration({ messaging, crm, billing, onEvent: openTelemetry() });
 * createIntegration({ billing, onEvent: [openTelemetry(), logTo(pino())] });
 */
export const openTelemetry = (options: OpenTelemetryOptions = {}): Tracer => {
  assertKnown(options, { propagate: true, outboxes: true });
  flag(options.propagate, 'propagate')();
  const { propagate = true, outboxes } = options;
  const tracer = trace.getTracer(name, version);
  let known: MeterProvider | undefined;
  let instruments: Instruments | undefined;

  /** A tracer finds a provider that is registered later; a meter doesn't, so it's created again. */
  const currentInstruments = (): Instruments | undefined => {
    const provider = metrics.getMeterProvider();
    if (provider !== known) {
      known = provider;
      const meter = provider.getMeter(name, version);
      instruments =
        meter === createNoopMeter()
          ? undefined
          : createInstruments(meter, outboxes && (() => (typeof outboxes === 'function' ? outboxes() : outboxes)));
    }
    return instruments;
  };

  // What waits in an outbox counts even while nothing happens.
  currentInstruments();

  let staysOn = false;
  return {
    onEvent: (event) => currentInstruments()?.record(event),
    isOn: () => {
      staysOn ||= isTracing() || currentInstruments() !== undefined;
      return staysOn;
    },
    startSpan: (start, from) =>
      startSpan(tracer, start, {
        propagate,
        from,
        onEnd: (event, attributes) => currentInstruments()?.recordRequest(event, attributes),
      }),
  };
};

const name = 'voice-agent-integrations';

/** Until the application registers a provider, a placeholder is in its place. */
const isTracing = (): boolean => {
  const provider = trace.getTracerProvider();
  if (!('getDelegateTracer' in provider) || typeof provider.getDelegateTracer !== 'function') return true;
  return provider.getDelegateTracer(name, version) !== undefined;
};
