import { describe, expect, test } from 'vitest';
import { isSamePhone, phoneForms } from '../../src/phone/forms.ts';

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
