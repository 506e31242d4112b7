import { isDate } from './arguments.ts';
import { InvalidArgumentError } from './errors.ts';
import { parseTimestamp } from './timestamp.ts';

/** A calendar and a clock on the wall. */
export interface LocalTime {
  /** YYYY-MM-DD */
  readonly date: string;
  readonly minuteOfDay: number;
  /** The weekday in English, such as `Tuesday`. */
  readonly weekday: string;
  /** The time with the offset of the zone: `2026-11-24T09:00-05:00`. */
  readonly iso: string;
}

/** Turns moments into the time of one zone, and back. */
export interface LocalClock {
  at(moment: Date): LocalTime;
  /**
   * The day of a moment, as YYYY-MM-DD; `undefined` for what is no date. A text without an offset has its day in it.
   * Midnight in UTC, or in the text's own offset, is the day that it's written with: programs write days like this.
   */
  dayOf(moment: Date | number | string): string | undefined;
  /** The moment at which the clock shows this. `undefined` where it's skipped, as the clocks go forward. */
  instantOf(date: string, minuteOfDay: number): Date | undefined;
}

/** A clock of an IANA time zone. Throws `InvalidArgumentError` that names `timeZone` for one that this machine doesn't know. */
export const createLocalClock = (timeZone = 'UTC'): LocalClock => {
  const days = dayFormat(timeZone);
  let times: Intl.DateTimeFormat | undefined;
  const timesOf = () => (times ??= formatIn(timeZone, { ...day, ...time }));

  const at: LocalClock['at'] = (moment) => {
    const parts = new Map(
      timesOf()
        .formatToParts(moment)
        .map(({ type, value }) => [type, value]),
    );
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
    const [date, hour, minute] = [`${part('year')}-${part('month')}-${part('day')}`, part('hour'), part('minute')];
    const offset = part('timeZoneName').slice('GMT'.length).replace('\u2212', '-') || '+00:00';
    return {
      date,
      minuteOfDay: Number(hour) * 60 + Number(minute),
      weekday: part('weekday'),
      iso: `${date}T${hour}:${minute}${offset}`,
    };
  };

  const dayAt = (ms: number | undefined): string | undefined => {
    if (ms === undefined || !(Math.abs(ms) <= latestMs)) return undefined;
    if (timeZone === 'UTC' || ms % dayMs === 0) return new Date(ms).toISOString().slice(0, 10);
    const [month, date, year] = days.format(ms).split('/');
    return `${year}-${month}-${date}`;
  };

  return {
    at,
    dayOf: (moment) => {
      if (typeof moment !== 'string') return dayAt(Number(moment));
      const [, date = '', clock = ''] = /^(\d{4}-\d\d-\d\d)(?:[T ](.+))?$/.exec(moment) ?? [];
      if (!isDate(date)) return undefined;
      const isMoment = /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(clock) && !/^00:00(?::00(?:\.0+)?)?(?![\d:.])/.test(clock);
      return isMoment ? dayAt(parseTimestamp(moment)) : date;
    },
    instantOf: (date, minuteOfDay) => {
      const asIfUtc = Date.parse(`${date}T00:00Z`) + minuteOfDay * minuteMs;
      const shownAt = (ms: number) => Date.parse(`${at(new Date(ms)).iso.slice(0, 16)}Z`);
      const first = asIfUtc - (shownAt(asIfUtc) - asIfUtc);
      // The offset may change between the two.
      const moment = first - (shownAt(first) - asIfUtc);
      return shownAt(moment) === asIfUtc ? new Date(moment) : undefined;
    },
  };
};

/** The names of the days; the week begins on Monday. */
export const weekdays: readonly string[] = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
];

const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const time = {
  hourCycle: 'h23',
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'longOffset',
} as const;

/** American English is in every runtime, whatever else is left out. */
const formatIn = (timeZone: string, parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', numberingSystem: 'latn', ...parts });

/** Throws `InvalidArgumentError` that names `timeZone` unless this machine knows the zone. */
export const assertTimeZone = (timeZone = 'UTC'): void => void dayFormat(timeZone);

const dayFormat = (timeZone: string): Intl.DateTimeFormat => {
  try {
    return formatIn(timeZone, day);
  } catch {
    throw new InvalidArgumentError('timeZone', 'must be an IANA time zone, such as Europe/Berlin');
  }
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The last moment of a `Date`. */
const latestMs = 8.64e15;
