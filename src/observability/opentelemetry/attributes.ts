import type { AttemptEvent, IntegrationEvent } from '../events.ts';
import { resultOf } from '../result-of.ts';
import type { SpanStart } from '../listeners.ts';
import { type Attributes, SpanKind } from './api.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

export interface SpanBeginning {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/**
 * Returns the attributes of a span at its start. Names come from OpenTelemetry's semantic conventions if it has any;
 * all others start with `voice_agent.`. They hold no path and no query, which may be personal.
 */
export const startOf = (start: SpanStart, { isNested }: { readonly isNested: boolean }): SpanBeginning => {
  switch (start.type) {
    case 'call':
      return { name: start.operation, kind: SpanKind.INTERNAL, attributes: {} };
    case 'attempt':
      return { name: start.method, kind: SpanKind.CLIENT, attributes: requestAttributes(start) };
    case 'tool-run':
      return {
        name: `execute_tool ${start.tool}`,
        kind: SpanKind.INTERNAL,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': start.tool,
          'gen_ai.tool.type': 'function',
        },
      };
    case 'webhook-received': {
      const { receiver, method } = start;
      const attributes = { 'voice_agent.receiver': receiver };
      return method === undefined
        ? {
            name: `process ${receiver}`,
            kind: SpanKind.CONSUMER,
            attributes: { ...attributes, ...messaging('process') },
          }
        : {
            name: `webhook ${receiver}`,
            kind: isNested ? SpanKind.INTERNAL : SpanKind.SERVER,
            attributes: { ...attributes, 'http.request.method': method },
          };
    }
    case 'message-published':
      return { name: `publish ${start.event}`, kind: SpanKind.PRODUCER, attributes: messaging('send') };
    case 'delivery':
      return {
        name: `deliver ${start.destination}`,
        kind: SpanKind.CONSUMER,
        attributes: { ...messaging('process'), 'messaging.destination.name': start.destination },
      };
  }
};

/** The target of an attempt. */
const requestAttributes = ({ method, url, attempt }: Extract<SpanStart, { type: 'attempt' }>): Attributes => {
  const target = URL.parse(url);
  return withoutUndefined({
    'http.request.method': method,
    'server.address': target?.hostname.replace(/^\[|\]$/g, ''),
    'server.port': target ? portOf(target) : undefined,
    'url.scheme': target?.protocol.slice(0, -1),
    'http.request.resend_count': attempt > 1 ? attempt - 1 : undefined,
  });
};

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

/** The outbox, and the queue of a receiver: a messaging system of its own, as the conventions call it. */
const messaging = (type: 'send' | 'process'): Attributes => ({
  'messaging.system': 'voice_agent',
  'messaging.operation.type': type,
});

export interface SpanEnd {
  /** A name that the application chose, redacted again: a secret in it may be known only now. */
  readonly name: string | undefined;
  readonly attributes: Attributes;
  readonly waits: AttemptEvent['waits'];
  /** The code of the error, if it's a failure. */
  readonly problem: string | undefined;
}

/** Returns the parts of a span that come from its event, which is redacted. */
export const spanEndOf = (event: IntegrationEvent): SpanEnd => {
  const type = errorTypeOf(event);
  return {
    name: nameOf(event),
    attributes: {
      'voice_agent.api': event.api,
      'voice_agent.operation': event.operation,
      'voice_agent.tenant': event.tenant,
      'voice_agent.call_id': event.callId,
      'error.type': type,
      ...ownAttributes(event),
    },
    waits: event.type === 'attempt' ? event.waits : [],
    problem: type !== undefined && isFailure(event) ? type : undefined,
  };
};

const nameOf = (event: IntegrationEvent): string | undefined => {
  if (event.type === 'call') return event.operation;
  return event.type === 'message-published' ? `publish ${event.event}` : undefined;
};

const ownAttributes = (event: IntegrationEvent): Attributes => {
  switch (event.type) {
    case 'call':
      return {
        'voice_agent.outcome': event.outcome,
        'voice_agent.attempts': event.attempts,
        'voice_agent.deadline_ms': event.deadlineMs,
        'voice_agent.error.codes': codesOf(event),
      };
    case 'attempt':
      return {
        'http.response.status_code': event.status,
        'voice_agent.request_id': event.requestId,
        'voice_agent.error.codes': codesOf(event),
      };
    case 'tool-run':
      return {
        'gen_ai.tool.call.id': event.toolCallId,
        'voice_agent.tool.effect': event.effect,
        'voice_agent.tool.status': event.status,
        'voice_agent.tool.replayed': event.replayed,
      };
    case 'webhook-received':
      return {
        'http.response.status_code': event.status,
        'messaging.message.id': event.eventId,
        'voice_agent.event': event.event,
        'voice_agent.outcome': event.outcome,
      };
    case 'message-published':
      return { 'messaging.message.id': event.idempotencyKey, 'voice_agent.event': event.event };
    case 'delivery':
      return {
        'http.response.status_code': event.status,
        'messaging.message.id': event.idempotencyKey,
        'voice_agent.event': event.event,
        'voice_agent.attempt': event.attempt,
        'voice_agent.outcome': event.outcome,
        'voice_agent.retry_in_ms': event.retryInMs,
      };
    default:
      return {};
  }
};

const codesOf = ({ error }: Extract<IntegrationEvent, { type: 'call' | 'attempt' }>): string[] | undefined =>
  error?.codes && [...error.codes];

/** `error.type` of the conventions: for an attempt its status, if it has one; otherwise one of a few words. */
export const errorTypeOf = (event: IntegrationEvent): string | undefined => {
  if (event.type === 'attempt') {
    const { error, status } = event;
    if (!error) return undefined;
    return status !== undefined && status >= 400 ? String(status) : (error.networkCode ?? error.reason ?? error.code);
  }
  if (event.type === 'tool-run') return event.status === 'done' ? undefined : (event.reason ?? event.status);
  return resultOf(event)?.error;
};

/** Says if the span failed. A call that the caller ended didn't. */
const isFailure = (event: IntegrationEvent): boolean => {
  switch (event.type) {
    case 'call':
    case 'attempt':
      return event.error !== undefined && event.error.code !== 'aborted';
    case 'tool-run':
      return event.status === 'failed' || event.status === 'unknown';
    case 'webhook-received':
      return event.outcome === 'failed';
    case 'delivery':
      return event.outcome === 'retry' || event.outcome === 'dead';
    default:
      return false;
  }
};
