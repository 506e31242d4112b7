/**
 * Zendesk's schedules as office hours. Both are for administrators alone.
 * Source: developer.zendesk.com, Schedules, read 2026-11-27.
 */
import { type Fields, one, several } from './records.ts';
import { ianaTimeZone } from './time-zones.ts';

const toOfficeHours = ({ time_zone, intervals, ...schedule }: Fields): object => ({
  ...schedule,
  time_zone_name: typeof time_zone === 'string' ? ianaTimeZone(time_zone) : time_zone,
  time_intervals: Array.isArray(intervals) ? intervals.flatMap(sinceMonday) : intervals,
});

export const scheduleAnswer = one('schedule', toOfficeHours);
export const schedulesAnswer = several('schedules', toOfficeHours);

const day = 24 * 60;
const week = 7 * day;

/** Zendesk counts minutes from Sunday, which is our last day: what goes on after it becomes two intervals. */
const sinceMonday = (interval: unknown): readonly object[] => {
  const { start_time, end_time } = Object(interval) as Fields;
  if (typeof start_time !== 'number' || typeof end_time !== 'number') return [{ start_time, end_time }];
  const [start, end] = [start_time - day, end_time - day];
  if (start >= 0) return [{ start_minute: start, end_minute: end }];
  const untilMonday = { start_minute: start + week, end_minute: Math.min(end, 0) + week };
  return end > 0 ? [untilMonday, { start_minute: 0, end_minute: end }] : [untilMonday];
};

/** A holiday lasts one or more whole days of one year: each is an exception. */
const daysOf = (holiday: Fields): readonly object[] => {
  const { start_date, end_date = start_date } = holiday;
  const [first, last] = [start_date, end_date].map((date) => Date.parse(String(date).slice(0, 10)));
  const days = Math.round((Number(last) - Number(first)) / dayMs) + 1;
  const count = days >= 1 ? Math.min(days, mostDays) : 0;
  return Array.from({ length: count }, (_, index) => ({
    ...holiday,
    exception_date: new Date(Number(first) + index * dayMs).toISOString().slice(0, 10),
    exception_type: 'closed',
  }));
};

const dayMs = 86_400_000;
const mostDays = 1_000;

export const holidaysAnswer = (answer: unknown): unknown => {
  const { holidays } = Object(answer) as Fields;
  if (!Array.isArray(holidays)) return answer;
  return { data: holidays.flatMap((holiday: unknown) => daysOf(Object(holiday) as Fields)) };
};
