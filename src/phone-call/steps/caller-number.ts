import { isE164 } from '../../core/arguments.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { withUsualDigits } from '../../phone/digits.ts';
import { isUnfilled } from './call-id.ts';

/** The caller's number as a telephone platform says it, as far as it can be read. */
export type TransmittedNumber =
  /** In E.164. */
  | { readonly is: 'number'; readonly phone: string }
  /** A number whose country isn't certain, without what was around it. */
  | { readonly is: 'national'; readonly text: string }
  /** A variable of a template that was never filled in. */
  | { readonly is: 'placeholder' }
  /** A word for a number that's withheld, or no number at all. */
  | { readonly is: 'withheld' };

/**
 * Returns the caller's number in E.164, or `undefined` where a telephone platform says none. Reads spaces, dashes and
 * brackets after a `+`, `tel:`, `whatsapp:` and SIP addresses. Platforms write `anonymous`, `Restricted`, `+266696687` or a client's
 * name where there's no number. A number without a country code is none here: `readPhone` reads it.
 * `startPhoneCall` calls it by itself.
 *
 * @example
 * callerNumber('"Ada" <sip:+14155550100@carrier.example;user=phone>'); // '+14155550100'
 */
export const callerNumber = (transmitted: string | null | undefined): string | undefined => {
  const read = readTransmittedNumber(transmitted);
  return read.is === 'number' ? read.phone : undefined;
};

/** Reads what a telephone platform says about a number. Never throws, whatever it is. */
export const readTransmittedNumber = (transmitted: unknown): TransmittedNumber => {
  const text = typeof transmitted === 'string' || typeof transmitted === 'number' ? plain(String(transmitted)) : '';
  if (text === '') return withheld;
  if (!/(?:sips?|tel|whatsapp):/i.test(text) && isPlaceholder(text)) return { is: 'placeholder' };
  // The caller chooses the name in front of an address.
  const unquoted = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  if (!unquoted.includes('<')) return readAddress(text.replaceAll(/^["']|["']$/g, ''));
  if (unquoted.includes('"')) return withheld;
  const [first = withheld, ...others] = Array.from(unquoted.matchAll(/<([^<>]*)>/g), ([, inside = '']) =>
    readAddress(inside),
  );
  const isOne = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
  return isOne ? first : withheld;
};

/** The reason why a number counts as none, without the number; `undefined` where the caller withheld it. */
export const unreadNumber = (
  { is }: TransmittedNumber,
  callId: string,
  advice: string,
): InvalidArgumentError | undefined => {
  if (is === 'national')
    return new InvalidArgumentError('readPhone', `is missing: ${advice}`, {
      message: `the number of call ${callId} has no country code, so the caller counts as unknown: ${advice}`,
    });
  return is === 'placeholder'
    ? new InvalidArgumentError(
        'phone',
        'must be what your telephone platform says: a placeholder was never filled in',
        {
          message: `the number of call ${callId} is a placeholder that was never filled in, so the caller counts as unknown`,
        },
      )
    : undefined;
};

const withheld: TransmittedNumber = { is: 'withheld' };

/** No signs that can't be seen. */
const plain = (text: string): string =>
  text.length > longest ? '' : withUsualDigits(text).replaceAll(/\p{C}/gu, '').trim();

/** An address with a name in front of it is far shorter. */
const longest = 512;

/** Some platforms put a word for a withheld number into brackets. */
const isPlaceholder = (text: string): boolean =>
  isUnfilled(text) &&
  !/^[^{]*(?:anonym|restrict|block|private|unknown|unavail|withheld|payphone|no[\s_-]?caller)/i.test(text);

/**
 * Reads a number, or the one in a `tel:`, SIP or WhatsApp address: Twilio writes `whatsapp:+558551234567`
 * (twilio.com/docs/voice/twiml/whatsapp, 2026-11-27).
 */
const readAddress = (text: string): TransmittedNumber => {
  const [, inside = text] = /^\s*(?:sips?|tel|whatsapp):(?:\/\/)?(.*)$/i.exec(text) ?? [];
  const [user = '', host = ''] = inside.split('@');
  const [number = '', ...parameters] = user.split(';');
  // What begins with anything else is no parameter, but perhaps a second number.
  if (/\.invalid\b/i.test(host) || !parameters.every((one) => /^\s*(?:[a-z]|$)/i.test(one))) return withheld;
  try {
    return readDigits(decodeURIComponent(number).trim());
  } catch {
    return withheld;
  }
};

const readDigits = (whole: string): TransmittedNumber => {
  if (isPlaceholder(whole)) return { is: 'placeholder' };
  // It belongs to the same line. A national number keeps it, for `readPhone`.
  const text = whole.startsWith('+') ? whole.replace(extension, '') : whole;
  const digits = text.replaceAll(/\D/g, '');
  if (keysOfWords.test(digits) || repeated.test(digits)) return withheld;
  // A zero in brackets is dialled in some countries and not in others.
  if (international.test(text) && !/\(\s*0\s*\)/.test(text))
    return isE164(`+${digits}`) ? { is: 'number', phone: `+${digits}` } : withheld;
  return written.test(text) && digits.length >= fewestDigits ? { is: 'national', text } : withheld;
};

/** ANONYMOUS, RESTRICTED, UNAVAILABLE, BLOCKED, UNKNOWN, PRIVATE, WITHHELD, PAYPHONE and UNLISTED on a telephone's keys. */
const keysOfWords =
  /^(?:00|011)?1?(?:266696687|7378742833|86282452253|2562533|8656696|7748283|94844353|72974663|86547833)$/;

/** Some networks fill in one digit where there is no number. */
const repeated = /^1?(\d)\1{6,}$|0{7,}$/;

const international = /^\+[\d\s().[\]/\u00b7\u2212\p{Pd}]+$/u;

const written = /^\+?[\d\s().[\]/\u00b7\u2212\p{Pd}]{1,40}(?:(?:ext\.?|extension|x|#)[\s:]*\d{1,7})?$/iu;

const extension = /\s*(?:ext\.?|extension|x|#)[\s:]*\d{1,7}$/i;

/** Fewer are a short code, an emergency number or an extension, and no person's number. */
const fewestDigits = 7;
