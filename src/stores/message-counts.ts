import type { GroupStats } from '../ports/message-queue.ts';

/** How many messages stand where, and for how long: of one group, or of several together. */
export type MessageCounts = Omit<GroupStats, 'isPaused'>;

/** Of a group that holds nothing. */
export const noMessages: MessageCounts = {
  ready: 0,
  delayed: 0,
  leased: 0,
  done: 0,
  dead: 0,
  oldestAgeMs: 0,
  oldestDeadAgeMs: 0,
};

/** The counts of two groups together: the oldest message is the older of the two. */
export const addCounts = (one: MessageCounts, other: MessageCounts): MessageCounts => ({
  ready: one.ready + other.ready,
  delayed: one.delayed + other.delayed,
  leased: one.leased + other.leased,
  done: one.done + other.done,
  dead: one.dead + other.dead,
  oldestAgeMs: Math.max(one.oldestAgeMs, other.oldestAgeMs),
  oldestDeadAgeMs: Math.max(one.oldestDeadAgeMs, other.oldestDeadAgeMs),
});
