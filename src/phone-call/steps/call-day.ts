import { InvalidArgumentError } from '../../core/errors.ts';
import { createLocalClock } from '../../core/local-clock.ts';

/** A moment: a `Date`, milliseconds since 1970, or an ISO 8601 text with its offset (`2026-03-01T23:30:00Z`). */
export type Moment = Date | number | string;

/**
 * The day of a moment where the business is, as `YYYY-MM-DD`.
 * Throws `InvalidArgumentError` for what is no moment and for a time zone that is not an IANA name.
 */
export const callDay = (moment: Moment, timeZone?: string): string =>
  createLocalClock(timeZone).at(toDate(moment)).date;

/** Throws `InvalidArgumentError` naming the field unless it is a {@link Moment}. */
export const toDate = (moment: Moment, field = 'startedAt'): Date => {
  // A text without offset would mean another moment on each machine.
  const isText = typeof moment === 'string';
  const isMoment = isText
    ? /(?:Z|[+-]\d\d:?\d\d)$/i.test(moment)
    : typeof moment === 'number' || moment instanceof Date;
  const date = isMoment ? new Date(moment) : undefined;
  if (date && Number.isFinite(date.getTime())) return date;
  throw new InvalidArgumentError(field, 'must be a date, or an ISO 8601 text with its offset');
};
