import type { OutboxStatusSource } from '../metrics/create-metrics.ts';
import type { IntegrationEvent } from '../events.ts';
import type { Tracer } from '../tracer.ts';
import { version } from '../../version.ts';
import { createNoopMeter, type MeterProvider, metrics, trace } from './api.ts';
import { createInstruments, type Instruments } from './instruments.ts';
import { beginSpan, type SpanOptions } from './spans.ts';

/** What OpenTelemetry is told beside what happens. */
export interface OpenTelemetryOptions {
  /**
   * Sends the trace along with every request and delivery, in the headers of the propagator that is registered
   * (`traceparent` and `tracestate` as a rule); never the baggage. Whatever instruments `fetch` or `node:http` as well is
   * then told to leave these requests alone, since a second header would make both useless. `false` leaves the headers,
   * and the choice, to it.
   * @defaultValue true
   */
  readonly propagate?: boolean;
  /**
   * Whose waiting messages and dead letters are counted when the metrics are read. A function, where the outbox is itself
   * given the tracer and cannot be there before it.
   */
  readonly outboxes?: readonly OutboxStatusSource[] | (() => readonly OutboxStatusSource[]);
}

/**
 * Tells OpenTelemetry what happens: spans, metrics, and the trace sent along with requests and through the outbox. It
 * uses the providers, the context manager and the propagator that the application registered, also those registered
 * later, and does nothing while there are none. Give it as `onEvent`, to all that should be seen.
 * Nothing of what it tells is personal or secret.
 *
 * @example
 * createIntegration({ messaging, crm, billing, onEvent: openTelemetry() });
 * createIntegration({ billing, onEvent: [openTelemetry(), logTo(pino())] });
 */
export const openTelemetry = ({ propagate = true, outboxes }: OpenTelemetryOptions = {}): Tracer => {
  const tracer = trace.getTracer(name, version);
  let known: MeterProvider | undefined;
  let instruments: Instruments | undefined;

  /** Unlike a tracer, a meter that was asked for too early stays without effect. */
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

  // What waits in an outbox counts also while nothing happens.
  currentInstruments();

  let isOnForGood = false;
  const isOn = () => {
    isOnForGood ||= isTracing() || currentInstruments() !== undefined;
    return isOnForGood;
  };

  const onEnd: SpanOptions['onEnd'] = (event, beginning) => currentInstruments()?.ended(event, beginning);
  const begin: Tracer['begin'] = (begun, from) => beginSpan(tracer, begun, { propagate, from, onEnd });

  return Object.assign((event: IntegrationEvent) => currentInstruments()?.heard(event), { isOn, begin });
};

const name = 'voice-agent-integrations';

/** Before an application registers its provider, a stand-in has its place, which knows of none. */
const isTracing = (): boolean => {
  const provider = trace.getTracerProvider();
  if (!('getDelegateTracer' in provider) || typeof provider.getDelegateTracer !== 'function') return true;
  return provider.getDelegateTracer(name, version) !== undefined;
};
