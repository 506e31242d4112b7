import { assertKnown, checkOptions, oneOf } from '../core/option-checks.ts';
import type { CallEvent, DeliveryEvent, EventType, IntegrationEvent, WebhookReceivedEvent } from './events.ts';
import type { OnEvent } from './listeners.ts';

/** A logger of the shape of pino. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Saves the work for a level that is off, if the logger has it. */
  isLevelEnabled?(level: string): boolean;
}

/** The urgency of a line of the log, in the words of pino. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The level of each event. */
export interface LogOptions {
  /**
   * Another level for a type of event, or `silent`.
   * @defaultValue `debug` for what is usual and frequent, `info` for what ended, `warn` for what to know, `error` for what
   * to look after
   */
  readonly levels?: Readonly<Partial<Record<EventType, LogLevel | 'silent'>>> | undefined;
}

/**
 * Writes every event to a logger: one line per event, with its fields and a sentence. Calls, webhooks and deliveries
 * have `timestamp`, `direction`, `source` or `destination`, `eventType`, `responseStatus`, `responseTimeMs` and
 * `error`. Their `body` is sanitised. Without it, nothing is logged.
 *
 * @example
 * createIntegration({ billing, onEvent: logTo(pino()) });
 */
export const logTo = (logger: Logger, options: LogOptions = {}): OnEvent => {
  assertKnown(options, { levels: true });
  const { levels = {} } = options;
  checkOptions(
    'levels',
    Object.entries(levels).map(([type, level]) => oneOf(level, type, ['debug', 'info', 'warn', 'error', 'silent'])),
  );
  return (event) => {
    const level = levels[event.type] ?? levelOf(event);
    if (level === 'silent' || logger.isLevelEnabled?.(level) === false) return;
    logger[level](fieldsOf(event), inOneLine(sentenceOf(event)));
  };
};

const levelOf = (event: IntegrationEvent): LogLevel => {
  switch (event.type) {
    case 'call':
      return levelOfCall(event, event.error?.code);
    case 'attempt':
      return event.error && event.error.code !== 'aborted' ? 'warn' : 'debug';
    case 'circuit':
      return event.to === 'open' ? 'error' : 'info';
    case 'settled-late':
      return levelOfCall(event, undefined);
    case 'tool-run':
      return event.status === 'unknown' ? 'error' : event.status === 'failed' ? 'warn' : 'info';
    case 'webhook-received':
      return event.outcome === 'failed' ? 'error' : event.outcome === 'refused' || event.isSlow ? 'warn' : 'info';
    case 'delivery':
      return event.outcome === 'delivered' ? 'info' : 'warn';
    case 'rate-limit':
    case 'version-warning':
    case 'schema-drift':
    case 'endpoint-missing':
      return 'warn';
    case 'message-dead':
    case 'destination-disabled':
    case 'credential-renewal-failed':
      return 'error';
    case 'credential-used':
    case 'credential-renewed':
    case 'message-published':
      return 'debug';
  }
};

/** Someone must look into an `unknown` write (with a key, or unsafe); a caller who hung up needs no one. */
const levelOfCall = (
  { outcome, idempotencyKey, ...call }: Pick<CallEvent, 'outcome' | 'idempotencyKey' | 'unsafe'>,
  code: string | undefined,
): LogLevel => {
  if (outcome === 'ok' || code === 'aborted') return 'info';
  const isWrite = idempotencyKey !== undefined || call.unsafe === true;
  return outcome === 'unknown' && isWrite ? 'error' : 'warn';
};

/** A name that someone else chose can't begin a line of its own, or change the terminal. */
const inOneLine = (sentence: string): string =>
  sentence.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const fieldsOf = (event: IntegrationEvent): object => {
  if (event.type === 'call') return callFields(event);
  if (event.type === 'webhook-received') return webhookFields(event);
  if (event.type === 'delivery') return deliveryFields(event);
  const { at, ...fields } = event;
  return { timestamp: timestampOf(at), ...fields };
};

const callFields = ({ at, status, durationMs, body, error, ...rest }: CallEvent): object => ({
  timestamp: timestampOf(at),
  ...rest,
  direction: 'out',
  destination: rest.api,
  eventType: rest.operation,
  body,
  responseStatus: status,
  responseTimeMs: durationMs,
  error,
});

const webhookFields = ({ at, event, status, durationMs, source, error, ...rest }: WebhookReceivedEvent): object => {
  const { reason, outcome } = rest;
  const isOver = outcome !== 'refused' && outcome !== 'failed';
  return {
    timestamp: timestampOf(at),
    ...rest,
    source,
    eventType: event,
    responseStatus: status,
    responseTimeMs: durationMs,
    error: isOver ? undefined : (error ?? { code: reason ?? outcome }),
  };
};

const deliveryFields = ({ at, event, status, durationMs, ...rest }: DeliveryEvent): object => ({
  timestamp: timestampOf(at),
  ...rest,
  eventType: event,
  responseStatus: status,
  responseTimeMs: durationMs,
  error: rest.reason === undefined ? undefined : { code: rest.reason },
});

const timestampOf = (at: number): string => new Date(at).toISOString();

const sentenceOf = (event: IntegrationEvent): string => {
  const { operation } = event;
  switch (event.type) {
    case 'call':
      return `${operation}: ${event.error ? codeOf(event.error) : 'ok'} after ${inMs(event.durationMs)}`;
    case 'attempt':
      return `${operation}, attempt ${event.attempt}: ${event.error ? codeOf(event.error) : event.status} after ${inMs(event.durationMs)}`;
    case 'circuit':
      return `${operation}: the circuit went from ${event.from} to ${event.to}`;
    case 'rate-limit':
      return `${operation}: all calls pause for ${inMs(event.pausedForMs)} (Retry-After)`;
    case 'version-warning':
      return `${operation}: the pinned version ${event.pinned} is not what the API will go on with`;
    case 'schema-drift':
      return `${operation}: left out ${event.fields.join(', ')}`;
    case 'endpoint-missing':
      return `${operation}: the API has no such endpoint, and the call goes on without it`;
    case 'settled-late':
      return `${operation}: settled after its caller had gone: ${event.outcome}`;
    case 'credential-used':
      return `${operation}: used ${event.credential}, ${event.state}`;
    case 'credential-renewed':
      return `${operation}: renewed ${event.credential}`;
    case 'credential-renewal-failed':
      return `${operation}: could not renew ${event.credential}: ${event.reason}`;
    case 'tool-run':
      return `${operation}: ${event.status} after ${inMs(event.durationMs)}`;
    case 'webhook-received':
      return `${event.receiver}: ${event.event ?? 'a webhook'} ${event.outcome} after ${inMs(event.durationMs)}`;
    case 'message-published':
      return `${event.destination}: ${event.event} stored`;
    case 'delivery':
      return `${event.destination}: ${event.event}, attempt ${event.attempt}: ${event.outcome} after ${inMs(event.durationMs)}`;
    case 'message-dead':
      return `${event.destination}: ${event.event} is a dead letter: ${event.reason}`;
    case 'destination-disabled':
      return `${event.destination}: disabled: ${event.reason}`;
  }
};

const codeOf = ({ code, reason }: { readonly code: string; readonly reason?: string | undefined }): string =>
  reason === undefined ? code : `${code} (${reason})`;

const inMs = (ms: number): string => `${Math.round(ms)} ms`;
