import type { Transport } from '../http/request.ts';
import type { DeliveryEvent, EventInput } from '../observability/events.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { type Emitter, within } from '../observability/emitter.ts';
import { storedTrace } from '../observability/listeners.ts';
import { holdDelays } from '../stores/hold-delays.ts';
import type { Consumer, Lease, MessageQueue, QueuedMessage } from '../stores/ports/message-queue.ts';
import { type Attempts, createAttempts, defaultAttemptTimeoutMs, longestQueueingMs } from './attempt.ts';
import { type Attempted, type Decision, decide, retryDelaysMs } from './decide.ts';
import { type Destination, groupOf } from './destination.ts';
import { bodyForPeople, type OutboxMessage, readMessage } from './message.ts';
import type { Confirmations } from './publish.ts';

/** Something that a person should look at. */
export type Alert =
  | {
      readonly type: 'dead-letter';
      readonly id: string;
      readonly destination: string;
      readonly event: string;
      readonly reason: string;
    }
  | { readonly type: 'destination-disabled'; readonly destination: string; readonly reason: string }
  /** Its secret or credential can't be read: messages wait for it. Said once until it can. */
  | { readonly type: 'no-credential'; readonly destination: string; readonly error: unknown }
  /** Messages cannot be leased or settled, which is tried again by itself; or there is no `admin` to disable a destination. */
  | { readonly type: 'queue-failed'; readonly error: unknown };

export interface WorkerOptions {
  readonly queue: MessageQueue;
  readonly destinations: readonly Destination[];
  readonly leaseMs?: number | undefined;
  readonly delaysMs?: readonly number[] | undefined;
  readonly transport: Transport;
  readonly emitter: Emitter;
  readonly onAlert?: ((alert: Alert) => void) | undefined;
  readonly confirmations: Confirmations;
}

/** Says once that a destination has no credential, until it has one. */
const createCredentialAlerts = (alert: (what: Alert) => void) => {
  const without = new Set<string>();
  return (destination: string, attempted: Attempted): void => {
    const error = attempted.type === 'postponed' ? attempted.error : undefined;
    if (!error) return void without.delete(destination);
    if (!without.has(destination)) alert({ type: 'no-credential', destination, error });
    without.add(destination);
  };
};

/** Delivers what the queue holds: one attempt per lease, each destination by itself. */
export const startWorker = (options: WorkerOptions): Consumer => {
  const { queue, destinations, emitter, confirmations } = options;
  const { delaysMs = retryDelaysMs, leaseMs = usualLeaseMs(destinations) } = options;
  const maximumAttempts = delaysMs.length + 1;
  const workers = new Map(
    destinations.map((destination) => [groupOf(destination.name), createDestinationWorker(destination, options)]),
  );

  /** A message that was leased more often than it may be tried never came to an end: it isn't sent again. */
  const attempt = (
    { attempts }: DestinationWorker,
    message: OutboxMessage,
    lease: Lease,
  ): Attempted | Promise<Attempted> =>
    lease.attempt > maximumAttempts ? { type: 'failed', reason: 'never_ended' } : attempts.send(message, lease.signal);

  const alert = (what: Alert) => {
    const { onAlert } = options;
    if (onAlert) ignoreErrors(() => onAlert(what));
  };

  const alertOfCredentials = createCredentialAlerts(alert);
  const notDisabled = new Set<string>();
  const disable = async (name: string, reason: string) => {
    if (!queue.admin) {
      if (notDisabled.has(name)) return;
      notDisabled.add(name);
      const problem = `has no admin: the destination ${name} (${reason}) can't be disabled, and its messages go on to fail`;
      const error = new InvalidArgumentError('queue', problem, { operation: 'outbox.disable' });
      return alert({ type: 'queue-failed', error });
    }
    await queue.admin.pause(groupOf(name));
    emitter.emit({ type: 'destination-disabled', operation: `outbox.${name}`, destination: name, reason });
    alert({ type: 'destination-disabled', destination: name, reason });
  };

  const handle = async ({ id, group, payload }: QueuedMessage, lease: Lease): Promise<Decision> => {
    const worker = workers.get(group);
    if (!worker) return { type: 'retry-at', at: Date.now() + defaultAttemptTimeoutMs, uncounted: true };
    const { name } = worker.destination;
    const message = readMessage(payload);
    const startedAt = performance.now();
    const span = emitter.startSpan({ type: 'delivery', destination: name }, storedTrace(message.trace));
    const attempted = await within(span, async () => attempt(worker, message, lease)).catch((error: unknown) => {
      span?.end(undefined, { code: 'aborted' });
      throw error;
    });
    const now = Date.now();
    const decision = decide(attempted, { attempt: lease.attempt, now, random: Math.random, delaysMs });
    confirmations.ended(id, attempted.type === 'delivered');
    alertOfCredentials(name, attempted);

    const { body, trace: _trace, ...named } = message;
    const about = { operation: `outbox.${name}`, destination: name, ...named };
    if (emitter.hasListeners()) {
      const durationMs = performance.now() - startedAt;
      emitter.emit(
        {
          ...about,
          ...deliveryEvent(attempted, decision, now),
          attempt: lease.attempt,
          durationMs,
          body: bodyForPeople(body),
        },
        span,
      );
    }
    if (decision.type === 'dead') {
      const { reason } = decision;
      emitter.emit({ type: 'message-dead', ...about, attempts: lease.attempt, reason });
      alert({ type: 'dead-letter', id, destination: name, event: message.event, reason });
    }
    const hasFailedForLong = worker.failedForLong(attempted.type !== 'delivered');
    if (decision.disables) await disable(name, 'gone');
    else if (hasFailedForLong) await disable(name, 'failing');
    return decision;
  };

  const consumer = holdDelays(queue).consume(
    {
      groups: Object.fromEntries(destinations.map((each) => [groupOf(each.name), each.concurrency ?? 4])),
      leaseMs,
      // One more, for this worker to say that a message has killed the others.
      maximumAttempts: maximumAttempts + 1,
      onError: (error) => alert({ type: 'queue-failed', error }),
    },
    handle,
  );

  return {
    close: async (drainMs) => {
      await consumer.close(drainMs);
      await Promise.all([...workers.values()].map(({ attempts }) => attempts.close()));
    },
  };
};

/** The state of one destination in a worker. */
interface DestinationWorker {
  readonly destination: Destination;
  readonly attempts: Attempts;
  /** Records how an attempt ended. `true` once the destination has failed for longer than it may. */
  readonly failedForLong: (hasFailed: boolean) => boolean;
}

const createDestinationWorker = (
  destination: Destination,
  { transport, emitter }: WorkerOptions,
): DestinationWorker => ({
  destination,
  attempts: createAttempts(destination, { transport, emitter }),
  failedForLong: createFailingTime(destination.disableAfterMs ?? fiveDaysMs),
});

const fiveDaysMs = 5 * 86_400_000;

/** `true` once a destination has failed for longer than `longestMs` without a success; then the time starts again. */
export const createFailingTime = (longestMs: number) => {
  let since: number | undefined;
  return (hasFailed: boolean): boolean => {
    const now = performance.now();
    since = hasFailed ? (since ?? now) : undefined;
    if (since === undefined || now - since < longestMs) return false;
    since = undefined;
    return true;
  };
};

/** Twice what an attempt may take, so that a worker that is only slow keeps its messages. */
const usualLeaseMs = (destinations: readonly Destination[]): number =>
  2 *
  (longestQueueingMs +
    Math.max(...destinations.map(({ attemptTimeoutMs = defaultAttemptTimeoutMs }) => attemptTimeoutMs)));

const deliveryEvent = (
  attempted: Attempted,
  decision: Decision,
  now: number,
): Pick<EventInput<DeliveryEvent>, 'type' | 'direction' | 'outcome' | 'status' | 'reason' | 'retryInMs'> => {
  const status = 'status' in attempted ? attempted.status : undefined;
  const base = { type: 'delivery', direction: 'out', status } as const;
  if (decision.type === 'done') return { ...base, outcome: 'delivered' };
  const reason = 'reason' in attempted ? attempted.reason : 'client_error';
  if (decision.type === 'dead') return { ...base, outcome: 'dead', reason };
  const retryInMs = decision.at - now;
  return { ...base, outcome: decision.uncounted ? 'postponed' : 'retry', reason, retryInMs };
};
