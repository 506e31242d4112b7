import { entry, toOperation } from '../api/entry.ts';
import { InvalidArgumentError, UnexpectedResponseError } from '../core/errors.ts';
import { createLocalClock, type LocalClock, type LocalTime, weekdays } from '../core/local-clock.ts';
import type { RequestOptions } from '../http/operation.ts';
import * as z from '../core/schema.ts';
import { readList } from '../core/envelope.ts';
import { readOptional, readRecord, type RecordList } from '../core/schema.ts';
import { optionalText } from './fields.ts';
import type { Workspace } from './workspace.ts';

/** A weekly schedule of when people answer. Fields that aren't listed here are kept as they came. */
export interface OfficeHours {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** An IANA time zone, such as `America/New_York`. */
  readonly time_zone_name: string;
  readonly twenty_four_seven?: boolean | null | undefined;
  /** In minutes since Monday 00:00. */
  readonly time_intervals?: readonly OpenInterval[] | null | undefined;
  readonly [field: string]: unknown;
}

/** A day with hours of its own, such as a holiday. */
export interface OfficeHoursException {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** YYYY-MM-DD */
  readonly exception_date: string;
  /** `closed` all day, or `custom_hours`. */
  readonly exception_type: string;
  /** In minutes since midnight of that day. */
  readonly time_intervals?: readonly OpenInterval[] | null | undefined;
  /** Every year on this day. */
  readonly recurring_annually?: boolean | null | undefined;
  readonly [field: string]: unknown;
}

/** From a minute up to another one, which isn't part of it. */
export interface OpenInterval {
  readonly start_minute: number;
  readonly end_minute: number;
}

/** Reads when people answer. Paths of the real platform; the default API doesn't have them. */
export interface OfficeHoursOperations {
  list(call?: RequestOptions): Promise<RecordList<OfficeHours>>;
  /** `undefined` when there's no schedule with this id. */
  get(id: string, call?: RequestOptions): Promise<OfficeHours | undefined>;
  /** The holidays and other days of a schedule that have hours of their own. */
  listExceptions(id: string, call?: RequestOptions): Promise<RecordList<OfficeHoursException>>;
  /**
   * Returns `true` if a schedule is open at a moment, in its own time zone and with its exceptions. Reads both at once.
   * Throws `ClientError` with status 404 when there's no such schedule.
   *
   * @param at UNIX milliseconds. @defaultValue now
   */
  isOpen(id: string, at?: number, call?: RequestOptions): Promise<boolean>;
}

const intervals = z.lazily(() =>
  z.nullish(z.array(z.looseObject({ start_minute: z.number(), end_minute: z.number() }))),
);

const hoursSchema = z.lazily<OfficeHours>(() =>
  z.object({
    id: z.readId(),
    name: optionalText(),
    time_zone_name: z.string(),
    twenty_four_seven: z.nullish(z.boolean()),
    time_intervals: intervals(),
  }),
);

const exceptionSchema = z.lazily<OfficeHoursException>(() =>
  z.object({
    id: z.readId(),
    name: optionalText(),
    exception_date: z.string(),
    exception_type: z.string(),
    time_intervals: intervals(),
    recurring_annually: z.nullish(z.boolean()),
  }),
);

const officeHours = readRecord(hoursSchema, ['id', 'time_zone_name']);
const exception = readRecord(exceptionSchema, ['id', 'exception_date', 'exception_type']);

/** The operations on office hours, as Intercom has them. */
export const officeHoursEndpoints = {
  list: entry({ method: 'GET', path: 'office_hours_schedules', returns: readList(officeHours) }),
  get: entry({
    method: 'GET',
    path: 'office_hours_schedules/{id}',
    absentOn404: true,
    returns: readOptional(officeHours),
  }),
  listExceptions: entry({
    method: 'GET',
    path: 'office_hours_schedules/{id}/office_hours_exceptions',
    returns: readList(exception),
  }),
};

/** Makes the methods of office hours. */
export const createOfficeHours = ({
  http,
  endpoints,
  methods,
  shareDeadline,
}: Workspace<{ readonly officeHours: typeof officeHoursEndpoints }>): OfficeHoursOperations => ({
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
