import { expect, test } from 'vitest';
import { checkValues } from '../../src/tools/arguments.ts';

const refused = [{ field: 'text', problem: 'must not hold a card number' }];

test.each([
  '4242424242424242',
  '4242\u200b4242\u20094242\t4242',
  '४२४२ ४२४२ ४२४२ ४२४२',
  'four two four two, four two four two, four two four two, four two four two',
  4242424242424242,
  ['4242', '4242', '4242', '4242'],
  [4242, 4242, 4242, 4242],
  { deep: ['x', { number: '4242 4242 4242 4242' }] },
])('refuses the card number in %j', (text) => {
  expect(checkValues({ text, amount: 5 })).toEqual({ ok: false, problems: refused });
});

test.each([
  'INV-2026-0042',
  '+14155550100',
  '415-555-0100, 415-555-0101',
  '2026-11-21, 2026-11-22, 2026-11-23',
  '100.00, 2000.00, 4242.42',
  1_763_712_000,
  [1, 2, 3],
  null,
  true,
])('takes %j', (text) => {
  expect(checkValues({ text })).toEqual({ ok: true, args: { text } });
});
