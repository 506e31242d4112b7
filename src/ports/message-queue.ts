import type { Json } from './json.ts';

/**
 * Holds messages until they are handled: at least once, in no promised order, by any process that shares the queue.
 * It stores, leases and counts; whether and when a message is tried again is the handler's word.
 * Moments are milliseconds since 1970, since processes share them.
 */
export interface MessageQueue {
  /**
   * Resolves when the messages are as safe as this engine can make them; on disk that is after the fsync of the
   * transaction that holds them. All of them are stored, or none. A message whose id is kept already is ignored.
   */
  enqueue(messages: readonly QueuedMessage[]): Promise<void>;
  /** Begins to lease messages to `handle`, as they fall due, until the consumer or the queue is closed. */
  consume(options: ConsumeOptions, handle: MessageHandler): Consumer;
  /** A message that is kept, in any state. */
  get(id: string): Promise<StoredMessage | undefined>;
  /** A page of dead letters, the longest dead first. */
  deadLetters(page?: Page): Promise<readonly DeadLetter[]>;
  /** Lets dead letters be handled again, at once, with all their attempts before them. How many there were. */
  redrive(which: Selection): Promise<number>;
  /** Gives dead letters up. Only their ids are kept, and those no longer than the ones of messages that are done. */
  discard(which: Selection, reason: string): Promise<number>;
  /** Leases no more messages of this group, in any process, until {@link resume}. What is leased goes on. */
  pause(group: string): Promise<void>;
  /** Leases messages of this group again, in every process. */
  resume(group: string): Promise<void>;
  /** Counts what waits, what is leased and what is dead. */
  stats(): Promise<QueueStats>;
  /**
   * Stops leasing, gives what is being handled `drainMs` to end, then aborts it and hands it back as if it had not been
   * leased; frees all resources. Every later call rejects.
   */
  close(drainMs: number): Promise<void>;
}

/** A message as its sender knows it. */
export interface QueuedMessage {
  /** Chosen by the sender; sending it twice stores it once. */
  readonly id: string;
  /** What is paused, limited and counted together: one destination, one kind of event. */
  readonly group: string;
  /** What its handler is given. */
  readonly payload: Json;
  /** Not handled before. @defaultValue at once */
  readonly dueAt?: number;
}

/** Which messages a consumer handles, how many at once, and for how long one is its own. */
export interface ConsumeOptions {
  /** The groups to handle, and how many messages of each at once. Messages of other groups are left alone. */
  readonly groups: Readonly<Record<string, number>>;
  /** How many messages of all groups at once. */
  readonly concurrency: number;
  /** After this, an unsettled message may be leased again, by anybody. Longer than its handler takes. */
  readonly leaseMs: number;
  /**
   * A message that was leased so often without its handler coming to an end dies when the last lease ends: a message
   * that kills its process does not do so for ever.
   */
  readonly maximumAttempts: number;
  /** Hears what makes the queue unable to lease; it tries again by itself. What the hook throws is ignored. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Handles one message. When it rejects, the message waits for the end of its lease and is handled again, up to
 * {@link ConsumeOptions.maximumAttempts}.
 */
export type MessageHandler = (message: QueuedMessage, lease: Lease) => Promise<Handled>;

/** The right to handle one message for a while. */
export interface Lease {
  /** 1 for the first; counted when the lease is given, so that a crash counts too. */
  readonly attempt: number;
  /** When the message was enqueued first. */
  readonly enqueuedAt: number;
  /** Aborts when the lease has ended or the queue was closed: the end of this handler is then of no account. */
  readonly signal: AbortSignal;
  /** Prolongs the lease to `ms` from now. `false`: it was lost already. */
  extend(ms: number): Promise<boolean>;
}

/** What came of handling a message. */
export type Handled = Done | RetryAt | Dead;

/** It is done. Its id is kept for a time, its payload is not. */
export interface Done {
  readonly type: 'done';
}

/** It is leased again at or after `at`. */
export interface RetryAt {
  readonly type: 'retry-at';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What happened, for who looks at it. Without secrets and personal data. */
  readonly note?: Json;
  /** Nothing was tried: the attempt is taken off the count again. */
  readonly uncounted?: true;
}

/** It is kept as a dead letter until it is redriven or discarded. */
export interface Dead {
  readonly type: 'dead';
  /** A stable word, such as `client_error`. */
  readonly reason: string;
  readonly note?: Json;
}

/** Messages being leased to a handler, until it is closed. */
export interface Consumer {
  /** As {@link MessageQueue.close}, for this consumer alone. */
  close(drainMs: number): Promise<void>;
}

/** A message as the queue keeps it. */
export interface StoredMessage {
  readonly id: string;
  readonly group: string;
  readonly state: 'waiting' | 'leased' | 'done' | 'dead' | 'discarded';
  /** `null` once it is done or discarded. */
  readonly payload: Json;
  /** How often it was leased. */
  readonly attempts: number;
  readonly enqueuedAt: number;
  /** When it may be leased; of a leased one, when the lease ends. */
  readonly dueAt: number;
  /** What its last handler left. */
  readonly note?: Json;
  /** Why it is dead or was discarded. */
  readonly reason?: string;
}

/** A message that nobody will handle until somebody decides. */
export interface DeadLetter {
  readonly id: string;
  readonly group: string;
  readonly payload: Json;
  /** How often it was leased. */
  readonly attempts: number;
  readonly enqueuedAt: number;
  readonly diedAt: number;
  /** `attempts_exhausted` when its handler never came to an end. */
  readonly reason: string;
  /** What its last handler left. */
  readonly note?: Json;
  /** Hand it to {@link Page.after} for what follows. */
  readonly cursor: string;
}

/** Which of the dead letters to give. */
export interface Page {
  /** Only those of this group. @defaultValue all */
  readonly group?: string;
  /** The cursor of the last dead letter that was seen. */
  readonly after?: string;
  /** @defaultValue 100 */
  readonly limit?: number;
}

/** Dead letters by their ids; or all that died at or after a moment, perhaps of one group. `{ since: 0 }` is all. */
export type Selection = { readonly ids: readonly string[] } | { readonly since: number; readonly group?: string };

/** How many messages of one group stand where, and for how long. */
export interface GroupStats {
  /** Due and not leased. */
  readonly ready: number;
  /** Not due yet. */
  readonly delayed: number;
  readonly leased: number;
  readonly dead: number;
  /** How long the one that has waited longest was enqueued ago; 0 when none waits. Dead ones do not count. */
  readonly oldestAgeMs: number;
  /** How long ago the one that has been dead longest died; 0 when none is dead. */
  readonly oldestDeadAgeMs: number;
  readonly isPaused: boolean;
}

/** What stands in the queue right now. */
export interface QueueStats extends Omit<GroupStats, 'isPaused'> {
  /** By group; only those that hold something or are paused. */
  readonly groups: Readonly<Record<string, GroupStats>>;
}
