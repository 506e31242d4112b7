import { withoutUndefined } from '../../core/without-undefined.ts';
import type { IntegrationEvent } from '../events.ts';
import { type OutboxStatusSource, sumDestinations } from '../metrics/destinations.ts';
import { resultOf, tokensSaved, wasSent, whyAgain } from '../result-of.ts';
import type { Attributes, Meter } from './api.ts';
import { errorTypeOf } from './attributes.ts';

/** Counts into the application's own meters. */
export interface Instruments {
  /** Counts what an event says. */
  record(event: IntegrationEvent): void;
  /** Counts one request, with the attributes that its span started with. */
  recordRequest(event: IntegrationEvent, attributes: Attributes): void;
}

export const createInstruments = (meter: Meter, outboxes?: () => readonly OutboxStatusSource[]): Instruments => {
  const histogram = (name: string, description: string) => {
    const advice = { explicitBucketBoundaries: [...boundaries] };
    const seconds = meter.createHistogram(name, { description, unit: 's', advice });
    return (ms: number, attributes: Attributes) =>
      seconds.record(Math.max(0, ms) / 1_000, withoutUndefined(attributes));
  };
  const counter = (name: string, unit: string, description: string) => {
    const count = meter.createCounter(name, { description, unit });
    return (attributes: Attributes, by = 1) => count.add(by, attributes);
  };

  const requests = histogram('http.client.request.duration', 'Duration of HTTP client requests.');
  const calls = histogram('voice_agent.call.duration', 'Calls of operations, with all their attempts and waits.');
  const waits = histogram('voice_agent.wait.duration', 'Waits before requests, by reason.');
  const tools = histogram('voice_agent.tool.duration', 'Tool calls of models.');
  const webhooks = histogram('voice_agent.webhook.duration', 'Webhooks, until they were answered or handled.');
  const deliveries = histogram('messaging.process.duration', 'Attempts to deliver a message.');

  const missed = counter('voice_agent.call.deadline_misses', '{call}', 'Calls that their deadline ended.');
  const retries = counter('voice_agent.attempt.retries', '{attempt}', 'Attempts beyond the first, by reason.');
  const pauses = counter('voice_agent.rate_limit.pauses', '{pause}', 'How often a 429 paused all requests.');
  const drifts = counter('voice_agent.schema_drifts', '{answer}', 'Answers with fields of another type.');
  const warnings = counter('voice_agent.version_warnings', '{warning}', 'Warnings about the pinned version.');
  const tokens = counter('voice_agent.tool.tokens_saved', '{token}', 'Tokens that models did not have to read.');
  const published = counter('messaging.client.sent.messages', '{message}', 'Messages stored for a destination.');
  const dead = counter('voice_agent.message.dead', '{message}', 'Messages that became dead letters.');
  const renewals = counter('voice_agent.credential.renewals', '{renewal}', 'Credentials renewed, by result.');
  const opened = counter('voice_agent.circuit.opened', '{circuit}', 'How often a circuit opened.');
  const circuits = meter.createUpDownCounter('voice_agent.circuit.count', {
    description: 'Circuits that are open or half-open now, by state.',
    unit: '{circuit}',
  });
  if (outboxes) observeOutboxes(meter, outboxes);

  const record = (event: IntegrationEvent): void => {
    const operation = { 'voice_agent.api': event.api, 'voice_agent.operation': event.operation };
    // For success rates: `neutral` says nothing about the endpoint.
    const result = { 'error.type': errorTypeOf(event), 'voice_agent.result': resultOf(event)?.result };
    switch (event.type) {
      case 'call': {
        const { error } = event;
        calls(event.durationMs, { ...operation, ...result, 'voice_agent.outcome': event.outcome });
        if (error?.code === 'deadline_exceeded' || error?.reason === 'deadline') missed(operation);
        return;
      }
      case 'attempt': {
        for (const { reason, ms } of event.waits) waits(ms, { ...operation, 'voice_agent.wait.reason': reason });
        const reason = whyAgain(event);
        if (reason !== undefined) retries({ ...operation, 'voice_agent.retry.reason': reason });
        return;
      }
      case 'tool-run': {
        const tool = { 'gen_ai.tool.name': event.tool };
        tools(event.durationMs, {
          ...tool,
          'error.type': result['error.type'],
          'voice_agent.tool.status': event.status,
        });
        const saved = Math.round(tokensSaved(event));
        if (saved > 0) tokens(tool, saved);
        return;
      }
      case 'webhook-received':
        return webhooks(event.durationMs, {
          ...result,
          'voice_agent.receiver': event.receiver,
          'voice_agent.event': event.event ?? 'unknown',
          'voice_agent.outcome': event.outcome,
        });
      case 'delivery':
        return deliveries(event.durationMs, {
          ...result,
          ...messageOf(event),
          'messaging.operation.name': 'deliver',
          'voice_agent.outcome': event.outcome,
        });
      case 'message-published':
        return published({ ...messageOf(event), 'messaging.operation.name': 'publish' });
      case 'message-dead':
        return dead(messageOf(event));
      case 'rate-limit':
        return pauses(operation);
      case 'schema-drift':
        return drifts(operation);
      case 'version-warning':
        return warnings(operation);
      case 'credential-renewed':
      case 'credential-renewal-failed':
        return renewals({
          'voice_agent.api': event.api,
          'voice_agent.credential': event.credential,
          'voice_agent.result': event.type === 'credential-renewed' ? 'ok' : 'failed',
        });
      case 'circuit': {
        const circuit = { 'voice_agent.circuit': event.operation };
        if (event.from !== 'closed') circuits.add(-1, { ...circuit, 'voice_agent.circuit.state': event.from });
        if (event.to !== 'closed') circuits.add(1, { ...circuit, 'voice_agent.circuit.state': event.to });
        if (event.to === 'open') opened(circuit);
        return;
      }
      default:
        return;
    }
  };

  return {
    record,
    recordRequest: (event, { 'http.request.resend_count': _count, ...target }) => {
      if (event.type !== 'attempt' || !wasSent(event)) return;
      const limitedMs = event.waits.reduce((sum, { reason, ms }) => (reason === 'rate_limit' ? sum + ms : sum), 0);
      requests(event.durationMs - limitedMs, {
        ...target,
        'http.response.status_code': event.status,
        'error.type': errorTypeOf(event),
      });
    },
  };
};

/** Those that OpenTelemetry's conventions give for `http.client.request.duration`. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;

const messageOf = ({ destination, event }: { readonly destination: string; readonly event: string }): Attributes => ({
  'messaging.system': 'voice_agent',
  'messaging.destination.name': destination,
  'voice_agent.event': event,
});

/** What waits in the outboxes, read whenever the metrics are. An outbox that can't be read is left out. */
const observeOutboxes = (meter: Meter, outboxes: () => readonly OutboxStatusSource[]): void => {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { description, unit });
  const messages = gauge('voice_agent.outbox.messages', '{message}', 'Messages waiting for a destination, by state.');
  const deadLetters = gauge('voice_agent.outbox.dead_letters', '{message}', 'The number of dead letters.');
  const oldest = gauge('voice_agent.outbox.oldest_age', 's', 'The age of the oldest waiting message.');
  const disabled = gauge('voice_agent.outbox.disabled', '{destination}', '1 while a destination is disabled.');

  meter.addBatchObservableCallback(
    async (result) => {
      const statuses = await Promise.all(outboxes().map((outbox) => outbox.status().catch(() => ({}))));
      for (const counts of sumDestinations(statuses)) {
        const destination = { 'messaging.destination.name': counts.destination };
        for (const state of ['ready', 'delayed', 'leased'] as const)
          result.observe(messages, counts[state], { ...destination, 'voice_agent.message.state': state });
        result.observe(deadLetters, counts.dead, destination);
        result.observe(oldest, counts.oldestAgeMs / 1_000, destination);
        result.observe(disabled, counts.isDisabled ? 1 : 0, destination);
      }
    },
    [messages, deadLetters, oldest, disabled],
  );
};
