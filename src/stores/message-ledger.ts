import type { Json } from './ports/json.ts';
import type { DeadLetter, GroupStats, Page, QueueStats, Selection, StoredMessage } from './ports/message-queue.ts';

/**
 * The part of a message queue that SQLite and memory do each in their own way. Every method is one atomic step and
 * never waits. Arguments and results are plain data, since SQLite runs in another thread. `now` is the caller's clock,
 * in milliseconds since 1970.
 */
export interface MessageLedger {
  enqueue(request: { readonly messages: readonly NewMessage[]; readonly now: number }): void;
  /** First ends the leases that are over, then leases what is due, the longest due of each group first. */
  lease(request: LeaseRequest): Leases;
  /** `false`: another process has the lease by now, and nothing was changed. */
  settle(settlement: Settlement): boolean;
  get(id: string): StoredMessage | undefined;
  deadLetters(page: Page): readonly DeadLetter[];
  redrive(request: { readonly which: Selection; readonly now: number }): number;
  discard(which: Selection): number;
  pause(group: string): void;
  resume(group: string): void;
  stats(now: number): QueueStats;
}

export interface NewMessage {
  readonly id: string;
  readonly group: string;
  /** JSON, so that it's safe to send to another thread. */
  readonly payload: string;
  readonly delayMs: number;
}

export interface LeaseRequest {
  /** The most messages of each group that may be leased. */
  readonly groups: readonly (readonly [group: string, limit: number])[];
  /** Marks the leases of this request, and no others. */
  readonly token: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly maximumAttempts: number;
}

export interface Leases {
  readonly messages: readonly LeasedMessage[];
  /** The time until the next message of these groups falls due or loses its lease; `undefined` while more is due than was asked for. */
  readonly nextInMs: number | undefined;
}

export interface LeasedMessage {
  readonly id: string;
  readonly group: string;
  readonly payload: Json;
  readonly attempt: number;
  readonly enqueuedAt: number;
}

export type Settlement = { readonly id: string; readonly token: string; readonly now: number } & (
  | { readonly to: 'done'; readonly keepMs: number }
  | { readonly to: 'waiting'; readonly delayMs: number; readonly note: string | undefined; readonly uncounted: boolean }
  | { readonly to: 'dead'; readonly reason: string; readonly note: string | undefined }
);

/** The same methods, answered later: from another thread. */
export type Remote<T> = {
  readonly [Method in keyof T]: T[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never;
};

/** The reason of a dead letter whose handler never came to an end. */
export const attemptsExhausted = 'attempts_exhausted';

/** The number of dead letters on a page by default. */
export const defaultPageLimit = 100;

/** The time that handlers get to end when a queue is closed. */
export const defaultDrainMs = 5_000;

/** JSON that a queue has kept; `null` if it's broken, so that one such message doesn't hide the others. */
export const parseStored = (text: string | undefined): Json => {
  try {
    return JSON.parse(text ?? 'null') as Json;
  } catch {
    return null;
  }
};

/** The messages in each state and their ages: of one group, or of several together. */
export type MessageCounts = Omit<GroupStats, 'isPaused'>;

/** The counts of a group without messages. */
export const noMessages: MessageCounts = {
  ready: 0,
  delayed: 0,
  leased: 0,
  dead: 0,
  oldestAgeMs: 0,
  oldestDeadAgeMs: 0,
};

/** Returns the counts by group, and all together. Groups that are empty and not paused are left out. A group may come in several parts. */
export const toQueueStats = (parts: Iterable<readonly [group: string, stats: GroupStats]>): QueueStats => {
  const groups: Record<string, GroupStats> = {};
  for (const [name, { isPaused, ...counts }] of parts) {
    if (!isPaused && Object.values(counts).every((count) => count === 0)) continue;
    const known = groups[name] ?? { ...noMessages, isPaused: false };
    groups[name] = { ...addCounts(known, counts), isPaused: known.isPaused || isPaused };
  }
  return { ...Object.values(groups).reduce<MessageCounts>(addCounts, noMessages), groups };
};

/** The counts of two groups together: the oldest message is the older of the two. */
const addCounts = (one: MessageCounts, other: MessageCounts): MessageCounts => ({
  ready: one.ready + other.ready,
  delayed: one.delayed + other.delayed,
  leased: one.leased + other.leased,
  dead: one.dead + other.dead,
  oldestAgeMs: Math.max(one.oldestAgeMs, other.oldestAgeMs),
  oldestDeadAgeMs: Math.max(one.oldestDeadAgeMs, other.oldestDeadAgeMs),
});
