/** The wait that the default API asks for where `Retry-After` says nothing usable. */
export const defaultRetryAfterMs = 1_000;

/**
 * Returns how long the server asks to wait, or `undefined` when it does not say. A date is measured against the answer's
 * own `Date`, so that a wrong clock on either side does not matter (`wallNow` where it is missing).
 * Of a doubled header the first counts. What cannot be a wait (empty, negative, a past date, no number) is 1000 ms.
 * An absurd number is returned as it is; who would have to wait decides. Source: RFC 9110, section 10.2.3.
 */
export const retryAfterMs = (headers: ReadonlyMap<string, string>, wallNow: number): number | undefined => {
  const text = headers.get('retry-after')?.trim();
  if (text === undefined) return undefined;
  const seconds = text.split(',', 1)[0]?.trim() ?? '';
  if (/^\d+(?:\.\d+)?(?:e\+?\d+)?$/i.test(seconds))
    return Math.min(Math.ceil(Number(seconds) * 1_000), Number.MAX_SAFE_INTEGER);
  const until = parseHttpDate(text);
  if (until === undefined) return defaultRetryAfterMs;
  const waitMs = until - serverTime(headers, wallNow);
  return waitMs < 0 ? defaultRetryAfterMs : waitMs;
};

/** Returns when the answer was made, in milliseconds since 1970, by the server's own clock where it says so. */
export const serverTime = (headers: ReadonlyMap<string, string>, wallNow: number): number =>
  parseHttpDate(headers.get('date') ?? '') ?? wallNow;

/** Reads only the forms of RFC 9110, section 5.6.7, and ISO 8601: `Date.parse` alone also takes `abc 1` for a date. */
const parseHttpDate = (text: string): number | undefined => {
  const date = dateForms.map((form) => form.exec(text)?.[0]).find((match) => match !== undefined);
  if (date === undefined) return undefined;
  const at = Date.parse(/(?:GMT|Z|[+-]\d\d:\d\d)$/.test(date) ? date : `${date} GMT`);
  return Number.isNaN(at) ? undefined : at;
};

const dateForms = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}/,
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})/,
];
