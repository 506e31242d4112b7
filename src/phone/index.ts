/**
 * Phone numbers as people write and say them. Needs `libphonenumber-js`, whose one door this is.
 *
 * @module
 */
import {
  type CountryCode,
  isSupportedCountry,
  type NumberFormat,
  ParseError,
  type PhoneNumber,
  parsePhoneNumberWithError,
  validatePhoneNumberLength,
} from 'libphonenumber-js/min';
import { InvalidArgumentError } from '../core/errors.ts';
import { digitsIn, withUsualDigits } from './digits.ts';
import { spellingsOf } from './spellings.ts';
import { readSpokenNumber } from './spoken.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/** Options for a number without a country code. */
export interface PhoneOptions {
  /** The country of a number without a country code: two letters (ISO 3166-1), such as `US`. @defaultValue none */
  readonly defaultCountry?: string | undefined;
}

/** The number in a text, or the reason why there is none. */
export type ParsedPhone =
  | {
      readonly ok: true;
      readonly e164: string;
      /** Two letters; `undefined` for numbers of no country, such as international freephone. */
      readonly country: string | undefined;
      /** Said or written after the number. E.164 has no place for it. */
      readonly extension: string | undefined;
    }
  | { readonly ok: false; readonly reason: PhoneProblem };

/**
 * `not_a_number`: nothing that can be read as one number. `country_missing`: it has no country code, and no
 * `defaultCountry` was given. `unknown_country`: no country has this code. `too_short`, `too_long`, `wrong_length`: not
 * what numbers of this country have. `not_assigned`: the length is right, and the country gives out no such numbers.
 */
export type PhoneProblem =
  | 'not_a_number'
  | 'country_missing'
  | 'unknown_country'
  | 'too_short'
  | 'too_long'
  | 'wrong_length'
  | 'not_assigned';

/**
 * Reads a phone number as a person wrote it, a CRM holds it or a caller said it, and gives it in E.164. Digits that were
 * said in English count too: `"four one five, double five five, oh one hundred"`. The whole text has to be one number;
 * nothing is guessed, so that an agent can ask again with the reason.
 * Throws `InvalidArgumentError` for a `defaultCountry` that is none.
 *
 * @example
 * parsePhone('(415) 555-0100', { defaultCountry: 'US' }); // { ok: true, e164: '+14155550100', country: 'US', … }
 * parsePhone('four one five', { defaultCountry: 'US' }); // { ok: false, reason: 'too_short' }
 */
export const parsePhone = (text: string, { defaultCountry }: PhoneOptions = {}): ParsedPhone => {
  if (defaultCountry !== undefined) assertCountry(defaultCountry);
  const written =
    typeof text === 'string' && text.length <= longestText ? readSpokenNumber(withUsualDigits(text).trim()) : undefined;
  if (written === undefined) return failed('not_a_number');
  if (defaultCountry === undefined && !written.startsWith('+') && /\d/.test(written)) return failed('country_missing');
  const settings = withoutUndefined({ extract: false, defaultCountry } as const);
  try {
    const number = parsePhoneNumberWithError(written, settings);
    const length = validatePhoneNumberLength(number.number);
    if (length) return failed(problems[length] ?? 'not_a_number');
    if (!number.isValid()) return failed('not_assigned');
    return { ok: true, e164: number.number, country: number.country, extension: number.ext || undefined };
  } catch (error) {
    if (error instanceof ParseError) return failed(problems[error.message] ?? 'not_a_number');
    throw error;
  }
};

/**
 * Makes the function that reads numbers without a country code as those of one country, for
 * `createIntegration({ readPhone })`. A number of another country needs its code.
 * Throws `InvalidArgumentError` for a `defaultCountry` that is none.
 *
 * @example
 * const integration = createIntegration({ billing, readPhone: phoneReader({ defaultCountry: 'US' }) });
 */
export const phoneReader = ({
  defaultCountry,
}: {
  /** Two letters (ISO 3166-1), such as `US`. */
  readonly defaultCountry: string;
}): ((phone: string) => string | undefined) => {
  assertCountry(defaultCountry);
  return (phone) => {
    const parsed = parsePhone(phone, { defaultCountry });
    return parsed.ok ? parsed.e164 : undefined;
  };
};

/**
 * Returns the usual forms of a number, E.164 first, each once: to look for it where it is compared as text.
 * Throws `InvalidArgumentError` for what is no number in E.164.
 *
 * @example
 * phoneFormats('+14155550100'); // '+14155550100', '14155550100', '4155550100', '(415) 555-0100', '415-555-0100', …
 */
export const phoneFormats = (e164: string): readonly string[] => {
  const number = readE164(e164);
  const national = number.format('NATIONAL');
  const code = number.countryCallingCode;
  const local = groupsIn(number, 'INTERNATIONAL').slice(1);
  const inside = groupsIn(number, 'NATIONAL');
  const trunk = digitsIn(national).slice(0, -digitsIn(number.nationalNumber).length);
  return [
    ...new Set([
      number.number,
      digitsIn(number.number),
      ...(spellingsOf(number.number)?.e164 ?? []).flatMap((spelling) => [spelling, digitsIn(spelling)]),
      digitsIn(national),
      national,
      inside.join('-'),
      inside.join('.'),
      inside.join(' '),
      number.format('INTERNATIONAL'),
      `+${code}-${local.join('-')}`,
      `${code}-${local.join('-')}`,
      ...(national.startsWith('(') ? [`+${code} ${national}`] : []),
      ...(trunk === '' ? [] : [`+${code} (${trunk})${local.join(' ')}`]),
    ]),
  ];
};

function assertCountry(country: string): asserts country is CountryCode {
  if (!isSupportedCountry(country))
    throw new InvalidArgumentError('defaultCountry', 'must be the two letters of a country, such as US');
}

const failed = (reason: PhoneProblem): ParsedPhone => ({ ok: false, reason });

/** No one says or writes a number with more. */
const longestText = 250;

/** Our problems, by the words of the library. */
const problems: Readonly<Record<string, PhoneProblem>> = {
  NOT_A_NUMBER: 'not_a_number',
  INVALID_COUNTRY: 'unknown_country',
  TOO_SHORT: 'too_short',
  TOO_LONG: 'too_long',
  INVALID_LENGTH: 'wrong_length',
};

const readE164 = (e164: string): PhoneNumber => {
  try {
    if (/^\+\d+$/.test(e164)) return parsePhoneNumberWithError(e164, { extract: false });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  throw new InvalidArgumentError('e164', 'must be a phone number in E.164 format, such as +14155550100');
};

const groupsIn = (number: PhoneNumber, format: NumberFormat): readonly string[] =>
  number.format(format).split(/\D+/).filter(Boolean);
