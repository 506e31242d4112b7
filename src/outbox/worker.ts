import type { Clock } from '../clock.ts';
import type { Transport } from '../http/request.ts';
import type { DeliveryEvent, Untold } from '../observability/events.ts';
import { quietly } from '../observability/quietly.ts';
import type { Tell } from '../observability/teller.ts';
import { storedTrace, within } from '../observability/tracer.ts';
import type { Consumer, Lease, MessageQueue, QueuedMessage } from '../ports/message-queue.ts';
import type { Alert } from './alert.ts';
import { type Attempts, createAttempts, defaultAttemptTimeoutMs, longestQueueingMs } from './attempt.ts';
import { bodyForPeople } from './body-for-people.ts';
import type { Confirmations } from './confirmations.ts';
import { type Attempted, type Decision, decide, retryDelaysMs } from './decide.ts';
import { type Destination, groupOf } from './destination.ts';
import { createFailingTime, type FailingTime } from './failing-time.ts';
import { type OutboxMessage, readMessage } from './message.ts';

export interface WorkerOptions {
  readonly queue: MessageQueue;
  readonly destinations: readonly Destination[];
  readonly concurrency?: number;
  readonly leaseMs?: number;
  readonly delaysMs?: readonly number[];
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random?: () => number;
  readonly tell: Tell;
  /** Whether anybody hears what is told: bodies are not sanitised for nobody. */
  readonly onAlert?: (alert: Alert) => void;
  readonly confirmations: Confirmations;
}

/** Delivers what lies in the queue: one attempt per lease, each destination by itself. */
export const startWorker = (options: WorkerOptions): Consumer => {
  const { queue, destinations, concurrency = 50, clock, random = Math.random, tell, confirmations } = options;
  const { delaysMs = retryDelaysMs, leaseMs = usualLeaseMs(destinations) } = options;
  const maximumAttempts = delaysMs.length + 1;
  const posts = new Map(destinations.map((destination) => [groupOf(destination.name), openPost(destination, options)]));

  /** A message that was leased more often than it may be tried never came to an end: it isn't sent again. */
  const attempt = ({ attempts }: Post, message: OutboxMessage, lease: Lease): Attempted | Promise<Attempted> =>
    lease.attempt > maximumAttempts ? { type: 'failed', reason: 'never_ended' } : attempts.send(message, lease.signal);

  const alert = (what: Alert) => {
    const { onAlert } = options;
    if (onAlert) quietly(() => onAlert(what));
  };

  const disable = async (name: string, reason: string) => {
    await queue.pause(groupOf(name));
    tell({ type: 'destination-disabled', operation: `outbox.${name}`, destination: name, reason });
    alert({ type: 'destination-disabled', destination: name, reason });
  };

  const handle = async ({ id, group, payload }: QueuedMessage, lease: Lease): Promise<Decision> => {
    const post = posts.get(group);
    if (!post) return { type: 'retry-at', at: clock.wallNow() + defaultAttemptTimeoutMs, uncounted: true };
    const { name } = post.destination;
    const message = readMessage(payload);
    const startedAt = clock.now();
    const span = tell.begin({ type: 'delivery', destination: name }, storedTrace(message.trace));
    const attempted = await within(span, async () => attempt(post, message, lease)).catch((error: unknown) => {
      span?.end(undefined, { code: 'aborted' });
      throw error;
    });
    const now = clock.wallNow();
    const decision = decide(attempted, { attempt: lease.attempt, now, random, delaysMs });
    confirmations.ended(id, attempted.type === 'delivered');

    const { body, trace: _trace, ...named } = message;
    const about = { operation: `outbox.${name}`, destination: name, ...named };
    if (tell.isHeard('delivery')) {
      const durationMs = clock.now() - startedAt;
      tell(
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
      tell({ type: 'message-dead', ...about, attempts: lease.attempt, reason });
      alert({ type: 'dead-letter', id, destination: name, event: message.event, reason });
    }
    const hasFailedForLong = attempted.type === 'delivered' ? post.failing.succeeded() : post.failing.failed();
    if (decision.disables) await disable(name, 'gone');
    else if (hasFailedForLong) await disable(name, 'failing');
    return decision;
  };

  const consumer = queue.consume(
    {
      groups: Object.fromEntries(destinations.map((each) => [groupOf(each.name), each.concurrency ?? 4])),
      concurrency,
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
      await Promise.all([...posts.values()].map(({ attempts }) => attempts.close()));
    },
  };
};

/** What a worker has of one destination. */
interface Post {
  readonly destination: Destination;
  readonly attempts: Attempts;
  readonly failing: FailingTime;
}

const openPost = (destination: Destination, { transport, clock, tell }: WorkerOptions): Post => ({
  destination,
  attempts: createAttempts(destination, { transport, clock, tell }),
  failing: createFailingTime(destination.disableAfterMs ?? fiveDaysMs, clock),
});

const fiveDaysMs = 5 * 86_400_000;

/** Twice what an attempt may take, so that a worker that is only slow keeps its messages. */
const usualLeaseMs = (destinations: readonly Destination[]): number =>
  2 *
  (longestQueueingMs +
    Math.max(...destinations.map(({ attemptTimeoutMs = defaultAttemptTimeoutMs }) => attemptTimeoutMs)));

const deliveryEvent = (
  attempted: Attempted,
  decision: Decision,
  now: number,
): Pick<Untold<DeliveryEvent>, 'type' | 'direction' | 'outcome' | 'status' | 'reason' | 'retryInMs'> => {
  const status = 'status' in attempted && attempted.status !== undefined ? { status: attempted.status } : {};
  const base = { type: 'delivery', direction: 'out', ...status } as const;
  if (decision.type === 'done') return { ...base, outcome: 'delivered' };
  const reason = 'reason' in attempted ? attempted.reason : 'client_error';
  if (decision.type === 'dead') return { ...base, outcome: 'dead', reason };
  const retryInMs = decision.at - now;
  return { ...base, outcome: decision.uncounted ? 'postponed' : 'retry', reason, retryInMs };
};
