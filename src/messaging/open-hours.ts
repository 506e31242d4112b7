import { toOperation } from '../api/entry.ts';
import { InvalidArgumentError, UnexpectedResponseError } from '../errors.ts';
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
    if (!isTimeZone(hours.time_zone_name))
      throw new UnexpectedResponseError(`${operation}: time_zone_name is no time zone that this runtime knows`, {
        operation,
        status: 200,
      });
    return isOpenAt(hours, exceptions, at);
  },
});

/** An exception replaces the hours of its whole day. */
const isOpenAt = (
  { time_zone_name, twenty_four_seven, time_intervals }: OfficeHours,
  exceptions: readonly OfficeHoursException[],
  at: number,
): boolean => {
  const { date, minuteOfDay, minuteOfWeek } = localTime(time_zone_name, at);
  const today = exceptions.find(({ exception_date, recurring_annually }) =>
    recurring_annually ? exception_date.slice(4) === date.slice(4) : exception_date === date,
  );
  if (today) return today.exception_type !== 'closed' && isWithin(today.time_intervals, minuteOfDay);
  return twenty_four_seven === true || isWithin(time_intervals, minuteOfWeek);
};

const isWithin = (intervals: readonly OpenInterval[] | null | undefined, minute: number): boolean =>
  (intervals ?? []).some(({ start_minute, end_minute }) => minute >= start_minute && minute < end_minute);

/** What calendar and clock show in a time zone; the week begins on Monday. */
const localTime = (timeZone: string, at: number) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const minuteOfDay = Number(parts['hour']) * 60 + Number(parts['minute']);
  const day = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf((parts['weekday'] ?? '').slice(0, 3));
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    minuteOfDay,
    minuteOfWeek: day * 24 * 60 + minuteOfDay,
  };
};

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};
