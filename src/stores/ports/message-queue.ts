import { InvalidArgumentError } from '../../core/errors.ts';
import type { UsableOrNot } from './assert-usable.ts';
import type { Json } from './json.ts';

/**
 * Holds messages until they're handled: at least once, in no promised order, by any process that shares the queue.
 * It stores them and hands them to a handler; the handler decides whether and when a message is tried again.
 * Times are milliseconds since 1970, since processes share them.
 */
export interface MessageQueue extends UsableOrNot {
  /**
   * Resolves when the messages are as safe as this engine can make them. On disk that's after the fsync of their
   * transaction. When it rejects, some may be stored: enqueue them again, since an id that is kept already is ignored.
   */
  enqueue(messages: readonly QueuedMessage[]): Promise<void>;
  /** Starts to hand messages to `handle` as they fall due, until the consumer or the queue is closed. */
  consume(options: ConsumeOptions, handle: MessageHandler): Consumer;
  /**
   * Hands out no more. Handlers get `drainMs` (5,000 if you don't say) to end. Then they are aborted, and their
   * messages go back without counting the attempt. Frees all resources. Every later call rejects.
   */
  close(drainMs?: number): Promise<void>;
  /**
   * The longest time that the engine can hold a message back, such as 900,000 for SQS. It's never asked for longer:
   * such messages are stored again, perhaps several times. @defaultValue no limit
   */
  readonly longestDelayMs?: number | undefined;
  /** The methods that people use on a queue. Leave it out for an engine that has tools of its own. @defaultValue none */
  readonly admin?: QueueAdmin | undefined;
}

/** Looks at the messages of a queue, and stops and repeats their handling. */
export interface QueueAdmin {
  /** A message that waits, is being handled or is dead; `undefined` for one that is done, discarded or unknown. */
  get(id: string): Promise<StoredMessage | undefined>;
  /**
   * A page of dead letters: of each group the longest dead first. One that can't be read has `null` as its payload. A page
   * may be short, or repeat some, when others redrive or discard meanwhile; only an empty one is the end.
   */
  deadLetters(page?: Page): Promise<readonly DeadLetter[]>;
  /** Lets dead letters be handled again, at once, with all their attempts. Returns how many. */
  redrive(which: Selection): Promise<number>;
  /** Forgets dead letters: their ids may be enqueued again. Returns how many. */
  discard(which: Selection): Promise<number>;
  /** Hands out no more messages of this group, in any process, until {@link resume}. What is being handled goes on. */
  pause(group: string): Promise<void>;
  /** Hands out messages of this group again, in every process. */
  resume(group: string): Promise<void>;
  /** Counts what waits, what is being handled and what is dead. */
  stats(): Promise<QueueStats>;
}

/** A queue of this package: people can look into it. */
export interface MessageQueueWithAdmin extends MessageQueue {
  readonly admin: QueueAdmin;
}

/** Throws `InvalidArgumentError` for a queue that doesn't let people look into it. */
export const adminOf = ({ admin }: MessageQueue, operation: string): QueueAdmin => {
  if (admin) return admin;
  throw new InvalidArgumentError('queue', 'has no admin: use the tools of its own engine instead', { operation });
};

/** A message as its sender knows it. */
export interface QueuedMessage {
  /** Chosen by the sender; sending it twice stores it once. */
  readonly id: string;
  /** The unit that is paused, limited and counted: one destination, one kind of event. */
  readonly group: string;
  /** The handler's input. */
  readonly payload: Json;
  /** The earliest moment at which it's handled. @defaultValue at once */
  readonly dueAt?: number | undefined;
}

/** The messages that a consumer handles, how many at once, and how long one may take. */
export interface ConsumeOptions {
  /** The groups to handle, and how many messages of each at once. Messages of other groups are left alone. */
  readonly groups: Readonly<Record<string, number>>;
  /** The time that one handler may take. Then its signal aborts, and the message is handled again. */
  readonly leaseMs: number;
  /**
   * The attempts without an end (the handler rejects, takes too long or kills its process) after which a message is a
   * dead letter. Messages that were only in flight when a process died don't lose an attempt. They're handled one at a
   * time from then on, so that the next crash shows which one it was.
   */
  readonly maximumAttempts: number;
  /** Gets what makes the queue unable to work; it tries again by itself. What the hook throws is ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Handles one message. When it rejects, the message is handled again after {@link ConsumeOptions.leaseMs}. */
export type MessageHandler = (message: QueuedMessage, lease: Lease) => Promise<Handled>;

/** The attempt that a handler makes. */
export interface Lease {
  /** 1 for the first. */
  readonly attempt: number;
  /** The moment at which the message was enqueued first. */
  readonly enqueuedAt: number;
  /** Aborts when the handler took too long, another process has the message, or the queue is closed: its result is ignored then. */
  readonly signal: AbortSignal;
}

/** The end of one attempt at a message. */
export type Handled =
  /** It's done. The queue keeps its id for a time, but not its payload. */
  | { readonly type: 'done' }
  /** It's handled again at or after `at`. */
  | {
      readonly type: 'retry-at';
      /** Milliseconds since 1970. */
      readonly at: number;
      /** Words for people, without secrets and personal data. */
      readonly note?: Json | undefined;
      /** Nothing was tried, so this isn't an attempt. No note is kept. */
      readonly uncounted?: true | undefined;
    }
  /** It's a dead letter until it's redriven or discarded. */
  | {
      readonly type: 'dead';
      /** A stable word, such as `client_error`. */
      readonly reason: string;
      readonly note?: Json | undefined;
    };

/** Hands messages to a handler until it's closed. */
export interface Consumer {
  /** Closes this consumer alone, as {@link MessageQueue.close} does. */
  close(drainMs?: number): Promise<void>;
}

/** A message as the queue keeps it. */
export interface StoredMessage extends Omit<QueuedMessage, 'dueAt'>, Pick<Lease, 'enqueuedAt'> {
  readonly state: 'waiting' | 'leased' | 'dead';
  /** The number of attempts that were made. */
  readonly attempts: number;
  /** The note of its last handler. */
  readonly note?: Json | undefined;
  /** The reason why it's dead. */
  readonly reason?: string | undefined;
}

/** A message that waits for a person to decide. */
export interface DeadLetter extends Omit<StoredMessage, 'state' | 'reason'> {
  readonly diedAt: number;
  /** `attempts_exhausted` when its handler never came to an end. */
  readonly reason: string;
  /** Pass it as {@link Page.after} to get the next page. */
  readonly cursor: string;
}

/** The dead letters to return. */
export interface Page {
  /** The only group whose dead letters are returned. @defaultValue all */
  readonly group?: string | undefined;
  /** The cursor of the last dead letter of the page before. */
  readonly after?: string | undefined;
  /** @defaultValue 100 */
  readonly limit?: number | undefined;
}

/** Dead letters by their ids; or all that died at or after a moment, perhaps of one group. `{ since: 0 }` is all. */
export type Selection =
  | { readonly ids: readonly string[] }
  | { readonly since: number; readonly group?: string | undefined };

/** The messages of one group in each state, and their ages. */
export interface GroupStats {
  /** Due and not being handled. */
  readonly ready: number;
  /** Messages that aren't due yet. */
  readonly delayed: number;
  /** Being handled. */
  readonly leased: number;
  readonly dead: number;
  /** The time since the oldest waiting message was enqueued; 0 when none waits. Dead letters don't count. */
  readonly oldestAgeMs: number;
  /** The time since the oldest dead letter died; 0 when none is dead. */
  readonly oldestDeadAgeMs: number;
  readonly isPaused: boolean;
}

/** The contents of the queue right now, as numbers. */
export interface QueueStats extends Omit<GroupStats, 'isPaused'> {
  /** The numbers by group. Groups that are empty and not paused are left out. */
  readonly groups: Readonly<Record<string, GroupStats>>;
}
