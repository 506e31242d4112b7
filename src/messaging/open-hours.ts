import { toOperation } from '../api/entry.ts';
import { InvalidArgumentError, UnexpectedResponseError } from '../core/errors.ts';
import { createLocalClock, type LocalClock, type LocalTime, weekdays } from '../core/local-clock.ts';
import {
  type OfficeHours,
  officeHours,
  type OfficeHoursException,
  type OfficeHoursOperations,
  type OpenInterval,
} from './office-hours.ts';
import type { Workspace } from './workspace.ts';

/** The operations on office hours. */
export const createOfficeHours = ({ http, endpoints, methods, shareDeadline }: Workspace): OfficeHoursOperations => ({
  ...methods.officeHours,
  isOpen: async (id, at = Date.now(), call) => {
    const operation = 'messaging.officeHours.isOpen';
    if (!Number.isFinite(at)) throw new InvalidArgumentError('at', 'must be in UNIX milliseconds', { operation });
    const shared = shareDeadline(call);
    const schedule = { ...endpoints.officeHours.get, absentOn404: false, returns: officeHours };
    const [hours, { data: exceptions }] = await Promise.all([
      http.request(toOperation(operation, schedule, [id]), shared),
      methods.officeHours.listExceptions(id, shared),
    ]);
    const clock = clockOf(hours.time_zone_name);
    if (!clock)
      throw new UnexpectedResponseError(`${operation}: time_zone_name is no time zone that this runtime knows`, {
        operation,
        status: 200,
      });
    return isOpenAt(hours, exceptions, clock.at(new Date(at)));
  },
});

/** An exception replaces the hours of its whole day. */
const isOpenAt = (
  { twenty_four_seven, time_intervals }: OfficeHours,
  exceptions: readonly OfficeHoursException[],
  { date, weekday, minuteOfDay }: LocalTime,
): boolean => {
  const today = exceptions.find(({ exception_date, recurring_annually }) =>
    recurring_annually ? exception_date.slice(4) === date.slice(4) : exception_date === date,
  );
  if (today) return today.exception_type !== 'closed' && isWithin(today.time_intervals, minuteOfDay);
  const minuteOfWeek = weekdays.indexOf(weekday) * 24 * 60 + minuteOfDay;
  return twenty_four_seven === true || isWithin(time_intervals, minuteOfWeek);
};

const isWithin = (intervals: readonly OpenInterval[] | null | undefined, minute: number): boolean =>
  (intervals ?? []).some(({ start_minute, end_minute }) => minute >= start_minute && minute < end_minute);

const clockOf = (timeZone: string): LocalClock | undefined => {
  try {
    return createLocalClock(timeZone);
  } catch {
    return undefined;
  }
};
