import { toDate } from './steps/call-day.ts';
import { finishCall, type UnfinishedCall } from './steps/finish-call.ts';
import { maskFields } from './steps/mask-fields.ts';
import { stepsThatMayBeDone } from './steps/step-report.ts';
import type { LogCallInput } from './steps/task-fields.ts';
import { RetriesExhaustedError } from '../core/errors.ts';
import { decide, maximumAttempts } from '../outbox/decide.ts';
import { defineEvent, type EventDefinition } from '../outbox/define-event.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { handOver, toPlain } from '../stores/hand-over.ts';
import { holdDelays } from '../stores/hold-delays.ts';
import type { JsonObject } from '../stores/ports/json.ts';
import type { Consumer, Handled, MessageQueue } from '../stores/ports/message-queue.ts';
import * as z from '../core/schema.ts';
import type { StandardSchema } from '../core/schema.ts';
import { type Report, reportOf } from '../tools/on-error.ts';
import { assertKnown, must, type OptionCheck } from '../core/option-checks.ts';
import type { PhoneCallClients } from './steps/ongoing-call.ts';

/**
 * The place where `finish` leaves a phone call to be written later: a queue that the integration's worker reads, or an
 * engine of yours.
 */
export type FinishLater = (FinishInQueue | FinishElsewhere) & {
  /** Publishes {@link callCompleted} for every phone call that is finished. */
  readonly outbox?: Pick<Outbox, 'publish'> | undefined;
};

/** A queue of phone calls that are to be written. */
export interface FinishInQueue {
  /** Best one on disk. Its dead letters of the group `finish-call` are phone calls that could not be written. */
  readonly queue: MessageQueue;
  /** Has this process work the queue. `integration.close()` waits for what it's writing. @defaultValue true */
  readonly work?: boolean | undefined;
  readonly send?: undefined;
}

/** An engine of your own. */
export interface FinishElsewhere {
  /**
   * Gives the call to your engine: resolve when it is safe there, within 10 seconds. After a failure it may get the same
   * `callId` again. Its worker calls `finishCall(integration, call)`.
   */
  readonly send: (call: UnfinishedCall) => Promise<unknown>;
  readonly queue?: undefined;
  readonly work?: undefined;
}

/** The check of the option `finishLater`. */
export const finishLaterChecks = (finishLater: FinishLater | undefined): readonly OptionCheck[] => {
  if (finishLater === undefined) return [];
  const { queue, work, send, outbox }: Partial<Record<keyof FinishInQueue | keyof FinishLater, unknown>> =
    Object(finishLater);
  const isQueue = typeof (queue as Partial<MessageQueue> | undefined)?.consume === 'function';
  return [
    () => assertKnown(finishLater, { queue: true, work: true, send: true, outbox: true }, 'finishLater'),
    must(
      send === undefined || queue === undefined,
      'finishLater.send',
      'must be left out where there is a queue: a call is written by one of them',
    ),
    must(
      isQueue || (queue === undefined && send !== undefined),
      'finishLater.queue',
      'must be a message queue, such as sqlite({ file }).messageQueue()',
    ),
    must(send === undefined || typeof send === 'function', 'finishLater.send', 'must be a function of the call'),
    must(send === undefined || work === undefined, 'finishLater.work', 'must be left out: your engine does the work'),
    must(work === undefined || typeof work === 'boolean', 'finishLater.work', 'must be true or false'),
    must(
      outbox === undefined || typeof (outbox as Partial<Outbox> | null)?.publish === 'function',
      'finishLater.outbox',
      'must be an outbox, such as createOutbox(…)',
    ),
  ];
};

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
  /** ISO 8601: when the agent said that it's an AI. */
  readonly ai_notice_at?: string | undefined;
  /** The caller's answer to being recorded. Absent: they weren't asked. */
  readonly recording_consent?: boolean | undefined;
}

const callCompletedV1: StandardSchema<CallCompleted> = z.strictObject({
  call_id: z.string(),
  direction: z.string(),
  started_at: z.string(),
  duration_seconds: z.optional(z.number()),
  outcome: z.optional(z.string()),
  contact_id: z.optional(z.string()),
  ai_notice_at: z.optional(z.string()),
  recording_consent: z.optional(z.boolean()),
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

/** The group of the messages in the queue: each tenant's calls are written by its own integration. */
const groupOf = (tenant: string | undefined): string =>
  tenant === undefined ? 'finish-call' : `finish-call/${encodeURIComponent(tenant)}`;

/** Stores what is to be written, as one message. Storing a phone call again changes nothing. */
export const storeFinish = async (
  { queue, send }: FinishLater,
  input: UnfinishedCall,
  tenant: string | undefined,
): Promise<void> => {
  const call = { ...withoutCards(input), startedAt: toDate(input.startedAt).toISOString() };
  if (send) await handOver('finishLater.send', send, call);
  else await queue.enqueue([toMessage({ name: input.callId, attempt: 1, input: call }, tenant)]);
};

/** Publishes that the phone call is over. */
export const publishCompleted = async ({ outbox }: FinishLater, input: UnfinishedCall): Promise<void> => {
  const { callId, direction, durationSeconds, outcome, contactId, aiNoticeAt, recordingConsent } = input;
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
      ai_notice_at: aiNoticeAt === undefined ? undefined : toDate(aiNoticeAt, 'aiNoticeAt').toISOString(),
      recording_consent: recordingConsent,
    },
  });
};

/** The parts of an integration that its worker needs. */
interface FinishWorkerParts {
  readonly queue: MessageQueue;
  readonly tenant?: string | undefined;
  /** @defaultValue process warnings */
  readonly report?: Report | undefined;
}

/** Phone calls that are written at once. */
const concurrency = 2;

/**
 * Writes the phone calls that `finish` has stored, in the background lane. Only failed parts are tried again, with the
 * same keys, on the schedule of the outbox. After the last try, a dead letter has the steps that are left.
 */
export const startFinishWorker = (
  clients: PhoneCallClients,
  { queue, tenant, report = reportOf(clients, undefined) }: FinishWorkerParts,
): Consumer => {
  const onQueueError = (error: unknown) => report(error, { part: 'store' });
  const delaying = holdDelays(queue);
  return delaying.consume(
    { groups: { [groupOf(tenant)]: concurrency }, leaseMs, maximumAttempts, onError: onQueueError },
    async ({ payload }, { signal }): Promise<Handled> => {
      // As it was stored.
      const { name, attempt, input } = payload as unknown as Stored;
      const { complete, steps, unfinished } = await finishCall(clients, input, { lane: 'background', signal });
      if (complete) return { type: 'done' };
      const place = { part: 'finish', callId: name } as const;
      const failures = steps.filter((step) => step.status === 'failed');
      const failed = [...new Set([...stepsThatMayBeDone(steps), ...failures.map(({ step }) => step)])];
      const asDeadLetter = (reason: string): Handled => {
        const cause = failures.at(-1)?.error;
        const error = new RetriesExhaustedError(
          `the phone call ${name} is a dead letter (${reason}): a person has to look at ${failed.join(', ')}`,
          { reason: reason === 'may_be_done' ? reason : 'retry_budget', operation: 'finish', cause },
        );
        // The last one is its cause.
        for (const one of [error, ...failures.slice(0, -1).map((failure) => failure.error)]) report(one, place);
        return { type: 'dead', reason, note: { failed } };
      };
      if (!unfinished) return asDeadLetter('may_be_done');
      const now = { attempt, now: Date.now(), random: Math.random };
      const decision = decide({ type: 'failed', reason: 'steps_failed' }, now);
      if (decision.type !== 'retry-at') return asDeadLetter('attempts_exhausted');
      for (const { error } of failures) report(error, place);
      // What is done must not be done again: the rest goes on as a message of its own, stored before this one ends.
      const rest = toMessage({ name, attempt: attempt + 1, input: unfinished }, tenant);
      await delaying.enqueue([{ ...rest, dueAt: decision.at }]);
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

const toMessage = (stored: Stored, tenant: string | undefined) => ({
  id: `${groupOf(tenant)}:${stored.name}:${stored.attempt}`,
  group: groupOf(tenant),
  payload: toPlain(stored) as object as JsonObject,
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
