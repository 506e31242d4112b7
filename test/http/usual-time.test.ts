import { expect, test } from 'vitest';
import { createUsualTime } from '../../src/http/middleware/circuit.ts';

const usualOf = (times: readonly number[]) => {
  const usual = createUsualTime({ latest: 100, enough: 20 });
  for (const time of times) usual.add(time);
  return usual.p95();
};

const times = (count: number, timeOf: (index: number) => number) => Array.from({ length: count }, (_, i) => timeOf(i));

test.each([
  ['nothing is known of an operation with few answers', times(19, () => 10), undefined],
  ['the 95th percentile of answers that differ a little', times(100, (i) => 100 + i), 194],
  ['the latest answers alone', [...times(100, () => 900), ...times(100, () => 10)], 10],
])('%s', (_what, given, expected) => {
  expect(usualOf(given)).toBe(expected);
});
