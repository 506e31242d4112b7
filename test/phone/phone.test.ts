import { describe, expect, it } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { type ParsedPhone, parsePhone, phoneFormats } from '../../src/phone/index.ts';
import { readSpokenNumber } from '../../src/phone/spoken.ts';
import fc from '../support/fast-check.ts';

const shortOf = (parsed: ParsedPhone): string => (parsed.ok ? parsed.e164 : parsed.reason);

describe('a number as it is written', () => {
  it.each<[text: string, defaultCountry: string | undefined, expected: string]>([
    ['+14155550100', undefined, '+14155550100'],
    [' +1 (415) 555‑0100 ', undefined, '+14155550100'],
    ['(415) 555-0100', 'US', '+14155550100'],
    ['011 44 20 7946 0958', 'US', '+442079460958'],
    ['+49 (0)30 901820', undefined, '+4930901820'],
    ['06 1234 5678', 'IT', '+390612345678'],
    ['٤١٥٥٥٥٠١٠٠', 'US', '+14155550100'],
  ])('%s, from %s, is %s', (text, defaultCountry, expected) => {
    expect(shortOf(parsePhone(text, { defaultCountry }))).toBe(expected);
  });

  it('has its country, and its extension apart', () => {
    expect(parsePhone('415-555-0100 x12', { defaultCountry: 'US' })).toEqual({
      ok: true,
      e164: '+14155550100',
      country: 'US',
      extension: '12',
    });
  });
});

describe('a number as it is said', () => {
  it.each<[text: string, expected: string]>([
    ['four one five five five five oh one oh oh', '+14155550100'],
    ['four one five, double five five, oh one double oh', '+14155550100'],
    ['plus one four one five triple five zero one hundred', '+14155550100'],
    ['My number is four fifteen, five fifty-five, oh one hundred.', '+14155550100'],
    ['415 triple five oh one 0 0', '+14155550100'],
    ['Area code 415, 555, oh-one-oh-oh', '+14155550100'],
    ['eight hundred, two two one, five thousand', '+18002215000'],
    ['it’s plus forty-four twenty seventy-nine forty-six oh nine fifty-eight', '+442079460958'],
    ['four one five five five five oh one hundred extension twelve', '+14155550100'],
  ])('%s', (text, expected) => {
    expect(shortOf(parsePhone(text, { defaultCountry: 'US' }))).toBe(expected);
  });

  it.each<[text: string, reason: string]>([
    ['four one five', 'too_short'],
    ['four one five five five five oh one oh oh nine nine nine nine nine nine nine', 'too_long'],
    ['four one five or maybe five one four', 'not_a_number'],
    ['double', 'not_a_number'],
    ['hundred', 'not_a_number'],
    ['my number is', 'not_a_number'],
  ])('%s: %s', (text, reason) => {
    expect(shortOf(parsePhone(text, { defaultCountry: 'US' }))).toBe(reason);
  });

  it('is the same, whichever way each digit is said', () => {
    const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
    const ways = (digit: number): fc.Arbitrary<string> =>
      fc.constantFrom(words[digit] ?? '', String(digit), ...(digit === 0 ? ['oh'] : []));
    fc.assert(
      fc.property(
        fc
          .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 15 })
          .chain((all) => fc.tuple(fc.constant(all.join('')), fc.tuple(...all.map(ways)))),
        ([digits, said]) => {
          expect(readSpokenNumber(said.join(' '))?.replaceAll(' ', '')).toBe(digits);
        },
      ),
      { seed: 7 },
    );
  });
});

describe('what is no number', () => {
  it.each<[text: string, defaultCountry: string | undefined, reason: string]>([
    ['', 'US', 'not_a_number'],
    ['+14155550100 or +14155550101', undefined, 'not_a_number'],
    ['1-800-FLOWERS', 'US', 'not_a_number'],
    ['4155550100', undefined, 'country_missing'],
    ['+999 1234567', undefined, 'unknown_country'],
    ['555 0100', 'US', 'too_short'],
    ['911', 'US', 'too_short'],
    ['+141555501000', undefined, 'too_long'],
    ['+1 999 555 0100', undefined, 'not_assigned'],
    ['9'.repeat(251), 'US', 'not_a_number'],
  ])('%j, from %s: %s', (text, defaultCountry, reason) => {
    expect(parsePhone(text, { defaultCountry })).toEqual({ ok: false, reason });
  });

  it('is not the same as an unknown country, which is a mistake of the application', () => {
    expect(() => parsePhone('4155550100', { defaultCountry: 'USA' })).toThrow(
      new InvalidArgumentError('defaultCountry', 'must be the two letters of a country, such as US'),
    );
  });

  it('gives a reason and never throws, whatever was said', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(shortOf(parsePhone(text, { defaultCountry: 'US' }))).toMatch(/^(\+[1-9]\d{1,14}|[a-z]+(_[a-z]+)*)$/);
      }),
      { seed: 7 },
    );
  });
});

describe('the formats of a number', () => {
  it('are those that it is usually written in, each once, E.164 first', () => {
    expect(phoneFormats('+14155550100')).toEqual([
      '+14155550100',
      '14155550100',
      '4155550100',
      '(415) 555-0100',
      '415-555-0100',
      '415.555.0100',
      '415 555 0100',
      '+1 415 555 0100',
      '+1-415-555-0100',
      '1-415-555-0100',
      '+1 (415) 555-0100',
    ]);
    expect(phoneFormats('+4930901820')).toEqual([
      '+4930901820',
      '4930901820',
      '030901820',
      '030 901820',
      '030-901820',
      '030.901820',
      '+49 30 901820',
      '+49-30-901820',
      '49-30-901820',
      '+49 (0)30 901820',
    ]);
  });

  it.each([
    ['+33123456789', '01.23.45.67.89'],
    ['+442071838750', '020-7183-8750'],
  ])('of %s have the trunk digit in every national form: %s', (e164, form) => {
    expect(phoneFormats(e164)).toContain(form);
  });

  it.each([['+14155550100'], ['+390612345678']])(
    'of %s that have a country code are read as the same number again',
    (e164) => {
      const international = phoneFormats(e164).filter((format) => format.startsWith('+'));

      expect(international.map((format) => shortOf(parsePhone(format)))).toEqual(international.map(() => e164));
    },
  );

  it.each([['4155550100'], ['+999123'], ['']])('are not made of %j', (text) => {
    expect(() => phoneFormats(text)).toThrow(InvalidArgumentError);
  });
});

it('formats of a number with two spellings hold both', () => {
  expect(phoneFormats('+5511987654321')).toEqual(expect.arrayContaining(['+551187654321', '551187654321']));
  expect(phoneFormats('+525512345678')).toContain('+5215512345678');
});

it.each(['＋１ ４１５ ５５５ ２６７１', '+१ ४१५ ५५५ २६७१', '+١٤١٥٥٥٥٢٦٧١'])('reads %s', (written) => {
  expect(parsePhone(written)).toMatchObject({ ok: true, e164: '+14155552671' });
});
