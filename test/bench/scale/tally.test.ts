import { expect, test } from 'vitest';
import { exponential, logNormal, randomFrom } from '../../../bench/scale/random.ts';
import { mean, mostWithin, percentile, perStep } from '../../../bench/scale/tally.ts';

test('the most within a window is found wherever it lies, its end not included', () => {
  expect(mostWithin(60, [0, 10, 50, 60, 61, 69, 130])).toBe(5);
  expect(mostWithin(60, [0, 60, 120])).toBe(1);
  expect(mostWithin(60, [])).toBe(0);
});

test('a percentile is one of the values', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 50, 99, 100]);
  expect(percentile([], 0.5)).toBeNaN();
});

test('moments are counted in steps, those outside not at all', () => {
  expect(perStep([1, 10, 19, 20, 39, 40], { stepMs: 10, fromMs: 10, untilMs: 40 })).toEqual([2, 1, 1]);
});

test('the same seed gives the same numbers, with the mean and the median that were asked for', () => {
  const numbers = (seed: number) => Array.from({ length: 3 }, randomFrom(seed));
  expect(numbers(1)).toEqual(numbers(1));
  expect(numbers(1)).not.toEqual(numbers(2));

  const random = randomFrom(3);
  const many = <T>(next: () => T) => Array.from({ length: 20_000 }, next);
  expect(mean(many(() => exponential(100, random))) / 100).toBeCloseTo(1, 1);
  expect(
    percentile(
      many(() => logNormal(80, 0.4, random)),
      0.5,
    ) / 80,
  ).toBeCloseTo(1, 1);
  expect(many(random).every((number) => number >= 0 && number < 1)).toBe(true);
});
