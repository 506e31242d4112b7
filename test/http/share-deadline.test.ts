import { expect, test } from 'vitest';
import { type Deadline, deadlineIn, shareDeadline } from '../../src/http/deadline.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test.each([
  ['what the caller allows', { deadline: 3_000 }, {}, 3_000],
  ['what the client allows', {}, { deadlineMs: 5_000 }, 5_000],
  ['8 seconds', {}, {}, 8_000],
])('one budget runs from now for %s', async (_what, call, options, budgetMs) => {
  const clock = createVirtualClock();
  const { deadline } = shareDeadline(call, { ...options }) as { readonly deadline: Deadline };
  expect(deadline.budgetMs).toBe(budgetMs);
  await clock.advance(1_000);
  expect(deadline.remainingMs()).toBe(budgetMs - 1_000);
});

test('a budget that is shared already stays the same one', () => {
  const deadline = deadlineIn(1_000);
  expect(shareDeadline({ deadline, lane: 'background' }, {})).toEqual({
    deadline,
    lane: 'background',
  });
});

test.each([0, Number.NaN])('%d is left for the request to refuse', (deadline) => {
  expect(shareDeadline({ deadline }, {})).toEqual({ deadline });
});
