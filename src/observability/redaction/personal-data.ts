import { maskCardNumbers } from './card-numbers.ts';
import { inWords } from './secrets.ts';

/**
 * Replaces e-mail addresses by `[email]` and phone numbers that begin with `+` by `[phone]`, URL-encoded ones too.
 * Masks card numbers but for their last four digits. Doesn't recognise names and postal addresses: texts for a log
 * should not hold them.
 */
export const maskPersonalData = (text: string): string => maskPhonesAndEmails(maskCardNumbers(text));

/** {@link maskPersonalData} without card numbers. */
export const maskPhonesAndEmails = (text: string): string => maskPhones(maskEmails(text));

/** Says if a field of this name usually holds personal data, such as `phone_number` or `dateOfBirth`. */
export const isPersonalName = (name: string): boolean =>
  /(?:^|_)(?:phone|mobile|fax|e?mail|birth|birthday|birthdate|dob|iban|ssn|passport|card|pan|address|street|zip|zip_code|post_?code|postal_code|(?:national|tax|ssn|passport|caller)_id|social_security|first_name|last_name|full_name)(?:_number|_date)?$/.test(
    inWords(name),
  );

/** E.164, and as people write it: `+1 (415) 555-0100`. Source: ITU-T E.164, at most 15 digits. */
export const maskPhones = (text: string): string =>
  text.replace(/(?:\+|%2b)[1-9](?:[ ().-]{0,2}\d){6,14}/gi, '[phone]');

/** RFC 5321, section 4.5.3.1.1. Without it, `a%40a%40…` would be read again from its start for each `%40`. */
const longestLocalPart = 64;

/** Goes out from each at-sign, since a pattern for the whole address takes quadratic time on a long word. */
export const maskEmails = (text: string): string => {
  let masked = '';
  let from = 0;
  for (const { 0: atSign, index: at } of text.matchAll(/@|%40/gi)) {
    let start = at;
    while (start > from && at - start < longestLocalPart && isAddressCharacter(text, start - 1)) start -= 1;
    const afterAt = at + atSign.length;
    let end = afterAt;
    while (isDomainCharacter(text, end)) end += 1;
    while (/[.-]/.test(text.charAt(end - 1))) end -= 1;
    if (start === at || !text.slice(afterAt, end).includes('.')) continue;
    masked += `${text.slice(from, start)}[email]`;
    from = end;
  }
  return masked + text.slice(from);
};

const isAddressCharacter = (text: string, at: number): boolean => /[^\s<>()[\]{},;:"'\\@=&?/|]/.test(text[at] ?? ' ');

const isDomainCharacter = (text: string, at: number): boolean => /[\p{L}\p{N}.-]/u.test(text[at] ?? ' ');
