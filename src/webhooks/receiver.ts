import { hash } from 'node:crypto';
import { assertUsable } from '../stores/ports/assert-usable.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, checkOptions, must, oneOf, type OptionNames } from '../core/option-checks.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { createEmitter, within } from '../observability/emitter.ts';
import { handOver } from '../stores/hand-over.ts';
import type { Consumer } from '../stores/ports/message-queue.ts';
import { acceptEvent, own, toEventDefinitions } from './accept-event.ts';
import { Refusal, refusalAnswer, storedAnswer } from './answer.ts';
import { assertAuthentication, authenticate } from './authentication/authenticate.ts';
import { type DeliveryRecord, recordFailure, recordOnce, startRecord, emitRecord } from './delivery-record.ts';
import { readEnvelope } from './envelope.ts';
import type { EventSchemas } from './event-schemas.ts';
import { createEventHandling, toRefusal } from './event-handling.ts';
import { enqueueEvent, startEventWorker, type WorkerOptions } from './event-worker.ts';
import { type DeliveryRequest, malformedUrl, type Peer } from './peer.ts';
import { parseBody, readBody } from './read-body.ts';
import type { AcceptedEvent, EventSource, RefusedDelivery, WebhookReceiverOptions } from './receiver-options.ts';

/** Takes deliveries: a function from a request to its answer, which never rejects. */
export interface WebhookReceiver {
  (request: Request, peer?: Peer): Promise<Response>;
  /**
   * Handles what was acknowledged and stored; in this process or in another that makes the same receiver.
   * Throws `InvalidArgumentError` without a `queue`.
   */
  readonly startWorker: (options?: WorkerOptions) => Consumer;
  /**
   * Handles what `send` got, once however often it's called: in your engine's worker, with the same receiver. Rejects
   * with what the handler throws; with `StoreError` while another worker has the event; with `InvalidArgumentError`
   * for one that this receiver can't handle.
   */
  readonly handle: (event: AcceptedEvent) => Promise<void>;
}

/**
 * Makes a receiver for webhooks. It verifies signatures, validates events, handles each once, and never loses an
 * acknowledged one. Mount it with an adapter, such as `voice-agent-integrations/webhooks/express`. Throws
 * `InvalidArgumentError` without a store, without authentication, and with only weak ones unless `informational` is
 * set. The same goes for an event without a handler, and a check that can't be made.
 *
 * @example
 * const receive = createWebhookReceiver({
 *   authentication: [hmac({ secrets: () => [current, previous] })],
 *   events: { 'payment.confirmed': z.object({ payment_id: z.string(), amount: z.number() }) },
 *   on: { 'payment.confirmed': async ({ payload }) => notifyCaller(payload.payment_id) },
 *   store: createMemoryIdempotencyStore(),
 * });
 */
export const createWebhookReceiver = <const Events extends EventSchemas>(
  options: WebhookReceiverOptions<Events>,
): WebhookReceiver => {
  const { store, queue, send, name = 'webhooks', leaseMs = 60_000, retainMs = 604_800_000 } = options;
  const { onError, envelope: toEnvelope = readEnvelope, unlistedEvents = 'refuse' } = options;
  const { maximumBodyBytes: maximumBytes = 1_048_576, bodyTimeMs: timeMs = 10_000 } = options;
  const methods = assertAuthentication(options.authentication, { informational: options.informational });
  checkReceiverOptions(options, { retainMs, leaseMs });
  const definitions = toEventDefinitions(options, retainMs);
  // An event whose clock was ahead looks younger than it is when it's replayed.
  const rememberedMs = retainMs + definitions.futureToleranceMs;
  // The queue may hold messages of others too.
  const group = `webhook:${name}`;
  const emitter = createEmitter(options.onEvent, { api: 'webhooks', redact: options.redact });
  const reportError = (error: unknown) => ignoreErrors(() => onError?.(error));
  const { callId } = options;
  const events = createEventHandling({ name, store, leaseMs, rememberedMs, definitions, emitter, callId, reportError });

  /** Takes one delivery, and writes all that is known of it into the record. */
  const receiveDelivery = async (request: Request, peer: Peer, record: DeliveryRecord): Promise<Response> => {
    const ignore = (reason: string, status: number) => {
      Object.assign(record, { outcome: 'ignored', reason });
      return storedAnswer({ status });
    };
    if (request.url === malformedUrl) throw new Refusal('malformed_request', 'malformed_request');
    if (request.method === 'HEAD') return ignore('head', 200);
    if (!['POST', 'PUT', 'PATCH'].includes(request.method))
      throw new Refusal('method_not_allowed', 'method_not_allowed');
    const delivery = await toDeliveryRequest(request, peer, options.tenant);
    const { tenant, url, headers } = delivery;
    record.tenant = tenant;
    const { bytes, sender, deliveryId, secrets } = await authenticate(methods, delivery, () =>
      readBody(request, { maximumBytes, timeMs }),
    );
    const source: EventSource = { sender, tenant };
    record.source = sender ?? record.source;
    emitter.hide(secrets);

    record.body = parseBody(bytes, headers);
    const envelope = toEnvelope(record.body, { url, headers });
    if (!envelope) throw new Refusal('invalid_event', 'no_envelope');
    if ('ignore' in envelope) return ignore(envelope.ignore, 204);
    record.event = envelope.type;
    if (unlistedEvents === 'acknowledge' && !own(definitions.events, envelope.type))
      return ignore('unlisted_event', 204);

    const verified = { envelope, source, deliveryId, headers, bytes, now: Date.now(), rememberedMs };
    const { event, identity } = await acceptEvent(definitions, verified);
    record.eventId = event.id;
    events.noteCallId(record, event);
    // Each sender chooses its own ids: one’s must not block another’s.
    const key = JSON.stringify([name, tenant ?? null, sender ?? null, event.id]);
    const { contentDigest, period } = identity;
    const once = await events.runOnce(
      { key, event, source, retainMs: identity.retainMs, contentDigest },
      async (signal) => {
        if (!queue && !send) return events.handle(event, source, signal);
        const queued = { id: event.id, envelope, source, trace: record.span?.headers() };
        const id = period === undefined ? key : `${key}@${period}`;
        if (send) await handOver('send', send, { key: hash('sha256', id, 'hex'), ...queued });
        else if (queue) await enqueueEvent(queue, { id, group, queued });
        return { status: 202 };
      },
    );
    if (once.state === 'conflict') throw new Refusal('conflict', 'id_of_another_event');
    recordOnce(record, once, queue || send ? 'queued' : 'handled');
    if (once.state === 'done') return storedAnswer(once.answer);
    return refusalAnswer(new Refusal('in_progress', 'in_progress', { retryAfterMs: once.retryAfterMs }));
  };

  const receive = async (request: Request, peer: Peer = {}): Promise<Response> => {
    const { method, headers } = request;
    const span = emitter.startSpan({ type: 'webhook-received', receiver: name, method }, headers);
    const record = startRecord({ span, source: peer.address });
    const answer = await within(span, () => receiveDelivery(request, peer, record)).catch((error: unknown) => {
      const refusal = toRefusal(error);
      if (refusal.cause !== undefined && isServerFault(refusal)) reportError(refusal.cause);
      recordFailure(record, refusal);
      const refused = refusalAnswer(refusal);
      if (!isServerFault(refusal))
        ignoreErrors(() => options.onRefused?.(refusedOf(refusal, record, { receiver: name, status: refused.status })));
      return refused;
    });
    emitRecord(record, { emitter, receiver: name, status: answer.status });
    return answer;
  };

  return Object.assign(receive, {
    startWorker: (workerOptions: WorkerOptions = {}) => {
      assertKnown(workerOptions, { concurrency: true, maximumAttempts: true });
      if (!queue) throw new InvalidArgumentError('queue', 'must be given to the receiver: without it, nothing waits');
      const { handleQueued: handle } = events;
      return startEventWorker(queue, { ...workerOptions, group, leaseMs, handle, onError: reportError });
    },
    handle: events.handleSent,
  });
};

const toDeliveryRequest = async (
  request: Request,
  peer: Peer,
  tenantOf: WebhookReceiverOptions<EventSchemas>['tenant'],
): Promise<DeliveryRequest> => {
  const url = new URL(request.url);
  const { headers } = request;
  if (!tenantOf) return { url, headers, peer, tenant: undefined };
  const tenant = await tenantOf({ url, headers });
  if (tenant === undefined) throw new Refusal('unauthorized', 'tenant_unknown');
  return { url, headers, peer, tenant };
};

/** The facts about a refused delivery, for the application. A field's name is from the sender. */
const refusedOf = (
  { reason, field }: Refusal,
  { source, tenant, event, eventId }: DeliveryRecord,
  { receiver, status }: { readonly receiver: string; readonly status: number },
): RefusedDelivery => {
  const safeField = field !== undefined && /^[\w.]{1,100}$/.test(field) ? field : undefined;
  return { receiver, reason, status, field: safeField, source, tenant, event, eventId };
};

const checkReceiverOptions = <Events extends EventSchemas>(
  options: WebhookReceiverOptions<Events>,
  { retainMs, leaseMs }: { readonly retainMs: number; readonly leaseMs: number },
): void => {
  const { store, queue, send } = options;
  checkOptions(undefined, [
    () => assertKnown<WebhookReceiverOptions<Events>>(options, optionNames),
    must(
      typeof store === 'function' || typeof store?.claim === 'function',
      'store',
      'must be given, such as createMemoryIdempotencyStore()',
    ),
    oneOf(options.unlistedEvents, 'unlistedEvents', ['refuse', 'acknowledge']),
    must(send === undefined || typeof send === 'function', 'send', 'must be a function of the event'),
    must(!send || !queue, 'send', 'must be left out where there is a queue: an event goes to one of them'),
    must(!(retainMs < leaseMs), 'retainMs', `must be at least leaseMs, ${leaseMs}`),
  ]);
  if (typeof store !== 'function') assertUsable('store', store);
  assertUsable('queue', queue);
};

const isServerFault = ({ code }: Refusal): boolean => code === 'failed' || code === 'unavailable';

const optionNames: OptionNames<WebhookReceiverOptions<EventSchemas>> = {
  authentication: true,
  informational: true,
  events: true,
  on: true,
  store: true,
  queue: true,
  send: true,
  name: true,
  tenant: true,
  envelope: true,
  eventId: true,
  unlistedEvents: true,
  checks: true,
  recordExists: true,
  rules: true,
  maximumBodyBytes: true,
  bodyTimeMs: true,
  leaseMs: true,
  retainMs: true,
  futureToleranceMs: true,
  callId: true,
  onEvent: true,
  redact: true,
  onRefused: true,
  onError: true,
};
