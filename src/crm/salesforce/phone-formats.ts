import type { Condition } from '../query.ts';

/**
 * The ways in which a number is usually written in an org: Salesforce compares phone numbers as texts.
 * For North America all its usual ones; elsewhere, where the national form cannot be told from the digits alone, the
 * international ones. Give `phoneFormats` to the preset for the forms of your country.
 *
 * @example
 * phoneFormats('+14155550100'); // ['+14155550100', '14155550100', '4155550100', '(415) 555-0100', …]
 */
export const phoneFormats = (e164: string): readonly string[] => {
  const digits = e164.slice(1);
  const [, area, exchange, line] = northAmerican.exec(e164) ?? [];
  if (area === undefined) return [e164, digits, `00${digits}`];
  const inside = [
    `${area}${exchange}${line}`,
    `(${area}) ${exchange}-${line}`,
    `(${area})${exchange}-${line}`,
    `${area}-${exchange}-${line}`,
    `${area}.${exchange}.${line}`,
    `${area} ${exchange} ${line}`,
  ];
  return [
    e164,
    digits,
    ...inside,
    ...inside.flatMap((number) => [`+1 ${number}`, `1 ${number}`]),
    `+1-${area}-${exchange}-${line}`,
    `1-${area}-${exchange}-${line}`,
    `+1.${area}.${exchange}.${line}`,
  ];
};

/**
 * A number by its last digits, whatever stands between them: ten for North America, eight elsewhere, where a country
 * code or a trunk zero may stand before them.
 */
export const phoneDigits = (field: string, e164: string): Condition => ({
  field,
  endsWith: e164.slice(northAmerican.test(e164) ? -10 : -8).split(''),
});

const northAmerican = /^\+1(\d{3})(\d{3})(\d{4})$/;
