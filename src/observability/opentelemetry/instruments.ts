import { wasSent, whyAgain } from '../attempt-sent.ts';
import type {
  AttemptEvent,
  CallEvent,
  DeliveryEvent,
  IntegrationEvent,
  ToolRunEvent,
  WebhookReceivedEvent,
} from '../events.ts';
import type { OutboxStatusSource } from '../metrics/create-metrics.ts';
import { resultOf } from '../result-of.ts';
import type { Attributes, Meter } from './api.ts';
import { errorTypeOf } from './attributes.ts';
import { observeOutboxes } from './observe-outboxes.ts';

/** Counts into the application's own meters. */
export interface Instruments {
  /** What has a span, when it ends. */
  ended(event: IntegrationEvent, beginning: Attributes): void;
  /** Every event. */
  heard(event: IntegrationEvent): void;
}

export const createInstruments = (meter: Meter, outboxes?: () => readonly OutboxStatusSource[]): Instruments => {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: [...boundaries] } });
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { description, unit });

  const requests = seconds('http.client.request.duration', 'Duration of HTTP client requests.');
  const calls = seconds('voice_agent.call.duration', 'Calls of operations, with all their attempts and waits.');
  const waits = seconds('voice_agent.wait.duration', 'Waits before requests, by reason.');
  const tools = seconds('voice_agent.tool.duration', 'Tool calls of models.');
  const webhooks = seconds('voice_agent.webhook.duration', 'Webhooks, until they were answered or handled.');
  const deliveries = seconds('messaging.process.duration', 'Attempts to deliver a message.');

  const missed = counter('voice_agent.call.deadline_misses', '{call}', 'Calls that their deadline ended.');
  const shared = counter('voice_agent.call.shared', '{call}', 'Reads that had their answer from another’s request.');
  const retries = counter('voice_agent.attempt.retries', '{attempt}', 'Attempts beyond the first, by reason.');
  const pauses = counter('voice_agent.rate_limit.pauses', '{pause}', 'How often a 429 kept everybody waiting.');
  const drifts = counter('voice_agent.schema_drifts', '{answer}', 'Answers with fields that were not as typed.');
  const warnings = counter('voice_agent.version_warnings', '{warning}', 'Warnings about the pinned version.');
  const tokens = counter('voice_agent.tool.tokens_saved', '{token}', 'Tokens that a model did not have to read.');
  const published = counter('messaging.client.sent.messages', '{message}', 'Messages stored for a destination.');
  const dead = counter('voice_agent.message.dead', '{message}', 'Messages that became dead letters.');
  const renewals = counter('voice_agent.credential.renewals', '{renewal}', 'Credentials fetched anew, by result.');
  const opened = counter('voice_agent.circuit.opened', '{circuit}', 'How often a circuit opened.');
  const circuits = meter.createUpDownCounter('voice_agent.circuit.count', {
    description: 'Circuits that are open or half-open right now, by state.',
    unit: '{circuit}',
  });
  if (outboxes) observeOutboxes(meter, outboxes);

  const attemptEnded = (event: AttemptEvent, beginning: Attributes) => {
    if (!wasSent(event)) return;
    const waitedMs = event.waits.reduce((sum, { reason, ms }) => (reason === 'rate_limit' ? sum + ms : sum), 0);
    const { 'http.request.resend_count': _count, ...target } = beginning;
    const status = event.status === undefined ? {} : { 'http.response.status_code': event.status };
    requests.record(inSeconds(event.durationMs - waitedMs), { ...target, ...status, ...errorType(event) });
  };

  const attempted = (event: AttemptEvent) => {
    // What a hedge waited for was the first attempt.
    for (const { reason, ms } of event.waits)
      if (reason !== 'hedge') waits.record(inSeconds(ms), { ...operationOf(event), 'voice_agent.wait.reason': reason });
    const reason = whyAgain(event);
    if (reason !== undefined) retries.add(1, { ...operationOf(event), 'voice_agent.retry.reason': reason });
  };

  const called = (event: CallEvent) => {
    const { durationMs, outcome, error } = event;
    calls.record(inSeconds(durationMs), {
      ...operationOf(event),
      'voice_agent.outcome': outcome,
      ...errorType(event),
      ...resultAttribute(event),
    });
    if (event.shared) shared.add(1, operationOf(event));
    if (error?.code === 'deadline_exceeded' || error?.reason === 'deadline') missed.add(1, operationOf(event));
  };

  const toolRan = (event: ToolRunEvent) => {
    const { tool, status, durationMs, resultChars, fullChars = 0 } = event;
    const named = { 'gen_ai.tool.name': tool };
    tools.record(inSeconds(durationMs), { ...named, 'voice_agent.tool.status': status, ...errorType(event) });
    const saved = Math.round(Math.max(0, fullChars - resultChars) / charsPerToken);
    if (saved > 0) tokens.add(saved, named);
  };

  const received = (event: WebhookReceivedEvent) =>
    webhooks.record(inSeconds(event.durationMs), {
      'voice_agent.receiver': event.receiver,
      'voice_agent.event': event.event ?? 'unknown',
      'voice_agent.outcome': event.outcome,
      ...errorType(event),
      ...resultAttribute(event),
    });

  const delivered = (event: DeliveryEvent) =>
    deliveries.record(inSeconds(event.durationMs), {
      ...messageOf(event),
      'messaging.operation.name': 'deliver',
      'voice_agent.outcome': event.outcome,
      ...errorType(event),
      ...resultAttribute(event),
    });

  return {
    ended: (event, beginning) => {
      if (event.type === 'attempt') attemptEnded(event, beginning);
    },
    heard: (event) => {
      switch (event.type) {
        case 'call':
          return called(event);
        case 'attempt':
          return attempted(event);
        case 'tool-run':
          return toolRan(event);
        case 'webhook-received':
          return received(event);
        case 'delivery':
          return delivered(event);
        case 'message-published':
          return published.add(1, { ...messageOf(event), 'messaging.operation.name': 'publish' });
        case 'message-dead':
          return dead.add(1, messageOf(event));
        case 'rate-limit':
          return pauses.add(1, operationOf(event));
        case 'schema-drift':
          return drifts.add(1, operationOf(event));
        case 'version-warning':
          return warnings.add(1, operationOf(event));
        case 'credential-renewed':
        case 'credential-renewal-failed':
          return renewals.add(1, {
            'voice_agent.api': event.api,
            'voice_agent.credential': event.credential,
            'voice_agent.result': event.type === 'credential-renewed' ? 'ok' : 'failed',
          });
        case 'circuit': {
          const named = { 'voice_agent.circuit': event.operation };
          if (event.from !== 'closed') circuits.add(-1, { ...named, 'voice_agent.circuit.state': event.from });
          if (event.to !== 'closed') circuits.add(1, { ...named, 'voice_agent.circuit.state': event.to });
          if (event.to === 'open') opened.add(1, named);
          return;
        }
        default:
          return undefined;
      }
    },
  };
};

/** Those that OpenTelemetry's conventions give for `http.client.request.duration`. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;

/** Of JSON, which has more signs and fewer words than prose. */
const charsPerToken = 3;

const inSeconds = (ms: number): number => Math.max(0, ms) / 1_000;

const operationOf = ({ api, operation }: IntegrationEvent): Attributes => ({
  'voice_agent.api': api,
  'voice_agent.operation': operation,
});

const messageOf = ({ destination, event }: { readonly destination: string; readonly event: string }): Attributes => ({
  'messaging.system': 'voice_agent',
  'messaging.destination.name': destination,
  'voice_agent.event': event,
});

const errorType = (event: IntegrationEvent): Attributes => {
  const type = errorTypeOf(event);
  return type === undefined ? {} : { 'error.type': type };
};

/** For success rates: what is `neutral` says nothing about the endpoint. */
const resultAttribute = (event: IntegrationEvent): Attributes => {
  const ended = resultOf(event);
  return ended ? { 'voice_agent.result': ended.result } : {};
};
