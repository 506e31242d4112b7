/**
 * A time as APIs write it, in milliseconds since 1970: seconds, milliseconds, an ISO date, or an HTTP date (RFC 9110,
 * section 5.6.7). Without a zone it is UTC, wherever this runs. `undefined` for no time.
 */
export const parseTimestamp = (value: unknown): number | undefined => {
  if (typeof value === 'number')
    return Number.isFinite(value) ? (Math.abs(value) < secondsUntil ? value * 1000 : value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (/^\d{9,16}$/.test(value)) return parseTimestamp(Number(value));
  const moment = Date.parse(httpDate.test(value) ? value : plainIso(value));
  return Number.isNaN(moment) ? undefined : moment;
};

/** The border between seconds and milliseconds: as seconds the year 5138, as milliseconds 1973. */
const secondsUntil = 1e11;

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Writes a date in the one spelling that `Date` is bound to understand; empty for what is no date. */
const plainIso = (text: string): string => {
  const [, date = '', time, zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ]([\d:.]+)(Z|[+-]\d{2}(?::?\d{2})?)?)?$/.exec(text) ?? [];
  if (time === undefined) return date;
  const [, hours, minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return `${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`;
};
