import { expect, test } from 'vitest';
import { createConfirmations } from '../../src/outbox/confirmations.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const make = () => {
  const clock = createVirtualClock();
  return { clock, confirmations: createConfirmations(clock) };
};

test.each([true, false])('a publisher hears of the next attempt whether it delivered: %s', async (isDelivered) => {
  const { clock, confirmations } = make();
  const within = confirmations.expect('a').within(500);

  await clock.advance(499);
  confirmations.ended('b', !isDelivered);
  confirmations.ended('a', isDelivered);

  expect(await within).toBe(isDelivered);
  expect(clock.pendingTimers()).toBe(0);
});

test('an attempt that ends before anybody waits for it is heard as well', async () => {
  const { confirmations } = make();
  const confirmation = confirmations.expect('a');

  confirmations.ended('a', true);

  expect(await confirmation.within(500)).toBe(true);
});

test.each([500, 0, -1])('after %i ms nobody waits any longer', async (ms) => {
  const { clock, confirmations } = make();
  const within = confirmations.expect('a').within(ms);

  await clock.advance(Math.max(0, ms));

  expect(await within).toBe(false);
});

test('one publisher of a message may go; the others still hear of it, and the last leaves nothing behind', async () => {
  const { clock, confirmations } = make();
  const [first, second] = [confirmations.expect('a'), confirmations.expect('a')];

  first.forget();
  confirmations.ended('a', true);
  expect(await second.within(500)).toBe(true);

  const forgotten = first.within(500);
  await clock.advance(500);
  expect(await forgotten).toBe(false);
});
