import { expect, test } from 'vitest';
import { maskCardNumbers } from '../../../src/observability/redaction/card-numbers.ts';
import fc from '../../support/fast-check.ts';

test.each([
  ['4242424242424242', '************4242'],
  ['4242 4242 4242 4242', '**** **** **** 4242'],
  ['4242-4242-4242-4242', '****-****-****-4242'],
  ['4242 - 4242 - 4242 - 4242', '**** - **** - **** - 4242'],
  ['4242\u00a04242\u20134242\u00a04242', '****\u00a0****\u2013****\u00a04242'],
  ['4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2', '* * * * * * * * * * * * 4 2 4 2'],
  ['378282246310005', '***********0005'],
  ['3782 822463 10005', '**** ****** *0005'],
  ['4222222222222', '*********2222'],
  ['6304000000000000000', '***************0000'],
  ['my card, 4242424242424242, expires 12/27', 'my card, ************4242, expires 12/27'],
  ['x4242424242424242y', 'x************4242y'],
  ['I am 42 and have 4242 4242 4242 4242 12 27', 'I am 42 and have **** **** **** 4242 12 27'],
  ['4242 4242 4242 4242, 5555 5555 5555 4444', '**** **** **** 4242, **** **** **** 4444'],
  ['4242 4242 4242 4242 5555 5555 5555 4444', '**** **** **** 4242 **** **** **** 4444'],
  ['+4242424242424242', '+************4242'],
  ['4242, 4242, 4242, 4242', '****, ****, ****, 4242'],
  ['4242. 4242. 4242. 4242.', '****. ****. ****. 4242.'],
  ['4242. 4242, 4242. 4242', '****. ****, ****. 4242'],
  ['4242/4242/4242/4242', '****/****/****/4242'],
  ['4242_4242_4242_4242', '****_****_****_4242'],
  ['4242\u22124242\u22124242\u22124242', '****\u2212****\u2212****\u22124242'],
  ['4242    4242    4242    4242', '****    ****    ****    4242'],
  ['4242\n4242\r\n4242\n4242', '****\n****\r\n****\n4242'],
  ['4242\t4242\u20094242\u200a4242', '****\t****\u2009****\u200a4242'],
  ['42\u200b42\u200d42\ufeff42 4242\u00ad4242', '**\u200b**\u200d**\ufeff** ****\u00ad4242'],
  ['4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2.', '*, *, *, *, *, *, *, *, *, *, *, *, 4, 2, 4, 2.'],
  ['42. 42. 42. 42. 42. 42. 42. 42', '**. **. **. **. **. **. 42. 42'],
  ['3782, 822463, 10005', '****, ******, *0005'],
  ['٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢', '**** **** **** ٤٢٤٢'],
  ['۴۲۴۲۴۲۴۲۴۲۴۲۴۲۴۲', '************۴۲۴۲'],
  ['४२४२, ४२४२, ४२४२, ४२४२', '****, ****, ****, ४२४२'],
  ['４２４２－４２４２－４２４２－４２４２', '****－****－****－４２４２'],
  ['④②④② ④②④② ④②④② ④②④②', '**** **** **** ④②④②'],
  [
    'it is four two four two, four two four two, four two four two, four two four two',
    'it is * * * *, * * * *, * * * *, four two four two',
  ],
  ['Forty-two forty two 4242 42 42 forty-two forty-two', '** ** **** ** ** forty-two forty-two'],
  [
    'five double five five, triple five five, five five five five, double four double four',
    '* ** *, *** *, * * * *, double four double four',
  ],
  ['4 two 4 two 4 two 4 two 4 two 4 two 4 two 4 two', '* * * * * * * * * * * * 4 two 4 two'],
  ['four one one one, one one one one, one one one one, one one one one', '* * * *, * * * *, * * * *, one one one one'],
])('masks %s', (text, expected) => {
  expect(maskCardNumbers(text)).toBe(expected);
});

test.each([
  ['one digit off', '4242424242424241'],
  ['too short', '424242424242'],
  ['too long', '42424242424242424242'],
  ['a phone number', '+4917012345675'],
  ['amounts', '100.00, 2000.00, 4242.42'],
  ['amounts of a list', '4100.50, 4200.50, 4300.50, 4400.50'],
  ['a price with thousands', '4,242,424,242,424.24'],
  ['years', '2021, 2022, 2023, 2024'],
  ['dates', '2026-11-21 2026-11-22 2026-11-23, 2026/11/21, 21.11.26, 22.11.26, 23.11.26'],
  ['times', '2026-11-21T10:15:30.123Z 2026-11-21T10:15:30.124Z'],
  ['phone numbers', '415-555-0100, 415-555-0101, 415-555-0102'],
  ['phone numbers with their plus', '+14155550100, +49 170 1234567, +44 20 7946 0958'],
  ['a phone number and more', '+49 170 1234567 5, 4242'],
  ['an address', '192.168.100.200, 10.0.0.1'],
  ['counting', 'one two three four five six seven eight nine ten eleven twelve'],
  ['prose', 'one of two for four, to be on the one hand, and nine to five on the other'],
  ['nothing', ''],
  ['no digits', 'Good morning'],
])('leaves alone what is %s', (_what, text) => {
  expect(maskCardNumbers(text)).toBe(text);
});

test('a number that looks like a card but is a phone number does pass Luhn', () => {
  expect(maskCardNumbers('4917012345675')).toBe('*********5675');
});

/** With the digit that makes it pass Luhn. */
const withLuhnDigit = (digits: string): string => {
  const doubled = Array.from(digits)
    .toReversed()
    .map((one, place) => (place % 2 === 0 ? Number(one) * 2 : Number(one)));
  const sum = doubled.reduce((total, one) => total + (one > 9 ? one - 9 : one), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
};

const cards = fc
  .tuple(
    fc.constantFrom('4', '51', '37', '6011', '2221'),
    fc.integer({ min: 13, max: 19 }),
    fc.infiniteStream(fc.nat(9)),
  )
  .map(([prefix, length, digits]) => withLuhnDigit([prefix, ...digits.take(length)].join('').slice(0, length - 1)));

const scripts = fc.constantFrom(0x30, 0x660, 0x6f0, 0x966, 0xff10, 0x9e6);

test('masks every card, however it is written', () => {
  const separators = fc.constantFrom(
    '',
    ' ',
    '-',
    ', ',
    '. ',
    '.',
    '/',
    '_',
    '\u2212',
    '     ',
    '\n',
    '\t',
    '\u2009',
    '\u200b',
    ' – ',
  );
  const separated = fc.tuple(cards, fc.constantFrom(1, 2, 4), separators, scripts);
  fc.assert(
    fc.property(separated, ([card, size, separator, zero]) => {
      const groups = card.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      const written = Array.from(groups.join(separator))
        .map((one) => (/\d/.test(one) ? String.fromCodePoint(zero + Number(one)) : one))
        .join('');
      const masked = maskCardNumbers(`card: ${written}!`);

      expect(masked.match(/\p{Nd}/gu)).toHaveLength(4);
      expect(masked.match(/\*/g)).toHaveLength(card.length - 4);
      expect(masked.replace(/[*\p{Nd}]/gu, '')).toBe(`card: ${groups.join(separator).replace(/\d/g, '')}!`);
    }),
    { numRuns: 2_000 },
  );
});

test('masks every card that is spelled', () => {
  const names = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
  fc.assert(
    fc.property(cards, fc.constantFrom(' ', ', ', '-'), (card, separator) => {
      const masked = maskCardNumbers(
        Array.from(card)
          .map((one) => names[Number(one)])
          .join(separator),
      );

      expect(masked.match(/[a-z]+/g)).toHaveLength(4);
    }),
  );
});

test('leaves alone lists of amounts, dates, times and phone numbers', () => {
  const two = (max: number) => fc.integer({ min: 1, max }).map((value) => String(value).padStart(2, '0'));
  const year = fc.integer({ min: 1990, max: 2035 }).map(String);
  const ordinary = fc.oneof(
    fc.tuple(year, two(12), two(28)).map((parts) => parts.join('-')),
    fc.tuple(two(28), two(12), year).map((parts) => parts.join('.')),
    fc.tuple(two(12), two(28), year).map((parts) => parts.join('/')),
    fc.tuple(two(12), two(59)).map((parts) => parts.join(':')),
    fc.integer({ min: 100, max: 99_999_999 }).map((cents) => (cents / 100).toFixed(2)),
    fc.integer({ min: 1_000, max: 999_999 }).map((value) => value.toLocaleString('en')),
    fc.integer({ min: 2_000_000_000, max: 9_999_999_999 }).map((value) => `+1${value}`),
    fc
      .integer({ min: 2_000_000_000, max: 9_999_999_999 })
      .map((value) => String(value).replace(/(...)(...)/, '$1-$2-')),
    fc.integer({ min: 0, max: 999 }).map((value) => `INV-${value}`),
  );
  fc.assert(
    fc.property(
      fc.array(ordinary, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(', ', '; ', ' and '),
      (list, comma) => {
        const text = list.join(comma);

        expect(maskCardNumbers(text)).toBe(text);
      },
    ),
    { numRuns: 5_000 },
  );
});

test.each([
  ['digits', '4'.repeat(1_000_000)],
  ['digits of another script', '٤'.repeat(300_000)],
  ['commas', '4, '.repeat(300_000)],
  ['spaced digits', '1 '.repeat(500_000)],
  ['separators', `4${' -'.repeat(500_000)}`],
])(
  'a million characters of %s end',
  (_what, text) => {
    expect(maskCardNumbers(text)).toHaveLength(text.length);
  },
  30_000,
);

test('a million characters of words end', () => {
  expect(maskCardNumbers('four '.repeat(200_000))).toMatch(/^\* .*four $/);
});
