/** What a calendar and a clock on the wall show. */
export interface LocalTime {
  /** YYYY-MM-DD */
  readonly date: string;
  readonly minuteOfDay: number;
  /** In English, such as `Tuesday`. */
  readonly weekday: string;
  /** With the offset of the zone: `2026-11-24T09:00-05:00`. */
  readonly iso: string;
}

/** Turns moments into the time of one zone, and back. */
export interface LocalClock {
  at(moment: Date): LocalTime;
  /** The moment at which the clock shows this. `undefined` where it's skipped, as the clocks go forward. */
  instantOf(date: string, minuteOfDay: number): Date | undefined;
}

/** A clock of an IANA time zone. Throws `RangeError` for a zone that this machine doesn't know. */
export const createLocalClock = (timeZone: string): LocalClock => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  });

  const at: LocalClock['at'] = (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
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

  return {
    at,
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

const minuteMs = 60_000;
