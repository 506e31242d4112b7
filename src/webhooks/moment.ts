/** A time as APIs write it, in milliseconds since 1970: seconds, milliseconds or an ISO date. `undefined` for no time. */
export const momentOf = (value: unknown): number | undefined => {
  if (typeof value === 'number')
    return Number.isFinite(value) ? (Math.abs(value) < secondsUntil ? value * 1000 : value) : undefined;
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(value))
    return undefined;
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? undefined : moment;
};

/** As seconds this is the year 5138, as milliseconds 1973. */
const secondsUntil = 1e11;
