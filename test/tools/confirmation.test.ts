import { expect, test } from 'vitest';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { createConfirmations } from '../../src/tools/confirmation.ts';

const secret = () => 'a secret of at least 32 characters';

test('a token agrees to exactly one thing, for five minutes', async () => {
  const clock = createVirtualClock();
  const confirmations = createConfirmations({});
  const { token, expiresInSeconds } = confirmations.issue('pay 50');

  expect(expiresInSeconds).toBe(300);
  expect([confirmations.isValid(token, 'pay 50'), confirmations.isValid(token, 'pay 51')]).toEqual([true, false]);
  await clock.advance(300_000);
  expect(confirmations.isValid(token, 'pay 50')).toBe(true);
  await clock.advance(1);
  expect(confirmations.isValid(token, 'pay 50')).toBe(false);
});

test('a token lasts as long as the application says, and never less', async () => {
  const clock = createVirtualClock();
  const confirmations = createConfirmations({ validSeconds: 10 });
  await clock.advance(1);
  const { token, expiresInSeconds } = confirmations.issue('a');

  await clock.advance(10_000);
  expect([expiresInSeconds, confirmations.isValid(token, 'a')]).toEqual([10, true]);
});

test('another process with the same secret knows the token; one without it does not', () => {
  createVirtualClock();
  const { token } = createConfirmations({ secret }).issue('a');

  expect(createConfirmations({ secret }).isValid(token, 'a')).toBe(true);
  expect(createConfirmations({}).isValid(token, 'a')).toBe(false);
});

test('what a model makes up is no token', () => {
  createVirtualClock();
  const confirmations = createConfirmations({ secret });
  const { token } = confirmations.issue('a');
  const [expiry = '', signature = ''] = token.split('.');
  const later = (Number.parseInt(expiry, 36) + 1).toString(36);

  for (const madeUp of [
    undefined,
    null,
    '',
    'yes',
    '.',
    signature,
    `${later}.${signature}`,
    `${expiry}.${'0'.repeat(24)}`,
    `${expiry}.${signature}0`,
    `x ${token}`,
    `${token}\nx`,
    `${expiry}.`,
  ])
    expect(confirmations.isValid(madeUp, 'a')).toBe(false);
});
