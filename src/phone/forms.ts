import { digitsIn, withUsualDigits } from './digits.ts';
import { spellingsOf } from './spellings.ts';

/**
 * The forms in which people write a number without E.164. Knows no country but the lengths of country codes;
 * `voice-agent-integrations/phone` knows them all.
 */

/**
 * Returns the usual forms of a number, E.164 first, each once: for searches that compare whole texts. National forms are
 * among them, with the trunk digit that is dialled before them.
 *
 * @example
 * phoneForms('+442071838750'); // ['+442071838750', …, '+44 20 7183 8750', …, '020 7183 8750', …]
 */
export const phoneForms = (e164: string): readonly string[] => {
  const two = spellingsOf(e164);
  const forms = two
    ? [...two.e164, ...two.e164.map(digitsIn), ...two.written.filter(isCertain), ...two.e164.flatMap(digitForms)]
    : [...digitForms(e164), ...groupedForms(e164)];
  return [...new Set([e164, ...forms])];
};

const groupedForms = (e164: string): readonly string[] => {
  const { code, national, trunk } = partsOf(e164);
  return code === '1'
    ? northAmerican(national)
    : groupingsOf(national).flatMap((groups) => {
        const [area = '', ...local] = groups;
        const inside = [trunk + area, ...local];
        const international = [groups.join(' '), ...(trunk === '' ? [] : [`(${trunk})${groups.join(' ')}`])];
        return [
          ...international.map((number) => `+${code} ${number}`),
          `+${code}-${groups.join('-')}`,
          ...(trunk === '' && !isCallableBare(code, national)
            ? []
            : [...[' ', '-', '.'].map((joint) => inside.join(joint)), ...aroundArea(inside)]),
        ];
      });
};

/** Returns whether a text has this number in digits, however it's formatted. An extension belongs to the same line. */
export const isSamePhone = (e164: string, written: string): boolean => {
  const text = withUsualDigits(written).replace(extension, '').trim();
  const digits = digitsIn(text);
  const own = spellingsOf(e164) ? phoneForms(e164).map(digitsIn) : digitForms(e164);
  // A plus is followed by a country code, so these digits can't be a national number.
  return own.includes(digits) && (!text.startsWith('+') || digits.startsWith(partsOf(e164).code));
};

const extension = /(?:ext\.?|extension|x|#|;ext=)\s*\d{1,7}\s*$/i;

/** The digits of a number without its country code, and with it, in each of its spellings. */
export const bareDigits = (e164: string): readonly string[] =>
  [...new Set([e164, ...(spellingsOf(e164)?.e164 ?? [])])].flatMap((spelling) => {
    const { code, national } = partsOf(spelling);
    return [national, code + national];
  });

/** International, after `00`, after the trunk digit, and bare. */
const digitForms = (e164: string): readonly string[] => {
  const { code, national, trunk } = partsOf(e164);
  return [
    code + national,
    ...(isCallableBare(code, national) ? [national] : []),
    `00${code}${national}`,
    ...(trunk === '' ? [] : [trunk + national, code + trunk + national]),
  ];
};

interface PhoneParts {
  readonly code: string;
  readonly national: string;
  /** The digit that is dialled before it within the country, or ''. */
  readonly trunk: string;
}

const partsOf = (e164: string): PhoneParts => {
  const digits = e164.replace(/^\+/, '');
  const [code = ''] = countryCode.exec(digits) ?? [];
  const trunk = withoutTrunk.has(code) ? '' : code === '7' ? '8' : '0';
  return { code, national: digits.slice(code.length), trunk };
};

/** Country codes of one, two and three digits; ITU-T E.164. */
const countryCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** Country codes with which a `0` before the number makes another one. Elsewhere a `0` too many finds nothing. */
const withoutTrunk = new Set(['1', '30', '34', '39', '45', '47', '48', '65', '351', '352', '356', '357', '371', '372']);

/** Bare digits that look like a number of North America are one, wherever the caller is from. */
const isCallableBare = (code: string, national: string): boolean =>
  code === '1' || (withoutTrunk.has(code) && isCertain(national));

const isCertain = (form: string): boolean => form.startsWith('+') || !/^1?[2-9]\d{9}$/.test(digitsIn(form));

/** `(020) 7183 8750`, `030/1234567`. */
const aroundArea = ([area = '', ...local]: readonly string[]): readonly string[] =>
  local.length === 0 ? [] : [`(${area}) ${local.join(' ')}`, `${area}/${local.join(' ')}`];

const northAmerican = (national: string): readonly string[] => {
  const [area, exchange, line] = split(national, [3, 3]);
  const inside = [
    `(${area}) ${exchange}-${line}`,
    `(${area})${exchange}-${line}`,
    `${area}-${exchange}-${line}`,
    `${area}.${exchange}.${line}`,
    `${area} ${exchange} ${line}`,
  ];
  return [
    ...inside,
    ...[national, ...inside].flatMap((number) => [`+1 ${number}`, `1 ${number}`]),
    `+1-${area}-${exchange}-${line}`,
    `1-${area}-${exchange}-${line}`,
    `+1.${area}.${exchange}.${line}`,
  ];
};

const groupingsOf = (national: string): readonly (readonly string[])[] =>
  (usualSizes[national.length] ?? [[2], [3], [4]]).map((sizes) => split(national, sizes));

/** Sizes of the groups, by the number of digits. The last group has what is left. */
const usualSizes: Readonly<Record<number, readonly (readonly number[])[]>> = {
  8: [[2, 2, 2], [4], [2], [3], [2, 3]],
  9: [[1, 2, 2, 2], [2], [3, 3], [2, 3], [3], [3, 2, 2], [2, 3, 2], [1, 4]],
  10: [[2, 4], [3, 3], [4], [3], [4, 3], [2, 2, 2, 2], [3, 3, 2]],
  11: [[3], [4], [3, 4], [2, 4], [2, 5]],
};

const split = (digits: string, sizes: readonly number[]): readonly string[] => {
  const [size, ...others] = sizes;
  if (size === undefined) return digits === '' ? [] : [digits];
  return [digits.slice(0, size), ...split(digits.slice(size), others)];
};
