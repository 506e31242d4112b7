import { expect, test } from 'vitest';
import { createConfirmations } from '../../src/outbox/publish.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const make = () => {
  const clock = createVirtualClock();
  return { clock, confirmations: createConfirmations() };
};

test.each([true, false])('a publisher learns whether the next attempt delivered: %s', async (isDelivered) => {
  const { clock, confirmations } = make();
  const within = confirmations.expect('a').within(500);

  await clock.advance(499);
  confirmations.ended('b', !isDelivered);
  confirmations.ended('a', isDelivered);

  expect(await within).toBe(isDelivered);
  expect(clock.pendingTimers()).toBe(0);
});

test('an attempt that ends before the wait starts counts too', async () => {
  const { confirmations } = make();
  const confirmation = confirmations.expect('a');

  confirmations.ended('a', true);

  expect(await confirmation.within(500)).toBe(true);
});

test.each([500, 0])('a wait ends after %i ms', async (ms) => {
  const { clock, confirmations } = make();
  const within = confirmations.expect('a').within(ms);

  await clock.advance(Math.max(0, ms));

  expect(await within).toBe(false);
});

test('one publisher may stop waiting; the others still get the result, and nothing is left behind', async () => {
  const { clock, confirmations } = make();
  const [first, second] = [confirmations.expect('a'), confirmations.expect('a')];

  first.forget();
  confirmations.ended('a', true);
  expect(await second.within(500)).toBe(true);

  const forgotten = first.within(500);
  await clock.advance(500);
  expect(await forgotten).toBe(false);
});
