const grouped = new Intl.NumberFormat('en');

/** @param {number} value */
export const count = (value) => grouped.format(value);

/** @param {number | undefined | null} ms */
export const duration = (ms) => {
  if (ms === undefined || ms === null) return '–';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 10_000) return `${grouped.format(Math.round(ms))} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
};

/** @param {number | undefined} share 0 to 1 */
export const percent = (share) => {
  if (share === undefined) return '–';
  // 99.96 % is not all.
  if (share < 1 && share > 0.999) return '99.9 %';
  return `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)} %`;
};

/** @param {number} at */
export const timeOfDay = (at) => new Date(at).toLocaleTimeString('en-GB');

/** With milliseconds. @param {number} at */
export const exactTime = (at) => `${timeOfDay(at)}.${String(Math.floor(at % 1_000)).padStart(3, '0')}`;

/** @param {number} at @param {number} now */
export const ago = (at, now) => {
  const ms = now - at;
  if (ms < 2_000) return 'now';
  return `${ms < 120_000 ? `${Math.round(ms / 1_000)} s` : duration(ms)} ago`;
};

/** An id that fits into the list: the ends differ, where platforms begin all ids alike. @param {string} id */
export const shortId = (id) => (id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-8)}` : id);

/** @param {number} number @param {string} one @param {string} [several] */
export const counted = (number, one, several = `${one}s`) => `${count(number)} ${number === 1 ? one : several}`;

/** The reasons why a request was not sent at once. @type {Readonly<Record<string, string>>} */
export const whyWaited = {
  backoff: 'back-off',
  retry_after: 'the API asked for it (Retry-After)',
  rate_limit: 'our own rate limit',
};

/** The change of a circuit breaker. @param {{ to: string }} change */
export const circuitChange = ({ to }) => circuitChanges[to] ?? to;

/** @type {Readonly<Record<string, string>>} */
const circuitChanges = {
  open: 'opened: requests are refused',
  'half-open': 'tries one request',
  closed: 'closed: requests pass again',
};

/** A word of the package, for people. @param {string} word */
export const inWords = (word) => word.replaceAll('_', ' ').replaceAll('/', ': ');
