import { InvalidArgumentError } from '../errors.ts';

/** A moment: a `Date`, milliseconds since 1970, or an ISO 8601 text with its offset (`2026-03-01T23:30:00Z`). */
export type Moment = Date | number | string;

/**
 * The day of a moment where the business is, as `YYYY-MM-DD`.
 * Throws `InvalidArgumentError` for what is no moment and for a time zone that is not an IANA name.
 */
export const callDay = (moment: Moment, timeZone: string): string => {
  const parts = dayFormat(timeZone).formatToParts(toDate(moment));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
};

/** Throws `InvalidArgumentError` naming `startedAt` unless it is a {@link Moment}. */
export const toDate = (moment: Moment): Date => {
  // A text without offset would mean another moment on each machine.
  const isText = typeof moment === 'string';
  const date = isText && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(moment) ? undefined : new Date(moment);
  if (date && Number.isFinite(date.getTime())) return date;
  throw new InvalidArgumentError('startedAt', 'must be a date, or an ISO 8601 text with its offset');
};

/** Throws `InvalidArgumentError` naming `timeZone` unless this machine knows the zone. */
export const assertTimeZone = (timeZone: string): void => void dayFormat(timeZone);

const dayFormat = (timeZone: string) => {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  } catch {
    throw new InvalidArgumentError('timeZone', 'must be an IANA time zone, such as Europe/Berlin');
  }
};
