import { expect, test } from 'vitest';
import { share } from '../../../src/stores/bullmq/shares.ts';

const claimant = (group: string, place: number, appetite = 100) => ({ group, place, appetite });

test.each([
  ['an idle group is asked for one', [claimant('a', 50, 1)], 50, { a: 1 }],
  ['a busy group is asked for all its place', [claimant('a', 8)], 50, { a: 8 }],
  ['groups share what there is', [claimant('a', 50), claimant('b', 50)], 10, { a: 5, b: 5 }],
  ['who stands first comes first', [claimant('a', 5), claimant('b', 5), claimant('c', 5)], 2, { a: 1, b: 1 }],
  ['nobody is asked without a place', [claimant('a', 5)], 0, {}],
])('%s', (_what, claimants, places, expected) => {
  expect(Object.fromEntries(share(claimants, places))).toEqual(expected);
});
