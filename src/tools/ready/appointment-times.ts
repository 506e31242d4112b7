import { isDate } from '../../core/arguments.ts';
import type { LocalClock } from '../../core/local-clock.ts';
import { dayMs } from '../../core/timers.ts';
import * as z from '../../core/schema.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { Calendar, Slot } from './calendar.ts';

/** The start of a slot or an appointment, as a tool of the calendar gave it. Whether there's such a day is seen later. */
export const startParameter: (whose: string, description: string) => z.ZodType<string> = (whose, description) =>
  z.string().check(
    z.refine((value) => moment.test(value), `must be the start of ${whose}`),
    z.describe(description),
  );

const moment =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The reason why a time can't be booked at all. */
export type NoTime = 'no_such_time' | 'in_the_past';

/** A time that a model named: the moment, or why there's none and what is nearest to it. */
type NamedTime =
  | { readonly at: Date; readonly problem?: undefined; readonly near?: undefined }
  | { readonly at?: undefined; readonly problem: NoTime; readonly near: Date };

/**
 * Reads a time that {@link startParameter} lets through. It must be what the clock of the business shows: with another offset,
 * another time than the one that was agreed would be booked.
 */
export const readTime = (text: string, clock: LocalClock): NamedTime => {
  const [date, wall] = [text.slice(0, 10), text.slice(0, 16)];
  const at = new Date(text);
  const isShown = isDate(date) && clock.at(at).iso.slice(0, 16) === wall;
  const now = Date.now();
  if (!isShown) return { problem: 'no_such_time', near: nearestTo(text, clock) };
  if (at.getTime() <= now) return { problem: 'in_the_past', near: new Date(now) };
  return at.getTime() > now + daysAhead * dayMs ? { problem: 'no_such_time', near: new Date(now) } : { at };
};

/** The 30th of February is near the 2nd of March. */
const nearestTo = (text: string, clock: LocalClock): Date => {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = text.split(/[-T:Z+.]/).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  const minuteOfDay = hour * 60 + minute;
  return (
    clock.instantOf(date.toISOString().slice(0, 10), minuteOfDay) ?? new Date(date.getTime() + minuteOfDay * 60_000)
  );
};

/** Finds the free slots that are nearest to a time, the earliest first. */
export const nearestFree = async (calendar: Calendar, near: Date, call: RequestOptions): Promise<readonly Slot[]> => {
  const now = Date.now();
  const around = Math.max(near.getTime(), now);
  const from = new Date(Math.max(now, around - daysAround * dayMs));
  const slots = await calendar.freeSlots({ from, to: new Date(around + daysAround * dayMs) }, call);
  const distance = ({ start }: Slot) => Math.abs(start.getTime() - near.getTime());
  return slots
    .filter(({ start }) => start.getTime() > now)
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, mostOffered)
    .toSorted(inOrder);
};

export const inOrder = (one: Slot, other: Slot): number => one.start.getTime() - other.start.getTime();

/** Further away, a wrong year is more likely than an appointment. */
export const daysAhead = 366;
const daysAround = 8;
const mostOffered = 3;
