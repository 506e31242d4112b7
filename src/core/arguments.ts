/** The rules of arguments before anything is sent: those that several clients and steps share. */
import * as z from './schema.ts';

const e164Format = z.lazily(() => z.e164());
const dateFormat = z.lazily(() => z.iso.date());

/** A number of at most 15 digits after the plus; ITU-T E.164. */
export const isE164 = (value: string): boolean => value.length <= 16 && e164Format().safeParse(value).success;

/**
 * An address that mail can be sent to, in any script (RFC 6531). Lengths are those of RFC 5321. Quoted names and
 * addresses of machines are left out: people don't have them, and quotes and brackets mean something in headers.
 */
export const isEmail = (value: string): boolean =>
  value.length <= 254 && value.indexOf('@') <= 64 && emailFormat.test(value);

/** Words joined by dots, `@`, and at least two labels joined by dots, as long as DNS allows. */
const emailFormat =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])$/u;

/** A day that exists, written YYYY-MM-DD. */
export const isDate = (value: string): boolean => value.length === 10 && dateFormat().safeParse(value).success;

export const e164 = z.lazily<string>(() =>
  z.string().check(z.refine(isE164, 'must be a phone number in E.164 format, such as +14155550100')),
);

export const email = z.lazily<string>(() => z.string().check(z.refine(isEmail, 'must be an e-mail address')));

export const date = z.lazily<string>(() => z.string().check(z.refine(isDate, 'must be a date, YYYY-MM-DD')));

/** A moment, with its zone: `2026-11-23T14:00:00Z`, or with an offset, with or without a colon. */
export const isDateTime = (value: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/.test(value) &&
  isDate(value.slice(0, 10)) &&
  !Number.isNaN(Date.parse(value));

export const dateTime = z.lazily<string>(() =>
  z.string().check(z.refine(isDateTime, 'must be a date and time with its zone, such as 2026-01-31T14:00:00Z')),
);

/** A text that says something. */
export const text = z.lazily<string>(() =>
  z.string().check(z.refine((value) => value.trim() !== '', 'must not be empty')),
);

/** An id: also valid in a path. */
export const id = z.lazily<string>(() =>
  z.string().check(({ value, issues }) => {
    const message = idProblem(value);
    if (message) issues.push({ code: 'custom', message, input: value });
  }),
);

const idProblem = (value: string): string | undefined => {
  if (value.trim() === '') return 'must not be empty';
  if (value === '.' || value === '..') return 'must not be "." or ".."';
  return value.length <= 1024 && value.isWellFormed() ? undefined : 'must be well-formed and not longer than 1024';
};

/** Returns whether a number has at most so many decimals: no other number is closer to a decimal with that many. */
export const hasAtMostDecimals = (value: number, decimals: number): boolean => {
  const unit = 10 ** decimals;
  // Nearly all amounts that may pass do so here; the way over text is slow.
  return Math.round(value * unit) / unit === value || Number(value.toFixed(decimals)) === value;
};

/** A count: an integer, 0 or more. */
export const count = z.lazily<number>(() => z.int().check(z.minimum(0)));

/** The value of a custom field. `null` empties it. */
export const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null ||
  ['string', 'boolean'].includes(typeof value) ||
  (typeof value === 'number' && Number.isFinite(value));

/** Returns whether words say nothing: they're blank, or have only signs that no one sees. */
export const isSilence = (words: string): boolean => !/[^\p{C}\p{Z}]/u.test(words);
