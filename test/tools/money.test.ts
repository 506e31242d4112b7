import { expect, test } from 'vitest';
import { moneyWith } from '../../src/tools/money.ts';

test('sums of money are exact where sums of numbers are not', () => {
  const money = moneyWith(2);

  expect([money.sum([]), money.sum([0.1, 0.2]), money.sum([1.005, 10])]).toEqual([0, 0.3, 11]);
  expect([money.subtract(120.5, [100, 20.4]), money.subtract(10, []), money.subtract(1, [2])]).toEqual([0.1, 10, -1]);
});

test('a currency may have no decimals, or three', () => {
  expect([moneyWith(0).sum([100, 20.4]), moneyWith(3).sum([0.001, 0.0014])]).toEqual([120, 0.002]);
});
