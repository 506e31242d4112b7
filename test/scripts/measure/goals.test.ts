import { expect, test } from 'vitest';
import { loweredLimits, rowsOf } from '../../../scripts/measure/goals.ts';

const goals = { lines: { goal: 10, limit: 15 }, cycles: { goal: 0, limit: 0 } };

test('a number is reached, on its way, or above its limit; one without a goal only informs', () => {
  expect(rowsOf({ lines: 12, cycles: 0, presets: 4 }, goals)).toEqual({
    lines: { measured: 12, goal: 10, limit: 15, result: 'not yet' },
    cycles: { measured: 0, goal: 0, limit: 0, result: 'reached' },
    presets: { measured: 4, result: '' },
  });
  expect(rowsOf({ lines: 16, cycles: 0 }, goals)['lines']?.result).toBe('above its limit');
});

test('a goal of what is not measured is an error', () => {
  expect(() => rowsOf({ lines: 12 }, goals)).toThrow('cycles');
});

test('an update lowers limits and raises none', () => {
  expect(loweredLimits({ lines: 12, cycles: 3 }, goals)).toEqual({
    lines: { goal: 10, limit: 12 },
    cycles: { goal: 0, limit: 0 },
  });
});
