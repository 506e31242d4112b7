import { withoutUndefined } from '../../core/without-undefined.ts';
import type { IntegrationEvent } from '../events.ts';
import {
  createMeasurements,
  destinationMeasurements,
  type EventMeasurement,
  type Instrument,
  type MetricLabels,
  type OutboxStatusSource,
  type Reading,
  subjectOf,
  sumDestinations,
} from '../measurements.ts';
import { wasSent } from '../result-of.ts';
import type { Attributes, Meter } from './api.ts';
import { errorTypeOf } from './attributes.ts';

/** Counts into the application's own meters. */
export interface Instruments {
  /** Counts an event. */
  record(event: IntegrationEvent): void;
  /** Counts one request, with the attributes that its span started with. */
  recordRequest(event: IntegrationEvent, attributes: Attributes): void;
}

/** Creates one instrument for each measurement that names one. */
export const createInstruments = (meter: Meter, outboxes?: () => readonly OutboxStatusSource[]): Instruments => {
  const histogram = (name: string, description: string) => {
    const advice = { explicitBucketBoundaries: [...boundaries] };
    const seconds = meter.createHistogram(name, { description, unit: 's', advice });
    return (ms: number, attributes: Attributes) => seconds.record(Math.max(0, ms) / 1_000, attributes);
  };
  const counter = (name: string, { type, help: description, unit }: EventMeasurement) => {
    const options = { description, unit };
    const count = type === 'gauge' ? meter.createUpDownCounter(name, options) : meter.createCounter(name, options);
    return (value: number, attributes: Attributes) => {
      if (value !== 0) count.add(value, attributes);
    };
  };
  const known = new Map<string, ReturnType<typeof counter>>();
  const measured = createMeasurements().flatMap((measurement) => {
    const { instrument, unit, help } = measurement;
    if (!instrument) return [];
    const { name } = instrument;
    const record = known.get(name) ?? (unit === 's' ? histogram(name, help) : counter(name, measurement));
    known.set(name, record);
    return [{ measurement, instrument, record }];
  });
  const byType = Map.groupBy(measured, ({ measurement }) => measurement.on);
  const requests = histogram('http.client.request.duration', 'Duration of HTTP client requests.');
  if (outboxes) observeOutboxes(meter, outboxes);

  return {
    record: (event) => {
      const [, labels = {}] = subjectOf(event) ?? [];
      for (const { measurement, instrument, record } of byType.get(event.type) ?? [])
        for (const reading of measurement.read(event)) record(reading.value, attributesOf(instrument, labels, reading));
    },
    recordRequest: (event, { 'http.request.resend_count': _count, ...target }) => {
      if (event.type !== 'attempt' || !wasSent(event)) return;
      const limitedMs = event.waits.reduce((sum, { reason, ms }) => (reason === 'rate_limit' ? sum + ms : sum), 0);
      requests(
        event.durationMs - limitedMs,
        withoutUndefined({ ...target, 'http.response.status_code': event.status, 'error.type': errorTypeOf(event) }),
      );
    },
  };
};

/** The boundaries of OpenTelemetry's conventions for `http.client.request.duration`. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;

const attributesOf = (instrument: Instrument, labels: MetricLabels, { word, details }: Reading): Attributes => {
  const named = Object.entries({ ...labels, ...details }).map(([label, text]) => [
    attributeNames.get(label) ?? `voice_agent.${label}`,
    text,
  ]);
  const ofWord = instrument.word === undefined ? {} : { [instrument.word]: word };
  return withoutUndefined({ ...Object.fromEntries(named), ...instrument.attributes, ...ofWord });
};

/** MetricLabels that have a name in OpenTelemetry's conventions. */
const attributeNames: ReadonlyMap<string, string> = new Map([
  ['destination', 'messaging.destination.name'],
  ['error', 'error.type'],
  ['status', 'voice_agent.tool.status'],
  ['tool', 'gen_ai.tool.name'],
]);

/** Reads the outboxes whenever the metrics are read. An outbox that can't be read is left out. */
const observeOutboxes = (meter: Meter, outboxes: () => readonly OutboxStatusSource[]): void => {
  const gauges = destinationMeasurements.flatMap(({ instrument, help: description, unit, read }) =>
    instrument
      ? [{ instrument, unit, read, gauge: meter.createObservableGauge(instrument.name, { description, unit }) }]
      : [],
  );
  meter.addBatchObservableCallback(
    async (result) => {
      const statuses = await Promise.all(outboxes().map((outbox) => outbox.status().catch(() => ({}))));
      for (const [destination, counts] of sumDestinations(statuses))
        for (const { instrument, unit, read, gauge } of gauges)
          for (const reading of read(counts))
            result.observe(
              gauge,
              unit === 's' ? reading.value / 1_000 : reading.value,
              attributesOf(instrument, { destination }, reading),
            );
    },
    gauges.map(({ gauge }) => gauge),
  );
};
