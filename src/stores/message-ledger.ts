import type { Page, QueueStats, Selection, StoredMessage } from '../ports/message-queue.ts';

/**
 * What SQLite and memory have in common under a message queue: every method is one atomic step and takes no time of its
 * own. Payloads and notes are JSON as text. Arguments and results are plain data, since SQLite runs in another thread.
 * Times are milliseconds since 1970 and come from the caller.
 */
export interface MessageLedger {
  enqueue(request: { readonly messages: readonly NewMessage[]; readonly now: number }): void;
  /** First ends the leases that are over, then leases what is due, the longest due of each group first. */
  lease(request: LeaseRequest): Leases;
  /** `false`: the lease is another's by now, and nothing was changed. */
  settle(settlement: Settlement): boolean;
  get(request: { readonly id: string; readonly now: number }): WrittenMessage | undefined;
  deadLetters(page: Page): readonly WrittenDeadLetter[];
  redrive(request: { readonly which: Selection; readonly now: number }): number;
  discard(request: { readonly which: Selection; readonly reason: string; readonly keepUntil: number }): number;
  pause(group: string): void;
  resume(group: string): void;
  stats(now: number): QueueStats;
}

export interface NewMessage {
  readonly id: string;
  readonly group: string;
  readonly payload: string;
  readonly dueAt: number;
}

export interface LeaseRequest {
  /** How many of each group may be leased. */
  readonly groups: readonly (readonly [group: string, limit: number])[];
  /** How many of all groups. Groups that stand first are served first. */
  readonly limit: number;
  /** Marks the leases of this request. Nobody has used it before. */
  readonly token: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly maximumAttempts: number;
}

export interface Leases {
  readonly messages: readonly LeasedMessage[];
  /** When the next of these groups falls due or loses its lease; absent while more is due than was asked for. */
  readonly nextAt?: number;
}

export interface LeasedMessage {
  readonly id: string;
  readonly group: string;
  readonly payload: string;
  readonly attempt: number;
  readonly enqueuedAt: number;
}

export type Settlement = { readonly id: string; readonly token: string; readonly now: number } & (
  | { readonly to: 'done'; readonly keepUntil: number }
  | { readonly to: 'waiting'; readonly dueAt: number; readonly note?: string; readonly uncounted: boolean }
  | { readonly to: 'dead'; readonly reason: string; readonly note?: string }
);

export interface WrittenMessage extends Omit<StoredMessage, 'payload' | 'note'> {
  readonly payload: string;
  readonly note?: string;
}

export interface WrittenDeadLetter {
  readonly id: string;
  readonly group: string;
  readonly payload: string;
  readonly attempts: number;
  readonly enqueuedAt: number;
  readonly diedAt: number;
  readonly reason: string;
  readonly note?: string;
  readonly cursor: string;
}

/** The reason of a dead letter whose handler never came to an end. */
export const attemptsExhausted = 'attempts_exhausted';

/** How many dead letters a page holds unless it says so. */
export const defaultPageLimit = 100;

/** The same methods, answered later: from another thread. */
export type Remote<T> = {
  readonly [Method in keyof T]: T[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never;
};
