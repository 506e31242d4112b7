import { entry } from '../api/entry.ts';
import type { RequestOptions } from '../http/operation.ts';
import * as z from '../core/schema.ts';
import { readList } from '../core/envelope.ts';
import { readOptional, readRecord, type RecordList } from '../core/schema.ts';
import { optionalText } from './readers.ts';

/** When people answer, week by week. Fields that aren't listed here are kept as they came. */
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
   * Whether a schedule is open at a moment, by its own time zone and with its exceptions. Reads both at once.
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

/** Reads one schedule. */
export const officeHours = readRecord(hoursSchema, ['id', 'time_zone_name']);
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
