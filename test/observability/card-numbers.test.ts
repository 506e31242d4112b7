import { expect, test } from 'vitest';
import { maskCardNumbers } from '../../src/observability/card-numbers.ts';

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
])('masks %s', (text, expected) => {
  expect(maskCardNumbers(text)).toBe(expected);
});

test.each([
  ['one digit off', '4242424242424241'],
  ['too short', '424242424242'],
  ['too long', '42424242424242424242'],
  ['a phone number', '+4917012345675'],
  ['amounts', '100.00, 2000.00, 4242.42'],
  ['digits in lines', '4242\n4242\n4242\n4242'],
  ['nothing', ''],
  ['no digits', 'Good morning'],
])('leaves alone what is %s', (_what, text) => {
  expect(maskCardNumbers(text)).toBe(text);
});

test('a number that looks like a card but is a phone number does pass Luhn', () => {
  expect(maskCardNumbers('4917012345675')).toBe('*********5675');
});

test.each([
  ['digits', '4'.repeat(1_000_000)],
  ['spaced digits', '1 '.repeat(500_000)],
  ['separators', `4${' -'.repeat(500_000)}`],
])('a million characters of %s end', (_what, text) => {
  expect(maskCardNumbers(text)).toHaveLength(text.length);
});
