import { expect, test } from 'vitest';
import { createRetryBudget } from '../../src/http/middleware/retry.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('each second gives one retry back, up to the capacity', async () => {
  const clock = createVirtualClock();
  const budget = createRetryBudget({ capacity: 2, perSecond: 1 });
  expect([budget.take(), budget.take(), budget.take(), budget.left()]).toEqual([true, true, false, 0]);
  await clock.advance(999);
  expect(budget.take()).toBe(false);
  await clock.advance(1);
  expect([budget.left(), budget.take(), budget.take()]).toEqual([1, true, false]);
  await clock.advance(3_600_000);
  expect(budget.left()).toBe(2);
});

test.each([
  [0.1, 10],
  [1, 1],
])('successes worth %d of a retry each give one back after %i', (perSuccess, successes) => {
  const budget = createRetryBudget({ capacity: 1, perSuccess, perSecond: 0 });
  budget.take();
  for (let success = 1; success < successes; success += 1) budget.succeeded();
  expect(budget.take()).toBe(false);
  budget.succeeded();
  expect([budget.take(), budget.take()]).toEqual([true, false]);
});

test('starts with 100 retries', () => {
  expect(createRetryBudget({}).left()).toBe(100);
});

test('a capacity of nothing allows no retry', async () => {
  const clock = createVirtualClock();
  const budget = createRetryBudget({ capacity: 0 });
  await clock.advance(10_000);
  budget.succeeded();
  expect(budget.take()).toBe(false);
});

test.each([
  ['capacity', -1],
  ['perSuccess', Number.NaN],
])('a budget with the %s %d is refused when it is made', (option, amount) => {
  expect(() => createRetryBudget({ [option]: amount })).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      field: `retryBudget.${option}`,
      problem: 'must be a number of 0 or more',
    }),
  );
});

test('a budget may be one that gives nothing back', async () => {
  const clock = createVirtualClock();
  const budget = createRetryBudget({ capacity: 1, perSuccess: 0, perSecond: 0 });
  budget.take();
  budget.succeeded();
  await clock.advance(86_400_000);
  expect([budget.left(), budget.take()]).toEqual([0, false]);
});
