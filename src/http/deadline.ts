import { type Clock, systemClock } from '../clock.ts';

/** One budget of time, shared by everything that is given it. */
export interface Deadline {
  /** What it was made with. */
  readonly budgetMs: number;
  /** Never below 0. */
  remainingMs(): number;
}

/**
 * Starts a budget of `ms` now. Give the same one to several calls and they share it.
 *
 * @example
 * const deadline = deadlineIn(5_000);
 * const contact = await messaging.contacts.findByPhone(phone, { deadline });
 * const invoices = await billing.invoices.listOpen(customerId, { deadline });
 */
export const deadlineIn = (ms: number, { clock = systemClock }: { clock?: Clock } = {}): Deadline =>
  deadlineFrom(clock.now(), ms, clock);

/** A budget of `ms` that started at a moment of this clock. */
export const deadlineFrom = (startedAt: number, ms: number, clock: Clock): Deadline => ({
  budgetMs: ms,
  remainingMs: () => Math.max(0, startedAt + ms - clock.now()),
});
