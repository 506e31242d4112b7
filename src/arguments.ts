/** What arguments must look like before anything is sent: the rules that several clients and steps share. */
import * as z from './schema.ts';

/** At most 15 digits behind the plus; ITU-T E.164. */
export const isE164 = (value: string): boolean => value.length <= 16 && /^\+[1-9]\d{6,14}$/.test(value);

/** An address that mail can be sent to, in ASCII; RFC 5321 gives the lengths. */
export const isEmail = (value: string): boolean =>
  value.length <= 254 &&
  /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+$/.test(value) &&
  !/^\.|\.\.|\.@|@-|-\.|\.-|-$/.test(value);

/** A day that exists, written YYYY-MM-DD. */
export const isDate = (value: string): boolean => {
  if (value.length !== 10 || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
};

export const e164: z.ZodType<string> = z
  .string()
  .refine(isE164, 'must be a phone number in E.164 format, such as +14155550100');

export const email: z.ZodType<string> = z.string().refine(isEmail, 'must be an e-mail address');

export const date: z.ZodType<string> = z.string().refine(isDate, 'must be a date, YYYY-MM-DD');

/** A text that says something. */
export const text: z.ZodType<string> = z.string().refine((value) => value.trim() !== '', 'must not be empty');

/** An id: also fit to stand in a path. */
export const id: z.ZodType<string> = z
  .string()
  .refine((value) => value.trim() !== '', 'must not be empty')
  .refine((value) => value !== '.' && value !== '..', 'must not be "." or ".."')
  .refine((value) => value.length <= 1024 && value.isWellFormed(), 'must be well-formed and not longer than 1024');

/** A count: an integer, 0 or more. */
export const count: z.ZodType<number> = z.int().min(0);

/** What a custom field may hold. `null` empties it. */
export const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null ||
  ['string', 'boolean'].includes(typeof value) ||
  (typeof value === 'number' && Number.isFinite(value));
