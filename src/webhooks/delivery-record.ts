import type { Clock } from '../clock.ts';
import { isIntegrationError } from '../errors.ts';
import type { EventError, Untold, WebhookReceivedEvent } from '../observability/events.ts';
import { sanitizeBody } from '../observability/sanitize-body.ts';
import type { Tell } from '../observability/teller.ts';
import type { Span } from '../observability/tracer.ts';
import type { Refusal } from './answer.ts';
import type { Once } from './run-once.ts';

/** What is found out about a delivery on its way; written down by the receiver, told when the answer is known. */
export interface DeliveryRecord {
  readonly startedAt: number;
  readonly span: Span | undefined;
  tenant: string | undefined;
  callId: string | undefined;
  source: string | undefined;
  event: string | undefined;
  eventId: string | undefined;
  body: unknown;
  outcome: WebhookReceivedEvent['outcome'];
  reason: string | undefined;
  error: EventError | undefined;
}

export const startRecord = (clock: Clock, about: Partial<DeliveryRecord>): DeliveryRecord => ({
  startedAt: clock.now(),
  span: undefined,
  tenant: undefined,
  callId: undefined,
  source: undefined,
  event: undefined,
  eventId: undefined,
  body: undefined,
  outcome: 'failed',
  reason: undefined,
  error: undefined,
  ...about,
});

export const recordOnce = (record: DeliveryRecord, once: Once, done: 'handled' | 'queued'): void => {
  if (once.state === 'conflict') record.outcome = 'refused';
  else if (once.state === 'in-progress') record.outcome = 'in-progress';
  else record.outcome = once.isReplayed ? 'replayed' : done;
};

export const recordFailure = (record: DeliveryRecord, { code, reason, cause }: Refusal): void => {
  const isOurs = code === 'failed' || code === 'unavailable';
  record.outcome = isOurs ? 'failed' : 'refused';
  record.reason = reason;
  if (isOurs) record.error = { code: isIntegrationError(cause) ? cause.code : 'internal_error' };
};

/** Senders give up, or deliver later from then on, when an answer takes longer. Spec, "Limits": the fast path. */
const slowAfterMs = 500;

export const tellRecord = (
  record: DeliveryRecord,
  {
    tell,
    receiver,
    clock,
    status,
  }: {
    readonly tell: Tell;
    readonly receiver: string;
    readonly clock: Clock;
    readonly status: number | undefined;
  },
): void => {
  if (!tell.isHeard('webhook-received')) return;
  const { startedAt, span, tenant, callId, source, event, eventId, body, outcome, reason, error } = record;
  const durationMs = clock.now() - startedAt;
  const received: Untold<WebhookReceivedEvent> = {
    type: 'webhook-received',
    operation: 'webhooks.receive',
    direction: 'in',
    receiver,
    outcome,
    durationMs,
    isSlow: status !== undefined && durationMs > slowAfterMs,
    ...(callId !== undefined && { callId }),
    ...(reason !== undefined && { reason }),
    ...(source !== undefined && { source }),
    ...(event !== undefined && { event }),
    ...(eventId !== undefined && { eventId }),
    ...(status !== undefined && { status }),
    ...(body !== undefined && { body: sanitizeBody(body) }),
    ...(error && { error }),
  };
  tell.ofTenant(tenant)(received, span);
};
