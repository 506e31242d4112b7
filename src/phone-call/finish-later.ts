import { toDate } from './steps/call-day.ts';
import { clientsOf } from './steps/clients-of.ts';
import { type FinishCallOptions, finishCall, type UnfinishedCall } from './steps/finish-call.ts';
import { maskFields } from './steps/mask-fields.ts';
import type { LogCallInput } from './steps/task-fields.ts';
import { InvalidArgumentError, RetriesExhaustedError } from '../core/errors.ts';
import { decide, maximumAttempts } from '../outbox/decide.ts';
import { defineEvent, type EventDefinition } from '../outbox/define-event.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Json } from '../stores/ports/json.ts';
import type { Consumer, Handled, MessageQueue, QueuedMessage } from '../stores/ports/message-queue.ts';
import * as z from '../core/schema.ts';
import type { StandardSchema } from '../core/schema.ts';
import { type OnError, reportOf } from '../tools/on-error.ts';
import type { PhoneCallClients } from './steps/ongoing-call.ts';

/** The queue of finished phone calls, and the outbox that publishes their end. */
export interface FinishLater {
  /** Best one on disk. Its dead letters of the group `finish-call` are phone calls that could not be written. */
  readonly queue: MessageQueue;
  /** Publishes {@link callCompleted} for every phone call that is finished. */
  readonly outbox?: Pick<Outbox, 'publish'> | undefined;
}

/** The payload of {@link callCompleted}: ids and facts, and no words of the call. */
export interface CallCompleted {
  readonly call_id: string;
  /** `Inbound`, `Outbound` or `Internal`. */
  readonly direction: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** Whole seconds. */
  readonly duration_seconds?: number | undefined;
  /** The call's end, in words of the application. */
  readonly outcome?: string | undefined;
  /** The caller in the messaging platform. */
  readonly contact_id?: string | undefined;
}

const callCompletedV1: StandardSchema<CallCompleted> = z.strictObject({
  call_id: z.string(),
  direction: z.string(),
  started_at: z.string(),
  duration_seconds: z.optional(z.number()),
  outcome: z.optional(z.string()),
  contact_id: z.optional(z.string()),
});

/**
 * The event `call.completed`: a phone call is over. Published when `finish` has stored what is to be written, where
 * `finishLater` has an `outbox`.
 *
 * @example
 * destinations: [{ name: 'analytics', url, version: 1, events: [callCompleted.name], signing }],
 */
export const callCompleted: EventDefinition<{ readonly 1: StandardSchema<CallCompleted> }> = defineEvent(
  'call.completed',
  { 1: callCompletedV1 },
);

/** The group of the messages in the queue. */
const group = 'finish-call';

/** Stores what is to be written, as one message. Storing a phone call again changes nothing. */
export const storeFinish = async ({ queue }: FinishLater, input: UnfinishedCall): Promise<void> => {
  const startedAt = toDate(input.startedAt).toISOString();
  await queue.enqueue([toMessage({ name: input.callId, attempt: 1, input: { ...withoutCards(input), startedAt } })]);
};

/** Publishes that the phone call is over. */
export const publishCompleted = async ({ outbox }: FinishLater, input: UnfinishedCall): Promise<void> => {
  const { callId, direction, durationSeconds, outcome, contactId } = input;
  await outbox?.publish({
    event: callCompleted,
    idempotencyKey: `${callId}:completed`,
    callId,
    payload: {
      call_id: callId,
      direction,
      started_at: toDate(input.startedAt).toISOString(),
      duration_seconds: durationSeconds === undefined ? undefined : Math.round(durationSeconds),
      outcome,
      contact_id: contactId,
    },
  });
};

/** The queue to work off, and the number of phone calls at once. */
export interface FinishWorkerOptions extends Pick<FinishCallOptions, 'attemptTimeoutMs'> {
  /** The one of `finishLater`, or one in another process over the same data. */
  readonly queue: MessageQueue;
  /** Phone calls written at once. @defaultValue 2 */
  readonly concurrency?: number | undefined;
  /**
   * Gets what keeps the queue from working, each part that could not be written, and each dead letter.
   * @defaultValue the integration's `onError`; without one, a process warning for each cause
   */
  readonly onError?: OnError | undefined;
}

/**
 * Writes the phone calls that `finish` has stored, in the background lane. Only failed parts are tried again, with the
 * same keys, on the schedule of the outbox. After the last try, a dead letter has the steps that are left. Throws
 * `InvalidArgumentError` for an object without clients.
 *
 * @example
 * const worker = startFinishWorker(integration, { queue: sqlite({ file: 'calls.db' }).messageQueue() });
 * await worker.close(5_000);
 */
export const startFinishWorker = (
  clients: PhoneCallClients,
  { queue, concurrency = 2, onError, ...options }: FinishWorkerOptions,
): Consumer => {
  const { messaging, crm, billing }: PhoneCallClients = Object(clientsOf(clients));
  // It would take phone calls from the queue and write none of them.
  if (!messaging && !crm && !billing)
    throw new InvalidArgumentError('clients', 'must be an integration, or have messaging or crm');
  const report = reportOf(clients, onError);
  const onQueueError = (error: unknown) => report(error, { part: 'store' });
  return queue.consume(
    { groups: { [group]: concurrency }, leaseMs, maximumAttempts, onError: onQueueError },
    async ({ payload }, { signal }): Promise<Handled> => {
      // As it was stored.
      const { name, attempt, input } = payload as unknown as Stored;
      const { complete, steps, unfinished } = await finishCall(clients, input, {
        ...options,
        lane: 'background',
        signal,
      });
      if (complete) return { type: 'done' };
      const place = { part: 'finish', callId: name } as const;
      const failures = steps.filter((step) => step.status === 'failed');
      for (const { error } of failures) report(error, place);
      const failed = failures.map(({ step }) => step);
      const asDeadLetter = (reason: string): Handled => {
        const error = new RetriesExhaustedError(
          `the phone call ${name} is a dead letter (${reason}): a person has to look at ${failed.join(', ')}`,
          {
            reason: reason === 'may_be_done' ? reason : 'retry_budget',
            operation: 'finish',
            cause: failures.at(-1)?.error,
          },
        );
        report(error, place);
        return { type: 'dead', reason, note: { failed } };
      };
      if (!unfinished) return asDeadLetter('may_be_done');
      const decision = decide(
        { type: 'failed', reason: 'steps_failed' },
        { attempt, now: Date.now(), random: Math.random },
      );
      if (decision.type !== 'retry-at') return asDeadLetter('attempts_exhausted');
      // What is done must not be done again: the rest goes on as a message of its own, stored before this one ends.
      const rest = toMessage({ name, attempt: attempt + 1, input: unfinished });
      await queue.enqueue([{ ...rest, dueAt: decision.at }]);
      return { type: 'done' };
    },
  );
};

/** Longer than all parts of one phone call may take. */
const leaseMs = 120_000;

interface Stored {
  /** The phone call's id. */
  readonly name: string;
  /** The try that comes next. */
  readonly attempt: number;
  readonly input: UnfinishedCall;
}

const toMessage = (stored: Stored): QueuedMessage => ({
  id: `${group}:${stored.name}:${stored.attempt}`,
  group,
  // Without the fields that are `undefined`, and with dates as texts.
  payload: JSON.parse(JSON.stringify(stored)) as Json,
});

/** Card numbers are not stored either; a link stays as it is. */
const withoutCards = (input: UnfinishedCall): UnfinishedCall => ({
  ...masked(input),
  logged: input.logged && masked(input.logged),
});

const masked = <Fields extends UnfinishedCall | LogCallInput>(fields: Fields): Fields => ({
  ...maskFields(fields),
  transcriptUrl: fields.transcriptUrl,
});
