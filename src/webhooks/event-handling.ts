import { IntegrationError, InvalidArgumentError, StoreError } from '../core/errors.ts';
import { type Emitter, within } from '../observability/emitter.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { storedTrace } from '../observability/listeners.ts';
import { type EventDefinitions, own, validateEvent } from './accept-event.ts';
import { handledAnswer, Refusal, type StoredAnswer } from './answer.ts';
import { type DeliveryRecord, emitRecord, recordFailure, recordOnce, startRecord } from './delivery-record.ts';
import type { EventSchemas, ReceivedEvent } from './event-schemas.ts';
import type { HandleQueued } from './event-worker.ts';
import type { AcceptedEvent, EventHandler, EventSource, WebhookReceiverOptions } from './receiver-options.ts';
import { type Once, runOnce } from './run-once.ts';

/** Runs the handlers of a receiver, each event once, at once or from the queue. */
export interface EventHandling {
  /** Does the work of an event once, by its key and contents. */
  readonly runOnce: (run: EventRun, work: (signal: AbortSignal) => Promise<StoredAnswer>) => Promise<Once>;
  readonly handle: (event: ReceivedEvent, source: EventSource, signal: AbortSignal) => Promise<StoredAnswer>;
  readonly handleQueued: HandleQueued;
  /** Handles what `send` got. Resolves when it's done, now or before. */
  readonly handleSent: (accepted: AcceptedEvent) => Promise<void>;
  readonly noteCallId: (record: DeliveryRecord, event: ReceivedEvent) => void;
}

/** An event, with the key that keeps it from being handled twice. */
interface EventRun {
  readonly key: string;
  readonly event: ReceivedEvent;
  readonly source: EventSource;
  readonly retainMs: number;
  readonly contentDigest?: string | undefined;
}

interface EventHandlingOptions {
  readonly name: string;
  readonly store: WebhookReceiverOptions<EventSchemas>['store'];
  readonly leaseMs: number;
  readonly rememberedMs: number;
  readonly definitions: EventDefinitions & { readonly handlers: Readonly<Record<string, EventHandler<ReceivedEvent>>> };
  readonly emitter: Emitter;
  readonly callId: ((event: ReceivedEvent) => string | undefined) | undefined;
  readonly reportError: (error: unknown) => void;
}

/** Creates the handling of one receiver's events. */
export const createEventHandling = ({
  name,
  store,
  leaseMs,
  rememberedMs,
  definitions,
  emitter,
  callId,
  reportError,
}: EventHandlingOptions): EventHandling => {
  const noteCallId: EventHandling['noteCallId'] = (record, event) =>
    ignoreErrors(() => {
      record.callId = callId?.(event);
    });

  const runEventOnce = async (
    { key, event, source, retainMs, contentDigest }: EventRun,
    work: (signal: AbortSignal) => Promise<StoredAnswer>,
  ): Promise<Once> => {
    const ownStore = typeof store === 'function' ? store(source.tenant) : store;
    const about = [event.type, event.version ?? null];
    const fingerprint = JSON.stringify(contentDigest === undefined ? about : [...about, contentDigest]);
    return runOnce({ store: ownStore, key, fingerprint, leaseMs, retainMs, onStoreError: reportError }, work);
  };

  const handle = async (event: ReceivedEvent, source: EventSource, signal: AbortSignal): Promise<StoredAnswer> => {
    const handler = own<EventHandler<ReceivedEvent>>(definitions.handlers, event.type);
    let result: unknown;
    try {
      result = await handler?.(event, { ...source, signal });
    } catch (cause) {
      throw handlerFailed(cause);
    }
    const answer = handledAnswer(result);
    if (answer) return answer;
    // It is done: another delivery would do it again.
    reportError(new InvalidArgumentError(`on.${event.type}`, 'must give nothing or what JSON can hold'));
    return { status: 204 };
  };

  const handleQueuedEvent: HandleQueued = async ({ id, envelope, source, trace }, key, leaseSignal) => {
    const { sender, tenant } = source;
    const span = emitter.startSpan({ type: 'webhook-received', receiver: name }, storedTrace(trace));
    const record = startRecord({ span, source: sender, tenant, event: envelope.type, eventId: id });
    try {
      const event: ReceivedEvent = { ...(await validateEvent(definitions, envelope)), id };
      noteCallId(record, event);
      // A key of its own, since that of the delivery is finished.
      const once = await runEventOnce({ key: `handled:${key}`, event, source, retainMs: rememberedMs }, (signal) =>
        within(span, () => handle(event, source, leaseSignal ? AbortSignal.any([signal, leaseSignal]) : signal)),
      );
      recordOnce(record, once, 'handled');
      return once;
    } catch (error) {
      recordFailure(record, toRefusal(error));
      throw error instanceof Refusal ? (error.cause ?? error) : error;
    } finally {
      emitRecord(record, { emitter, receiver: name, status: undefined });
    }
  };

  const handleSent: EventHandling['handleSent'] = async (accepted) => {
    assertAccepted(accepted);
    const once = await handleQueuedEvent(accepted, accepted.key).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      throw new InvalidArgumentError('event', `can't be handled by this receiver: ${error.reason}`);
    });
    if (once.state === 'conflict') throw new InvalidArgumentError('event.key', 'belongs to an event of another type');
    if (once.state !== 'in-progress') return;
    const { retryAfterMs } = once;
    throw new StoreError('another worker is handling this event: call handle again', { retryAfterMs });
  };

  return { runOnce: runEventOnce, handle, handleQueued: handleQueuedEvent, handleSent, noteCallId };
};

/** An engine may have lost parts, or hand on an event that is wrapped in one of its own. */
const assertAccepted = (accepted: AcceptedEvent): void => {
  const { key, id, envelope, source }: Partial<Record<keyof AcceptedEvent, unknown>> = Object(accepted);
  const { type }: { readonly type?: unknown } = Object(envelope);
  const isWhole = [key, id, type].every((text) => typeof text === 'string' && text !== '') && Object(source) === source;
  if (!isWhole) throw new InvalidArgumentError('event', 'must be what send got: key, id, envelope and source');
};

/** A handler that knows when it may work again says so with the error it passes on. */
const handlerFailed = (cause: unknown): Refusal =>
  cause instanceof IntegrationError && cause.retryAfterMs !== undefined
    ? new Refusal('unavailable', 'handler_failed', { cause, retryAfterMs: cause.retryAfterMs })
    : new Refusal('failed', 'handler_failed', { cause });

/** An unexpected failure: the set-up is wrong, or something that the receiver needs is out of reach. */
export const toRefusal = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  return error instanceof InvalidArgumentError
    ? new Refusal('failed', 'misconfigured', { cause: error })
    : new Refusal('unavailable', 'unavailable', { cause: error ?? new Error('nothing was thrown') });
};
