import { maskCardNumbers } from './card-numbers.ts';

/**
 * Replaces each secret by `[secret]`, also where it is URL-encoded, escaped in JSON, or in base64 (alone, or
 * inside a longer text such as the `user:password` of basic authentication).
 */
export const maskSecrets = (text: string, secrets: readonly string[]): string => secretMask(secrets)(text);

/** {@link maskSecrets} for the same secrets again and again. */
export const secretMask = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  if (forms.length === 0) return (text) => text;
  // Longest first: otherwise a form inside another leaves the rest of it.
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  const long = longestFirst.filter((form) => form.length > longestInPattern);
  const short = longestFirst.slice(long.length).map((form) => form.replace(/[^\w]/g, escapeCharacter));
  const anyShort = short.length > 0 ? new RegExp(short.join('|'), 'g') : undefined;
  return (text) => {
    let masked = text;
    for (const form of long) masked = masked.replaceAll(form, '[secret]');
    return anyShort ? masked.replace(anyShort, '[secret]') : masked;
  };
};

/** A pattern has a largest size; a form that long is looked for as it is. */
const longestInPattern = 2_000;

/** As a code unit, so that nothing in a secret means anything in a pattern. */
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Replaces e-mail addresses by `[email]` and phone numbers that begin with `+` by `[phone]`, also URL-encoded, and
 * masks card numbers but for their last four digits. Names and addresses are not recognised: what is logged should
 * not hold them in the first place.
 */
export const maskPersonalData = (text: string): string => maskPhonesAndEmails(maskCardNumbers(text));

/** {@link maskPersonalData} without card numbers. */
export const maskPhonesAndEmails = (text: string): string => maskPhones(maskEmails(text));

const formsOf = (secret: string): string[] => {
  const encoded = secret.isWellFormed() ? encodeURIComponent(secret) : secret;
  return [
    secret,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    ...base64Forms(secret),
  ];
};

/** Shorter ones would also be found in texts that have nothing to do with them. */
const shortestForBase64 = 6;

/** Where the secret begins within a group of three bytes decides how it looks; its first and last bits may be shared. */
const base64Forms = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  if (bytes.length < shortestForBase64) return [];
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    const inside = [Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6)] as const;
    return [shifted.toString('base64').slice(...inside), shifted.toString('base64url').slice(...inside)];
  });
};

/** E.164, and as people write it: `+1 (415) 555-0100`. Source: ITU-T E.164, at most 15 digits. */
const maskPhones = (text: string): string => text.replace(/(?:\+|%2b)[1-9](?:[ ().-]{0,2}\d){6,14}/gi, '[phone]');

/** RFC 5321, section 4.5.3.1.1. Without it, `a%40a%40…` would be read again from its start for each `%40`. */
const longestLocalPart = 64;

/** Goes out from each at-sign, since a pattern for the whole address takes quadratic time on a long word. */
const maskEmails = (text: string): string => {
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
