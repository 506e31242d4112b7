import { phoneForms } from '../../phone/forms.ts';
import type { Condition } from '../where.ts';

/**
 * The ways in which a number is usually written in an org: Salesforce compares phone numbers as texts. National and
 * international forms of every country, by the lengths of numbers alone; `phoneFormats` of
 * `voice-agent-integrations/phone` knows how each country groups its digits.
 *
 * @example
 * phoneFormats('+14155550100'); // ['+14155550100', '14155550100', '4155550100', '(415) 555-0100', …]
 */
export const phoneFormats: (e164: string) => readonly string[] = phoneForms;

/**
 * A number by its last digits, with anything between them: ten for North America, eight elsewhere, where a country
 * code or a trunk zero may come before them.
 */
export const phoneDigits = (field: string, e164: string): Condition => ({
  field,
  endsWith: e164.slice(northAmerican.test(e164) ? -10 : -8).split(''),
});

const northAmerican = /^\+1(\d{3})(\d{3})(\d{4})$/;
