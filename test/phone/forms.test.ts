import { describe, expect, test } from 'vitest';
import { bareDigits, isSamePhone, phoneForms } from '../../src/phone/forms.ts';
import fc from '../support/fast-check.ts';
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberWithError,
} from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';

test.each([
  ['+442071838750', '020 7183 8750'],
  ['+442071838750', '(020) 7183 8750'],
  ['+442071838750', '+44 (0)20 7183 8750'],
  ['+49301234567', '030/1234567'],
  ['+33123456789', '01.23.45.67.89'],
  ['+390612345678', '06 1234 5678'],
  ['+15551234567', '(555) 123-4567'],
])('%s may be written %s', (e164, written) => {
  expect(phoneForms(e164)).toContain(written);
  expect(isSamePhone(e164, written)).toBe(true);
});

describe('one person, two spellings', () => {
  test.each([
    ['+5215512345678', '+525512345678'],
    ['+525512345678', '52 1 55 1234 5678'],
    ['+526641234567', '044 664 123 4567'],
    ['+5491123456789', '+541123456789'],
    ['+5491123456789', '(011) 15-2345-6789'],
    ['+542231234567', '+54 9 223 123-4567'],
    ['+5492231234567', '0223 15 123 4567'],
    ['+542901123456', '+54 2901 15-123456'],
    ['+5511987654321', '+551187654321'],
    ['+551187654321', '(11) 98765-4321'],
    ['+5521987654321', '21 98765-4321'],
    ['+551132345678', '(11) 3234-5678'],
  ])('%s is %s', (e164, written) => {
    expect(isSamePhone(e164, written)).toBe(true);
  });

  test('searches begin with both, and are no longer than those of other countries', () => {
    expect(phoneForms('+525512345678').slice(0, 4)).toEqual([
      '+525512345678',
      '+5215512345678',
      '525512345678',
      '5215512345678',
    ]);
    expect(bareDigits('+551187654321')).toEqual(['1187654321', '551187654321', '11987654321', '5511987654321']);
    for (const e164 of ['+525512345678', '+5492231234567', '+5511987654321'])
      expect(phoneForms(e164).join('').length).toBeLessThan(phoneForms('+442071838750').join('').length);
  });

  test.each([
    ['+5511778654321', '+55117786543'],
    ['+551178654321', '+5511978654321'],
    ['+551132345678', '+5511932345678'],
    ['+525512345678', '+15512345678'],
    ['+525512345678', '55 1234 5678'],
    ['+541123456789', '+541523456789'],
    ['+5491123456789', '+541123456780'],
    ['+5511987654321', '+5521987654321'],
    ['+5215512345678', '+521551234567'],
  ])('%s is not %s', (e164, written) => {
    expect(isSamePhone(e164, written)).toBe(false);
  });
});

test.each([
  '＋１（４１５）５５５－０１００',
  '+١٤١٥٥٥٥٠١٠٠',
  '۴۱۵۵۵۵۰۱۰۰',
  '+१ ४१५ ५५५ ०१००',
  '৪১৫ ৫৫৫ ০১০০',
  '๔๑๕-๕๕๕-๐๑๐๐',
  '𝟒𝟏𝟓𝟓𝟓𝟓𝟎𝟏𝟎𝟎',
])('%s is a number in digits of its script', (written) => {
  expect(isSamePhone('+14155550100', written)).toBe(true);
});

test('numbers of two people are never one, in any country', () => {
  const countries = getCountries();
  const digit = fc.integer({ min: 0, max: 9 });
  const country = fc.oneof(fc.constantFrom(...countries), fc.constantFrom('MX' as const, 'AR' as const, 'BR' as const));
  const number = fc
    .record({ country, digits: fc.array(digit, { minLength: 3, maxLength: 5 }) })
    .map(({ country, digits }) => {
      const example = getExampleNumber(country, examples)?.number ?? '+14155550100';
      return example.slice(0, -digits.length) + digits.join('');
    });
  const inserted = fc.constantFrom('', '1', '9', '0', '15', '01', '044', '7', '8');
  let compared = 0;
  fc.assert(
    fc.property(number, country, inserted, inserted, fc.nat(3), (one, country, before, after, at) => {
      if (!isAssigned(one)) return;
      const { nationalNumber, countryCallingCode } = parsePhoneNumberWithError(one);
      const national = before + nationalNumber.slice(0, at) + after + nationalNumber.slice(at);
      for (const code of [getCountryCallingCode(country), countryCallingCode]) {
        const other = `+${code}${national}`;
        if (!isAssigned(other)) continue;
        compared += 1;
        expect(isSamePhone(one, other)).toBe(personOf(other) === personOf(one));
      }
    }),
    { numRuns: 10_000 },
  );
  expect(compared).toBeGreaterThan(500);
});

const isAssigned = (e164: string): boolean => {
  try {
    const number = parsePhoneNumberWithError(e164);
    return number.isValid() && number.number === e164;
  } catch {
    return false;
  }
};

/** A number without what its country adds to those of mobile telephones. */
const personOf = (e164: string): string => {
  if (e164.startsWith('+521') && e164.length === 14) return `+52${e164.slice(4)}`;
  if (e164.startsWith('+549') && e164.length === 14) return `+54${e164.slice(4)}`;
  const hasNine = e164.startsWith('+55') && e164.length === 14 && e164[5] === '9' && '689'.includes(e164[6] ?? '');
  return hasNine ? e164.slice(0, 5) + e164.slice(6) : e164;
};

test('a number is the same in a form that is not listed', () => {
  expect(isSamePhone('+74951234567', '8 (495) 123-45-67')).toBe(true);
  expect(isSamePhone('+442071838750', ' +44.20.7183.8750 ')).toBe(true);
});

describe('not the same number', () => {
  test.each([
    ['+442071838750', '(207) 183-8750', 'a number of Maine'],
    ['+442071838750', '+2071838750', 'a number of Egypt'],
    ['+49301234567', '+49 30 12394567', 'a longer one that holds the digits'],
    ['+14155550100', '(415) 555-0101', 'the neighbour'],
    ['+4915112345678', '1 (511) 234-5678', 'a number of North America'],
  ])('%s is not %j, %s', (e164, written) => {
    expect(isSamePhone(e164, written)).toBe(false);
    expect(phoneForms(e164)).not.toContain(written);
  });
});

test('forms fit into one request', () => {
  for (const e164 of ['+442071838750', '+4915112345678', '+33123456789', '+14155550100', '+5511987654321'])
    expect(phoneForms(e164).join('').length).toBeLessThan(1000);
});
