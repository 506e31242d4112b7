import { IntegrationError } from '../core/errors.ts';
import type { EventError, EventInput, WebhookReceivedEvent } from '../observability/events.ts';
import { sanitizeBody } from '../observability/redaction/sanitize-body.ts';
import type { Emitter } from '../observability/emitter.ts';
import type { Span } from '../observability/listeners.ts';
import type { Refusal } from './answer.ts';
import type { Once } from './run-once.ts';

/** Everything that the receiver learns about a delivery; emitted when the answer is known. */
export interface DeliveryRecord {
  readonly startedAt: number;
  readonly span?: Span | undefined;
  tenant?: string | undefined;
  callId?: string | undefined;
  source?: string | undefined;
  event?: string | undefined;
  eventId?: string | undefined;
  body?: unknown;
  outcome: WebhookReceivedEvent['outcome'];
  reason?: string | undefined;
  error?: EventError | undefined;
}

export const startRecord = (about: Partial<DeliveryRecord>): DeliveryRecord => ({
  startedAt: performance.now(),
  outcome: 'failed',
  ...about,
});

export const recordOnce = (record: DeliveryRecord, once: Once, done: 'handled' | 'queued'): void => {
  if (once.state === 'conflict') record.outcome = 'refused';
  else if (once.state === 'in-progress') record.outcome = 'in-progress';
  else record.outcome = once.isReplayed ? 'replayed' : done;
};

export const recordFailure = (record: DeliveryRecord, { code, reason, cause }: Refusal): void => {
  const isServerFault = code === 'failed' || code === 'unavailable';
  record.outcome = isServerFault ? 'failed' : 'refused';
  record.reason = reason;
  if (isServerFault) record.error = { code: cause instanceof IntegrationError ? cause.code : 'internal_error' };
};

/** Some senders give up, or deliver later from then on, when an answer takes longer. */
const slowAfterMs = 500;

export const emitRecord = (
  record: DeliveryRecord,
  {
    emitter,
    receiver,
    status,
  }: {
    readonly emitter: Emitter;
    readonly receiver: string;
    readonly status: number | undefined;
  },
): void => {
  if (!emitter.hasListeners()) return;
  const { startedAt, span, tenant, callId, source, event, eventId, body, outcome, reason, error } = record;
  const durationMs = performance.now() - startedAt;
  const received: EventInput<WebhookReceivedEvent> = {
    type: 'webhook-received',
    operation: 'webhooks.receive',
    direction: 'in',
    receiver,
    outcome,
    durationMs,
    isSlow: status !== undefined && durationMs > slowAfterMs,
    callId,
    reason,
    source,
    event,
    eventId,
    status,
    body: body === undefined ? undefined : sanitizeBody(body),
    error,
  };
  emitter.forTenant(tenant).emit(received, span);
};
